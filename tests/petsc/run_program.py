#!/usr/bin/env python3
"""One line of programs.txt: a program of PETSc's, run with aij (on a device aijcusparse) and with types of ours in its place.

All runs of a line are made with the first type of petscspmv.h. What the glue does is the same for all types, so that a program's last run
is enough for another one, which programs have in turn, and none is needed where there are no products.

run_program.py --list                      what there is to run: name, ranks, program
run_program.py NAME --programs DIR ...     runs one line; a difference is a failure
"""

import argparse
import itertools
import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from outputs import first_difference, implementation, in_words_of_the_host, without_aij

# A kind of run is a type, or this and a method that PETSc's own matrices are attached to.
ATTACHED = "-mat_spmv "

HERE = Path(__file__).parent
TABLE = HERE / "programs.txt"
HEADERS = [HERE / "petscspmv.h", HERE / "../../include/petscspmv.h"]  # in the bundle, in the checkout


@dataclass
class Row:
    name: str
    program: str
    ranks: list
    products: str
    scalars: str
    arguments: str


def read_table():
    seen, rows = Counter(), []
    for line in TABLE.read_text().splitlines():
        if not line.strip() or line.startswith("#"):
            continue
        program, ranks, products, scalars, arguments, _why = (cell.strip() for cell in line.split("|"))
        seen[program] += 1
        name = f"{program.replace('/', '.')}.{seen[program]}"
        rows.append(Row(name, program, [int(n) for n in ranks.split(",")], products, scalars, arguments))
    return rows


def known_types():
    [header, *_] = [path for path in HEADERS if path.exists()]
    names = re.findall(r'^#define MAT(?!SOLVER|ORDERING)[A-Z]+ +"([a-z]+)"$', header.read_text(), re.MULTILINE)
    return [name for name in names if not name.startswith(("seqaij", "mpiaij"))]


def types_for(name):
    """The first type, and one of the others, in turn."""
    first, *others = known_types()
    return [first, others[sum(name.encode()) % len(others)]]


def alternatives(arguments):
    """"-a {{0 1}} -b" is "-a 0 -b" and "-a 1 -b"."""
    pieces = re.split(r"\{\{([^{}]*)\}\}", arguments)
    choices = [piece.split() if i % 2 else [piece] for i, piece in enumerate(pieces)]
    return ["".join(choice) for choice in itertools.product(*choices)]


def on_device(arguments):
    """Options: vectors on a device, also those of a DM that makes a matrix there, through any MPI."""
    prefixes = ["", *re.findall(r"-(\w*dm_)mat_type", arguments)]
    from_device = os.environ.get("USE_GPU_AWARE_MPI", "0")  # which the bundle sets
    return [word for prefix in prefixes for word in (f"-{prefix}vec_type", "cuda")] + ["-use_gpu_aware_mpi", from_device]


def without_options_left(output):
    """What a program printed, and what PETSc adds with -options_left: a table of all options (up to 3.24), and those that were not used."""
    output = output.replace("There are no unused options.\n", "")
    found, *options_left = re.split(r"^(#PETSc Option Table entries:|WARNING! There are options you set)", output, maxsplit=1, flags=re.MULTILINE)
    return found, "".join(options_left)


