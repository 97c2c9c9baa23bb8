#!/usr/bin/env python3
"""Stands in for mpiexec and petscdiff in PETSc's test scripts (their variables PETSCMPIEXEC and PETSCDIFF), once in a run of a
script with aij and once in one with a type of ours. It keeps what the first run printed, and says what the second printed else.

standin.py mpiexec -n RANKS PROGRAM ARGUMENT...
standin.py diff [-F FILTER] [-f FILTER] EXPECTED FOUND
"""

import hashlib
import json
import os
import shlex
import subprocess
import sys
from pathlib import Path

from outputs import first_difference, in_aijs_words

SETTINGS_VARIABLE = "PETSCSPMV_STANDIN"
TIMED_OUT = 110  # the status by which PETSc's harness knows it


class Settings:
    """From the driver, by an environment variable. kind: None in the run with aij."""

    def __init__(self, kind, options, mpiexec, petscdiff, record):
        self.kind, self.options, self.mpiexec, self.petscdiff, self.record = kind, options, mpiexec, petscdiff, record

    def to_environment(self):
        return {SETTINGS_VARIABLE: json.dumps(vars(self))}

    @staticmethod
    def from_environment():
        return Settings(**json.loads(os.environ[SETTINGS_VARIABLE]))


def next_free(folder, stem):
    """folder/stem.0, or .1 if that is there, ...: a script may do the same thing several times."""
    k = 0
    while (path := Path(folder) / f"{stem}.{k}").exists():
        k += 1
    return path


def mpiexec(settings, arguments):
    ranks = int(arguments[arguments.index("-n") + 1])
    command = arguments[arguments.index("-n") + 2 :]
    more = settings.options + ([] if "-options_left" in command else ["-options_left", "no"])
    launch = [*shlex.split(settings.mpiexec), "-n", str(ranks)] if ranks > 1 else []
    one_stream = os.path.sameopenfile(1, 2)  # a script that tests an error message wants both, in their order
    limit = int(os.environ.get("MPIEXEC_TIMEOUT", 60))
    process = subprocess.Popen(
        [*launch, *command, *more], stdout=subprocess.PIPE, stderr=subprocess.STDOUT if one_stream else None
    )
    try:
        output, _ = process.communicate(timeout=limit + (5 if launch else 0))  # mpiexec keeps the limit itself
        status = process.returncode
    except subprocess.TimeoutExpired:
        process.kill()
        output, _ = process.communicate()
        status = TIMED_OUT
    text = output.decode(errors="surrogateescape")
    text = in_aijs_words(text, settings.kind) if settings.kind else text
    sys.stdout.buffer.write(text.encode(errors="surrogateescape"))

    digest = hashlib.sha1(json.dumps([ranks, command]).encode()).hexdigest()[:12]
    (Path(settings.record) / "latest").write_text(digest)
    return status if status >= 0 else 128 - status


def filtered(path, filter_command):
    if not filter_command:
        return Path(path).read_text(errors="surrogateescape")
    return subprocess.run(
        f"cat {shlex.quote(path)} | {filter_command}", shell=True, stdout=subprocess.PIPE, text=True, errors="surrogateescape"
    ).stdout


def diff(settings, arguments):
    """petscdiff's verdict is what PETSc's harness gets. Ours is written down besides: the difference to aij, in a run with ours."""
    status = subprocess.run([settings.petscdiff, *arguments]).returncode
    filter_command = arguments[arguments.index("-F") + 1] if "-F" in arguments else None
    found = filtered(arguments[-1], filter_command)

    record = Path(settings.record)
    latest = record / "latest"
    kept = next_free(record, f"{latest.read_text() if latest.exists() else 'none'}-{settings.kind or 'aij'}")
    kept.write_text(found, errors="surrogateescape")
    if settings.kind:
        of_aij = record / kept.name.replace(f"-{settings.kind}.", "-aij.")
        verdict = None
        if of_aij.exists():
            verdict = first_difference(of_aij.read_text(errors="surrogateescape"), found, settings.kind)
        with open(record / "differences", "a") as file:
            file.write(json.dumps(verdict) + "\n")
    return status


if __name__ == "__main__":
    what = {"mpiexec": mpiexec, "diff": diff}[sys.argv[1]]
    sys.exit(what(Settings.from_environment(), sys.argv[2:]))
