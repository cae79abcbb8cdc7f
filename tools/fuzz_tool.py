#!/usr/bin/env python3
"""Runs the tool on random tables, bytes and options, and compares what must agree.

  tools/fuzz_tool.py --seconds 120            tries cases of seed 1 with build/bin/upsweep
  tools/fuzz_tool.py --seed 7 --case 1234     runs one case of a seed again
  tools/fuzz_tool.py --tool PROGRAM --checks survives,same_forms

A case is made from the seed and its number alone, by one of the checks in tools/fuzz_checks.py.
Each finding is printed with the command line that repeats it, and its files are stored in the
folder --findings, with the command lines of the tool in commands.txt. The exit status is 1 if there
was a finding.
"""

import argparse
import os
import random
import resource
import shlex
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SECONDS = 5  # of processor time: a busy machine is no hang


class finding(Exception):
    """What is wrong; the last command of the tool shows it."""


class runner:
    """The tool in the folder of a case; keeps the command lines for the report."""

    def __init__(self, program, folder):
        self.program, self.folder, self.commands = program, Path(folder), []

    def write(self, name, content):
        (self.folder / name).write_bytes(content)

    def __call__(self, *args, stdin=None):
        """Status (negative: a signal), stdout and stderr. stdin is the name of a file."""
        self.commands.append(shlex.join(["upsweep", *args]) + (f" < {stdin}" if stdin else ""))
        try:
            done = subprocess.run(
                [self.program, *args],
                input=(self.folder / stdin).read_bytes() if stdin else b"",
                capture_output=True,
                cwd=self.folder,
                timeout=60,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS + 1)),
            )
        except subprocess.TimeoutExpired:
            raise finding("does not end in 60 s") from None
        if done.returncode < 0:
            raise finding(f"ends with signal {-done.returncode} (24: {SECONDS} s are over)")
        return done.returncode, done.stdout, done.stderr.decode("utf-8", "replace")

    def text(self, *args, stdin=None):
        """stdout of a run that must succeed in silence."""
        status, out, errors = self(*args, stdin=stdin)
        if status or errors:
            raise finding(f"status {status}: {errors}")
        return out.decode()


def try_case(options, checks, number):
    """Prints and stores what is wrong with a case; whether there was something."""
    source = random.Random(f"{options.seed} {number}")
    name = source.choice(options.checks)
    with tempfile.TemporaryDirectory() as folder:
        run = runner(options.tool, folder)
        try:
            checks[name](source, run)
            return False
        except finding as wrong:
            message = str(wrong).strip()
        except (ValueError, IndexError, StopIteration) as wrong:  # output that cannot be read
            message = f"what it prints is not expected: {wrong!r}"
        kept = Path(options.findings, f"{options.seed}-{number}")
        shutil.copytree(folder, kept, dirs_exist_ok=True)
        (kept / "commands.txt").write_text("\n".join([*run.commands, message, ""]))
    again = ["tools/fuzz_tool.py", f"--seed={options.seed}", f"--case={number}"]
    again += [f"--checks={','.join(options.checks)}", f"--tool={options.tool}"]
    print(
        f"{name}: {message}\n  cd {kept} && {run.commands[-1]}\n  {shlex.join(again)}", flush=True
    )
    return True


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--tool", default=str(ROOT / "build/bin/upsweep"))
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--case", type=int, help="run this case only")
    parser.add_argument("--checks", help="comma-separated; default: all")
    parser.add_argument("--findings", default=str(ROOT / "build/fuzz_findings"))
    options = parser.parse_args()
    options.tool = os.path.abspath(options.tool)
    if not os.access(options.tool, os.X_OK):
        parser.error(f"{options.tool} cannot be run; build it, or name it by --tool")
    os.environ["UPSWEEP_TOOL"] = options.tool  # for option_pairs, which reads its help pages
    sys.path.insert(0, str(ROOT / "tests" / "cli"))
    from fuzz_checks import CHECKS

    options.checks = options.checks.split(",") if options.checks else list(CHECKS)
    if unknown := set(options.checks) - set(CHECKS):
        parser.error(f"no check {', '.join(sorted(unknown))}; there are {', '.join(CHECKS)}")
    if options.case is not None:
        return int(try_case(options, CHECKS, options.case))
    end, tried, found = time.monotonic() + options.seconds, 0, 0
    while time.monotonic() < end:
        found += try_case(options, CHECKS, tried)
        tried += 1
    print(f"seed {options.seed}: {tried} cases, {found} findings")
    return int(found > 0)


if __name__ == "__main__":
    sys.modules["fuzz_tool"] = sys.modules["__main__"]  # whose `finding` the checks raise
    sys.exit(main())