class Runner:
    def __init__(self, options, row, scratch):
        self.options, self.row, self.log, self.stderr = options, row, scratch / "log.txt", scratch / "stderr.txt"
        self.petscs = "aijcusparse" if options.device else "aij"
        flavour = f"{options.scalars}-int{options.index_bits}-float64"
        spd, unsymmetric = ("hpd", "nh") if options.scalars == "complex" else ("spd", "ns")
        self.files = {"spd": f"{options.matrices}/{spd}-{flavour}", "unsymmetric": f"{options.matrices}/{unsymmetric}-{flavour}"}

    def command(self, ranks, arguments, kind):
        types = {"aij": kind, "seqaij": implementation(kind, 1), "mpiaij": implementation(kind, 2)}
        for key, value in {**types, **self.files}.items():
            arguments = arguments.replace(f"{{{key}}}", value)
        launch = [*shlex.split(self.options.mpiexec), "-n", str(ranks), *self.apart()] if ranks > 1 else []
        more = on_device(arguments) if self.options.device else []
        return [*launch, f"{self.options.programs}/{self.row.program}", *shlex.split(arguments), *more]

    def apart(self):
        """Begins the command of a rank: its stderr goes into a file, and not through mpiexec, of which some put it into the middle of lines of stdout."""
        return ["sh", "-c", f'exec "$0" "$@" 2>>{shlex.quote(str(self.stderr))}']

    def run(self, ranks, arguments, kind, *more):
        command = [*self.command(ranks, arguments, kind), *more]
        self.stderr.write_text("")
        # stderr is not compared: what MPI says of the machine is there, and differs from run to run.
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", timeout=600)
        return shlex.join(command), done.returncode, done.stdout if done.returncode == 0 else done.stdout + done.stderr + self.stderr.read_text()

    def complaint(self, ranks, arguments, kinds):
        """Runs it with PETSc's matrices and each of the types, and says what is wrong with the first that is wrong, or None."""
        command, status, expected = self.run(ranks, arguments, self.petscs)
        if status != 0:
            return f"PETSc's own {self.petscs} ends with status {status}; nothing to compare with:\n{command}\n{expected[-2000:]}"
        expected, _ = without_options_left(expected)
        complaints = (self.complaint_of(kind, ranks, arguments, expected) for kind in kinds)
        return next((complaint for complaint in complaints if complaint), None)

    def complaint_of(self, kind, ranks, arguments, expected):
        more = ["-dll_append", self.options.plugin, "-log_view", f":{self.log}", "-options_left", "yes"]
        method, matrices = kind, kind
        if kind.startswith(ATTACHED):
            method, matrices = kind.removeprefix(ATTACHED), self.petscs
            more += kind.split()
        for prefix in ("", *re.findall(r"-(\w+_)mat_type", arguments)):
            more += without_aij(method, prefix)
        command, status, output = self.run(ranks, arguments, matrices, *more)
        if status != 0:
            return f"with {kind} it ends with status {status}:\n{command}\n{output[-4000:]}"
        found, options_left = without_options_left(output)
        if re.search(rf"Option left: .*value: \S*{method}", options_left):
            return f"the program never looked at the option with the type, so this run tests nothing:\n{command}"
        difference = first_difference(*map(in_words_of_the_host, (expected, found)), matrices)
        if difference:
            return f"the output with {kind} is another one:\n{command}\n{difference}"
        if self.must_multiply(kind) and not re.search(r"^MatSpMVProduct\s+[1-9]", self.log.read_text(), re.MULTILINE):
            return f"no product went through {kind}:\n{command}"
        return None

    def must_multiply(self, kind):
        keeps_method = kind.startswith(ATTACHED) or not self.options.device
        return self.row.products == "yes" or (self.row.products == "host" and keeps_method)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("name", nargs="?")
    parser.add_argument("--list", action="store_true")
    parser.add_argument("--programs", help="folder of the compiled programs")
    parser.add_argument("--plugin", help="libpetscspmv.so")
    parser.add_argument("--matrices", help="PETSc's share/petsc/datafiles/matrices")
    parser.add_argument("--types", help="separated by commas; the first of petscspmv.h, and another one for each program in turn")
    parser.add_argument("--mpiexec", default="mpiexec")
    parser.add_argument("--device", action="store_true", help="with vectors on a device, except where the table says that they cannot be")
    parser.add_argument("--scalars", choices=["real", "complex"], default="real", help="PETSc's")
    parser.add_argument("--index-bits", choices=["32", "64"], default="32", help="PETSc's")
    options = parser.parse_args()

    rows = read_table()
    if options.list:
        for row in rows:
            if not (options.device and "host" in row.scalars) and not (options.scalars == "complex" and "real" in row.scalars):
                print(row.name, max(row.ranks), row.program)
        return 0
    [row] = [row for row in rows if row.name == options.name]
    os.environ.pop("PETSC_OPTIONS", None)  # what the user has there must not change the outputs
    with tempfile.TemporaryDirectory() as scratch:
        os.chdir(scratch)
        runner = Runner(options, row, Path(scratch))
        types = options.types.split(",") if options.types else types_for(options.name)
        runs = list(itertools.product(row.ranks, alternatives(row.arguments)))
        for ranks, arguments in runs:
            last = row.products != "no" and (ranks, arguments) == runs[-1]
            kinds = [*types, ATTACHED + "ccoo"] if last else types[:1]
            complaint = runner.complaint(ranks, arguments, kinds)
            if complaint:
                print(f"{row.name} on {ranks} ranks: {complaint}")
                return 1
            print(f"same output on {ranks} ranks with {', '.join(kinds)}: {arguments}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
