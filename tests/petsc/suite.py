#!/usr/bin/env python3
"""PETSc's test suite, once with plain AIJ matrices and once with -mat_spmv, so that all of them multiply by a method of ours; lists
what only ours loses.

scripts/check-petsc runs it. PETSc's own generator makes a script of every test; the scripts run as they are, but for
mpiexec and petscdiff, which standin.py stands in for. Results are kept in WORK/results.jsonl: an interrupted run goes on.
"""

import argparse
import fnmatch
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass
from pathlib import Path

from outputs import without_aij
from standin import Settings

HERE = Path(__file__).parent
FOLDERS = ["mat/tests", "mat/tutorials", "ksp/ksp/tests", "ksp/ksp/tutorials", "snes/tutorials"]
SCRIPT_LIMIT = 1800  # seconds; a script may run dozens of programs, each with a limit of its own


# ------------------------------------------------------------------------------------------------ PETSc's scripts


class Test:
    """One script of PETSc's: a program with one set of arguments, on one or several numbers of ranks."""

    def __init__(self, path):
        text = path.read_text(errors="replace")
        self.path = path
        self.label = self.setting("label='(.*)'", text)
        self.program = path.parent / self.setting(r"exec(?:utable)?='\.\./(.*)'", text)  # exec up to PETSc 3.20
        self.mpiexec = self.setting('mpiexec=.*PETSCMPIEXEC:-"(.*)"', text)
        self.bin = self.setting("petsc_bindir='(.*)'", text)
        requires = re.search(r'if ! \$force; then\s+(if test -z "\$\{DATAFILESPATH\}")?.*?SKIP (.*)"', text, re.DOTALL)
        self.skipped = requires is not None and not (requires[1] and os.environ.get("DATAFILESPATH"))

    def setting(self, pattern, text):
        found = re.search(f"^{pattern}", text, re.MULTILINE)
        if not found:
            sys.exit(f"{self.path} has no line '{pattern}': this PETSc writes its scripts in another way, which {__file__} has to learn.")
        return found[1]


def make(options, *arguments, **keywords):
    return subprocess.run(
        ["make", "-f", options.makefile, f"PETSC_DIR={options.petsc_dir}", f"PETSC_ARCH={options.petsc_arch}",
         f"TESTDIR={options.scripts}", f"-j{options.jobs}", *arguments],
        cwd=options.work, stderr=subprocess.STDOUT, **keywords)  # fmt: skip


