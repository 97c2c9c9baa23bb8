"""When two outputs of one program count as the same: once with PETSc's own aij, once with a type of ours in its place."""

import re

# A difference that rounding explains. Sums over a row are added up in another order than aij's, and what an iteration prints
# is that difference grown. Measured over PETSc's test suite, see known-losses.txt.
RELATIVE = 1e-4
ABSOLUTE = 1e-9

# "< 1.e-11" is how PETSc's monitors print what is too small to print.
_NUMBER = re.compile(r"(?:<\s*)?(?<![\w.])([-+]?(?:\d+\.\d*|\.\d+|\d+)(?:[eE][-+]?\d+)?)(?![\w])")


def without_aij(kind, prefix=""):
    """Options: these matrices are small and multiplied a few times, and the formats are to be tested, so nothing is left to AIJ."""
    at_once = [f"-{prefix}mat_aijauto_when", "first"] if kind == "aijauto" else []
    return [f"-{prefix}mat_spmv_tiny", "0", *at_once]


def implementation(kind, processes):
    """The real name of a type on one process or on several: "seqaijspec" for "aijspec", "mpiaijccoo" for "ccoo"."""
    return ("seq" if processes == 1 else "mpi") + "aij" + kind.removeprefix("aij")


def in_aijs_words(text, kind):
    """What a program printed with a type of ours, as if it had been aij: its name, without the lines that its view adds,
    and without the remark that nobody has read an option of ours: matrices with a prefix and those that are never
    multiplied do not, and it goes to stderr, between the rest as it happens.

    kind: "aijspec", for seqaijspec and mpiaijspec, too.
    """
    for name, aij in ((kind, "aij"), (implementation(kind, 1), "seqaij"), (implementation(kind, 2), "mpiaij")):
        text = re.sub(rf"\b{name}\b", aij, text)
    # -checkfunctionlist prints what is composed with a matrix at its end: PETSc frees the list, but takes only its own names from it before.
    text = re.sub(r"\[\d+\] function name: MatProductSetFromOptions_seqaij_seqdense_C\n?", "", text)
    text = re.sub(r"petscspmv: option .* silences this\.\n?", "", text)
    kept, inside = [], None
    for line in text.splitlines():
        indentation = len(line) - len(line.lstrip())
        # What another rank prints can follow, deeper indented and out of order: it begins with "KSP Object:" or the like.
        if inside is not None and indentation > inside and not re.match(r"\s*\w+ Object:", line):
            continue
        inside = indentation if line.lstrip().startswith(("petscspmv ", "petscspmv: ")) else None
        if inside is None:
            kept.append(line)
    return "\n".join(kept)


def in_words_of_the_host(text):
    """What a program printed, as if its matrices and vectors were on the host: a type of ours gives those of a device where
    there is one. With -mat_spmv they stay what they are. Factors of ours have one type for all.

    >>> in_words_of_the_host("type: mpiaijcusparse, seqcuda")
    'type: mpiaij, seq'
    >>> in_words_of_the_host("type: spmv, type: seqsbaij")
    'type: seqaij, type: seqaij'
    """
    text = re.sub(r"\btype: (spmv|seqsbaij)\b", "type: seqaij", text)
    return re.sub(r"\b(seq|mpi|)aijcusparse\b", r"\1aij", re.sub(r"\b(seq|mpi)cuda\b", r"\1", text))


# Objects without a name are called by where they are: "Mat_0x55d0c1b2a3f0_0".
_ADDRESS = re.compile(r"0x[0-9a-f]+")


def _is_integer(number):
    return re.fullmatch(r"[-+]?\d+", number) is not None


def _same_number(a, b):
    if _is_integer(a) and _is_integer(b):
        return int(a) == int(b)
    x, y = float(a), float(b)
    return abs(x - y) <= max(ABSOLUTE, RELATIVE * max(abs(x), abs(y)))


def _same_line(a, b):
    pieces_a, pieces_b = (_NUMBER.split(_ADDRESS.sub("0x", line)) for line in (a, b))
    if len(pieces_a) != len(pieces_b):
        return False
    texts = zip(pieces_a[0::2], pieces_b[0::2])
    numbers = zip(pieces_a[1::2], pieces_b[1::2])
    return all("".join(s.split()) == "".join(t.split()) for s, t in texts) and all(
        _same_number(s, t) for s, t in numbers
    )


def first_difference(expected, found, kind):
    """The first difference of two outputs in words, or None: with PETSc's own matrices, and with kind (see
    in_aijs_words()) in their place. Blanks do not count, integers must be equal, other numbers up to rounding.

    >>> first_difference("type: mpiaij\\n 0.5000000001", "type:  mpiaijspec\\n 0.5", "aijspec")
    >>> first_difference("PC\\n  rows=4", "PC\\n  petscspmv: factors are ours, of 8 bytes\\n  rows=4", "ccoo")
    >>> first_difference("  AGG\\n  Complexity", "  AGG\\n  petscspmv: prolongators are ours\\n  Complexity", "ccoo")
    >>> print(first_difference("type: mpiaij, rows=4", "type: mpiaijspec, rows=5", "aijspec"))
    aij:  type: mpiaij, rows=4
    ours: type: mpiaij, rows=5
    """
    a, b = ([line for line in in_aijs_words(text, kind).splitlines() if line.strip()] for text in (expected, found))
    for line_a, line_b in zip(a, b):
        if line_a != line_b and not _same_line(line_a, line_b):
            return f"aij:  {line_a.strip()}\nours: {line_b.strip()}"
    if len(a) != len(b):
        more, name = (a, "aij") if len(a) > len(b) else (b, "ours")
        return f"{name} alone has {len(more) - min(len(a), len(b))} more lines, the first: {more[min(len(a), len(b))].strip()}"
    return None
