"""compare.py <output> <output>: the numbers in lines that begin with "result" are the same but for roundings.

Prints how many there are, and the largest difference relative to the largest number in its line.
"""
import sys

TOLERANCE = 1e-8  # solvers stop at 1e-10 or below


def numbers(name):
    lines = [line.split()[1:] for line in open(name) if line.startswith("result ")]
    return [([w for w in line if not number(w)], [float(w) for w in line if number(w)]) for line in lines]


def number(word):
    try:
        float(word)
        return True
    except ValueError:
        return False


plain, ours = numbers(sys.argv[1]), numbers(sys.argv[2])
count = sum(len(values) for _, values in plain)
if not count:
    sys.exit("there is no number in what it has printed without the plugin")
if [(words, len(values)) for words, values in plain] != [(words, len(values)) for words, values in ours]:
    sys.exit("it prints other lines with the plugin")
largest = 0
for (words, a), (_, b) in zip(plain, ours):
    scale = max(map(abs, a + b), default=0) or 1
    for x, y in zip(a, b):
        difference = abs(x - y) / scale
        if not difference <= TOLERANCE:  # NaN is none
            sys.exit(f"{' '.join(words)}: {x!r} without the plugin, {y!r} with it")
        largest = max(largest, difference)
print(count, f"{largest:.0e}" if largest else "0")