def generate(options):
    """Makes PETSc's test scripts; the names of those that require what is asked for, or None if nothing is."""
    query = ["query=requires", f"queryval=*{options.requires}*"] if options.requires else ["s=none"]
    done = make(options, "-s", "print-test", *query, stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(f"PETSc's test scripts could not be generated:\n{done.stdout[-3000:]}")
    return set(done.stdout.split()) if options.requires else None


def selected(options, required):
    tests = [Test(path) for folder in FOLDERS for path in sorted(options.scripts.glob(f"{folder}/run*.sh"))]
    tests = [test for test in tests if any(fnmatch.fnmatch(test.label, pattern) for pattern in options.tests)]
    if required is not None:
        tests = [test for test in tests if test.label in required]
    if not tests:
        sys.exit(f"None of PETSc's tests is called {' or '.join(options.tests)}. The names look like mat_tests-ex5_11_A or ksp_ksp_tutorials-*.")
    return [test for test in tests if not test.skipped], [test for test in tests if test.skipped]


def compile_programs(options, tests):
    programs = sorted({str(test.program) for test in tests if not test.program.exists()})
    if not programs:
        return
    print(f"Compiling {len(programs)} programs of PETSc's; the compiler's words go to {options.work}/compile.log", flush=True)
    with open(options.work / "compile.log", "w") as log:
        for i in range(0, len(programs), 40):
            make(options, "-k", *programs[i : i + 40], stdout=log)
            print(f"  {min(i + 40, len(programs))} of {len(programs)}", flush=True)


# ------------------------------------------------------------------------------------------------ one test

AGAIN = "aij-again"  # aij in the role of our type: does a test print the same twice?


def run_script(options, test, kind, record):
    """Runs the script with aij (kind None) or a type; whether each thing that it reports was ok, and a comment if not."""
    ours = [] if kind in (None, AGAIN) else ["-dll_append", options.plugin, "-mat_spmv", kind, *without_aij(kind)]
    settings = Settings(kind, ours + options.more, test.mpiexec, f"{test.bin}/petscdiff", str(record))
    standin = f"{sys.executable} -B {HERE / 'standin.py'}"
    environment = os.environ | settings.to_environment() | {
        "PETSCMPIEXEC": f"{standin} mpiexec", "PETSCDIFF": f"{standin} diff", "OMP_NUM_THREADS": "1",
    }  # fmt: skip
    process = subprocess.Popen(
        ["bash", str(test.path), "-t", str(options.timeout)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", env=environment, start_new_session=True)  # fmt: skip
    try:
        output, _ = process.communicate(timeout=SCRIPT_LIMIT)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
    (record / f"{kind or 'aij'}.txt").write_text(output)
    return read_report(output)


def read_report(output):
    """PETSc's harness reports in the Test Anything Protocol. A script may do the same thing twice under one name."""
    report, seen = {}, Counter()
    for bad, label, comment in re.findall(r"^(not)? *ok (\S+)(?: # (.*))?$", output, re.MULTILINE):
        if not comment.startswith("SKIP"):
            seen[label] += 1
            report[label if seen[label] == 1 else f"{label}#{seen[label]}"] = (not bad, comment)
    return report


def compare(options, test, kind):
    """Runs a test with aij and with a type. For each thing that it reports: ok with aij, ok with the type, and what differs."""
    record = options.work / "outputs" / test.label
    shutil.rmtree(record, ignore_errors=True)
    record.mkdir(parents=True)
    of_aij = run_script(options, test, None, record)
    of_type = run_script(options, test, kind, record)
    written = record / "differences"
    differences = [json.loads(line) for line in written.read_text().splitlines()] if written.exists() else []
    difference_of = dict(zip((label for label in of_type if label.startswith("diff-")), differences))

    items = []
    for label, (aij_ok, _) in of_aij.items():
        type_ok, comment = of_type.get(label, (False, ""))
        if label in difference_of:  # what aij prints is the measure, right or wrong; PETSc's own file is another one's
            difference = difference_of[label]
        elif aij_ok and not type_ok and not (label.startswith("diff-") and label not in of_type):
            difference = comment or "it did not get that far"
        else:
            difference = None
        items.append({"label": label, "aij": aij_ok, "ours": type_ok, "difference": difference})
    return items


def lost(items):
    return {item["label"]: item["difference"] for item in items if item["difference"]}


def judge(options, test):
    """The result of a test, after a second try if anything is lost: a limit of time may have been the machine's fault."""
    start = time.time()
    items = compare(options, test, options.type)
    result = {"test": test.label, "irreproducible": []}
    if lost(items):
        again = compare(options, test, AGAIN)
        result["irreproducible"] = sorted(lost(again))
        items = compare(options, test, options.type)
        for item in items:
            if item["label"] in result["irreproducible"]:
                item["difference"] = None
    return result | {"items": items, "seconds": round(time.time() - start, 1)}


# ------------------------------------------------------------------------------------------------ all tests


class Journal:
    """Results of a run that was interrupted, one line each. They do not outlive the plugin that they were got with."""

    def __init__(self, options):
        self.path = options.work / "results.jsonl"
        if self.path.exists() and self.path.stat().st_mtime < Path(options.plugin).stat().st_mtime:
            self.path.unlink()
        lines = self.path.read_text().splitlines() if self.path.exists() else []
        self.results = {result["test"]: result for result in map(json.loads, lines)}

    def add(self, result):
        self.results[result["test"]] = result
        with open(self.path, "a") as file:
            file.write(json.dumps(result) + "\n")

    def take(self, tests):
        """The results of a run that is finished; the next one begins anew."""
        taken = [self.results.pop(test.label) for test in tests]
        self.path.rename(self.path.with_name("finished.jsonl"))
        for result in list(self.results.values()):
            self.add(result)
        return taken


def run_all(options, tests):
    journal, start = Journal(options), time.time()
    rest = [test for test in tests if test.label not in journal.results]
    if len(rest) < len(tests):
        print(f"{len(tests) - len(rest)} of {len(tests)} tests were done before the interruption (delete {journal.path} to run them again)")
    with ThreadPoolExecutor(options.jobs) as pool:
        for i, future in enumerate(as_completed([pool.submit(judge, options, test) for test in rest]), start=1):
            journal.add(future.result())
            if i % 50 == 0:
                print(f"  {i} of {len(rest)} tests, {(time.time() - start) / 60:.0f} min", flush=True)
    return journal.take(tests)


@dataclass(frozen=True)
class KnownLoss:
    pattern: str  # of names
    words: str  # that are in what differs: another loss of the same test is not this one
    reason: str

    def covers(self, label, difference):
        return fnmatch.fnmatch(label, self.pattern) and self.words in difference


def read_known_losses(path):
    lines = [line for line in path.read_text().splitlines() if line.strip() and not line.startswith("#")]
    return [KnownLoss(*(cell.strip() for cell in line.split("|", 2))) for line in lines]


def report(options, results, skipped):
    """Prints the figures; returns whether all is well: most was compared, and nothing is lost but what is known to be.

    >>> runs = [{"label": "mat_tests-ex1_1", "aij": False, "ours": False, "difference": None}]
    >>> options = argparse.Namespace(type="ccoo", known=Path(os.devnull), work=Path())
    >>> report(options, [{"items": runs, "irreproducible": []}], [])  # doctest: +ELLIPSIS
    <BLANKLINE>
    1 tests ran; ...
    More than half of the programs did not run to their end with aij, so too little was compared; what they said is in outputs.
    False
    >>> report(options, [], [])  # doctest: +ELLIPSIS
    <BLANKLINE>
    0 tests ran; ...
    False
    """
    items = [item for result in results for item in result["items"]]
    runs = [item for item in items if not item["label"].startswith("diff-")]
    outputs = [item for item in items if item["label"].startswith("diff-")]
    known = read_known_losses(options.known)
    all_lost = lost(items)
    covered = {label: loss for label, difference in all_lost.items() for loss in known if loss.covers(label, difference)}
    unknown = [label for label in all_lost if label not in covered]
    stale = [k for k in known if k not in covered.values() and any(fnmatch.fnmatch(item["label"], k.pattern) for item in items)]

    print(f"\n{len(results)} tests ran; {len(skipped)} need what this PETSc was not built with, or files that are not here.")
    for name, some in ("programs ran to their end", runs), ("outputs are those in PETSc's files", outputs):
        print(f"{len(some)} {name.split()[0]}: {sum(i['aij'] for i in some)} {name.split(' ', 1)[1]} with aij, {sum(i['ours'] for i in some)} with {options.type}")
    irreproducible = sum(len(result["irreproducible"]) for result in results)
    print(f"{irreproducible} outputs are not the same in two runs with aij, and were not compared.")
    print(f"Lost: {len(all_lost)}, of these known: {len(all_lost) - len(unknown)} ({options.known})")
    for loss, number in Counter(covered.values()).items():
        print(f"  known, {number} of {loss.pattern}: {loss.reason}")
    for label in unknown:
        print(f"  NOT KNOWN: {label}\n    " + all_lost[label].replace("\n", "\n    "))
    for loss in stale:
        print(f"  no longer lost: {loss.pattern} ({loss.reason}); take it from the list, unless it depends on the machine")
    compared = 0 < len(runs) <= 2 * sum(item["aij"] for item in runs)
    if not compared:
        print("More than half of the programs did not run to their end with aij, so too little was compared; "
              f"what they said is in {options.work / 'outputs'}.")
    return compared and not unknown


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tests", nargs="*", default=["*"], help="names, with * and ?; default: all")
    parser.add_argument("--makefile", required=True, help="PETSc's gmakefile.test")
    parser.add_argument("--petsc-dir", required=True)
    parser.add_argument("--petsc-arch", default="")
    parser.add_argument("--plugin", required=True, help="libpetscspmv.so")
    parser.add_argument("--work", required=True, type=Path, help="folder for scripts, programs, outputs, results")
    parser.add_argument("--type", default="aijspec")
    parser.add_argument("--requires", help="only tests that require this package, for instance cuda")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--timeout", type=int, default=60, help="seconds for one program")
    parser.add_argument("--known", type=Path, default=HERE / "known-losses.txt")
    parser.add_argument("--more", default="", help="more PETSc options for both, as one word")
    options = parser.parse_args()
    options.tests = options.tests or ["*"]
    options.more = options.more.split()
    options.work = options.work.resolve()
    options.scripts = options.work / "tests"
    options.scripts.mkdir(parents=True, exist_ok=True)

    tests, skipped = selected(options, generate(options))
    compile_programs(options, tests)
    results = run_all(options, tests)
    return 0 if report(options, results, skipped) else 1


if __name__ == "__main__":
    sys.exit(main())
