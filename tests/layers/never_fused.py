#!/usr/bin/env python3
"""Each source that has kernels of sweeps or factors is compiled without fused multiply-adds.

    never_fused.py <compile_commands.json> <src/mat>
"""

import json
import pathlib
import re
import sys

KERNELS = {"impls/sweeps/solve.hpp", "impls/sweeps/blocks_solve.hpp", "impls/sweeps/factor.hpp"}
top = pathlib.Path(sys.argv[2])


def headers(path, seen):
    for name in re.findall(r'#include "(.*)"', path.read_text()):  # of a copy for a flavour of PETSc: the source itself
        if name not in seen and (top / name).exists():
            seen.add(name)
            headers(top / name, seen)
    return seen


sources = [e for e in json.load(open(sys.argv[1])) if "/src/mat/" in e["file"]]
theirs = [e for e in sources if headers(pathlib.Path(e["file"]), set()) & KERNELS]
fused = [e["file"] for e in theirs if "-ffp-contract=off" not in e["command"]]
print("\n".join(f"{file} has kernels of sweeps or factors, and the compiler may fuse them" for file in fused))
print(f"{len(theirs)} of {len(sources)} sources")
sys.exit(bool(fused) or len(theirs) < 2)
