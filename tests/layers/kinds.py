#!/usr/bin/env python3
"""Which files name a kind of piece of impls/ccoo/device besides its own folder and the two lists.

    kinds.py <src/mat>

A file names a kind that includes a file of its folder or says the name of its class, and in impls/ccoo/device also that
says the name of one of its arrays, or a word of the kind's own. Whoever deletes a kind changes these files: `elsewhere`
has them, and the test fails where there are others, or fewer.
"""

import pathlib
import re
import sys

lists = {"kinds.hpp", "kinds.cuh"}
limits = {"matrix.hpp", "matrix.cpp", "real.cu", "complex.cu"}  # how many a device has room for
elsewhere = {
    # rows that look alike, some of which slide; chunks share kernels with them
    "unit": {"slide/slide_image.hpp", "slide/slide_kernel.cuh", "chunk/chunk_launch.cuh", "tiles.cuh"},
    "slide": set(),
    "node": set(),
    # all that no other kind takes; tables of batches are theirs
    "chunk": {"batch/batch_image.hpp", "batch/batch_launch.cuh", "image.hpp", "stored.cuh"} | limits,
    # a whole matrix instead of all others
    "batch": {"image.cpp", "stored.cuh", "tiles.cuh"} | limits,
}
words = {"unit": r"Unit\w*", "slide": r"\w*[Ss]lid\w*", "node": r"Node\w*", "chunk": r"\w*hot_columns", "batch": r"\w*[Bb]atche[sd]\w*"}


def code(path):
    return re.sub(r"//.*", "", path.read_text())


def main():
    device = pathlib.Path(sys.argv[1]) / "impls/ccoo/device"
    folders = {p.name for p in device.iterdir() if p.is_dir()}
    wrong = [f"{device} has kinds that elsewhere{set(elsewhere)} has not, or not those: {folders}"] if folders != set(elsewhere) else []
    files = {str(p.relative_to(device)): code(p) for p in sorted(device.rglob("*.*"))}
    files |= {"../" + p.name: code(p) for p in sorted(device.parent.rglob("*.[hc]pp")) if device not in p.parents}
    for kind in sorted(folders & set(elsewhere)):
        arrays = re.findall(r"visit\(\"[^\"]*\", m\.(\w+)\.\.\.\)", files[f"{kind}/{kind}_image.hpp"])
        if not arrays:
            wrong.append(f"{kind}/{kind}_image.hpp names no arrays in for_each_array()")
        image = r"\b(m|m_|arrays|layout|a|arrays\(\))"  # what has the arrays of an image; in host code, `a` is a matrix
        names = set()
        for file, text in files.items():
            named = rf"ccoo/device/{kind}/|\b{kind.capitalize()}Kind\b"
            if not file.startswith("../"):
                of_image = image if file.endswith(".cuh") else image.replace("|a|", "|")
                named += rf"|{of_image}\.({'|'.join(arrays)})\b|\b{words[kind]}\b"
            if not file.startswith(kind + "/") and file not in lists and re.search(named, text):
                names.add(file)
        if names != elsewhere[kind]:
            wrong.append(f"{kind} is named in {sorted(names)}, and not in {sorted(elsewhere[kind])}")
    print("\n".join(wrong) or f"{len(files)} files, {len(folders)} kinds")
    return 1 if wrong else 0


sys.exit(main())
