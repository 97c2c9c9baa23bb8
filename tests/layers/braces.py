#!/usr/bin/env python3
"""braces.py <src/mat>: a loop that `if constexpr` guards has braces around it where an else follows.

Of `if constexpr (...) for (...) { ... } else ...` in a generic lambda, the front end of nvcc 13.0 drops the else with the loop, without a word.
"""

import re
import sys
from pathlib import Path

GUARDED_LOOP = re.compile(r"\bif constexpr (?=\()")
LOOP = re.compile(r"\s*(for|while|do|switch)\b")


def end_of(text, at, ends=";}"):
    """Behind the statement that begins at `at`; with ")", behind the brackets."""
    depth = 0
    for i in range(at, len(text)):
        depth += (text[i] in "({[") - (text[i] in ")}]")
        if depth == 0 and text[i] in ends:
            return i + 1
    return len(text)


def after_loop(text, at):
    loop = LOOP.match(text, at)
    at = loop.end()
    if loop[1] != "do":
        at = end_of(text, text.index("(", at), ")")
    inner = LOOP.match(text, at)
    return after_loop(text, at) if inner else end_of(text, at)


found = []
for path in sorted(Path(sys.argv[1]).rglob("*")):
    if path.suffix not in (".hpp", ".cpp", ".cuh", ".cu"):
        continue
    text = re.sub(r"//.*", "", path.read_text())
    for guard in GUARDED_LOOP.finditer(text):
        body = end_of(text, guard.end(), ")")
        if LOOP.match(text, body) and re.match(r"\s*else\b", text[after_loop(text, body) :]):
            found.append(f"{path}:{text.count(chr(10), 0, guard.start()) + 1}: braces around the loop, or nvcc may drop the else behind it")
sys.exit("\n".join(found) or None)
