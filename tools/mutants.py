#!/usr/bin/env python3
"""Plants small faults in a copy of the tree and counts how many of them the tests notice.

  tools/mutants.py io                      40 faults in the room `io` of tools/mutants.toml
  tools/mutants.py io upsweep/host --count 100 --seed 7 --jobs 8
  tools/mutants.py io --files 'io/npy_*' --json result.json
  tools/mutants.py io --list               prints the faults that would be planted, and ends

For each fault, the programs of its room are built and run one by one, until one fails.
A fault is killed if a test fails, crashes or takes ten times as long as without it (30 s at least);
it survives if all pass. Faults that do not compile are replaced by others, and so are those after
which every object file has the same bytes as before. Faults that tools/mutants.toml sets aside with
a reason (no test can notice them) and those in headers of more than its `most_objects` object files
are not planted. The exit status is 1 if a room has fewer than its `least` percent killed, or a test
fails without a fault.

The tree is copied to FOLDER (build-mutants), once for each of `--jobs`, and built there: the
sources are never changed, and an interrupted run leaves nothing to repair.
"""

import argparse
import concurrent.futures
import fnmatch
import hashlib
import json
import math
import os
import queue
import random
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path, PurePath

sys.path.insert(0, str(Path(__file__).resolve().parent))
import check_rooms  # noqa: E402
import cpp_text  # noqa: E402
import mutations  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
KILLED, SURVIVED = "killed", "survived"
BROKEN, SAME = "does not compile", "same code"
MOST_SECONDS = 300  # for a program, or a test of ctest, without a fault


class copy_of_tree:
    """A copy of the checkout with a build of its own."""

    def __init__(self, folder, room, cores, options):
        self.folder, self.room, self.cores = folder, room, cores
        self.preset = options.preset
        self.programs = list(room.get("programs", []))  # the last that failed comes first
        self.limits = {}  # seconds, of a program and of a test of ctest
        self.objects, self.digests = {}, {}  # of a source: object files; of these: SHA-256
        self.environment = os.environ | {
            "CCACHE_BASEDIR": str(folder.parent),
            "CCACHE_NOHASHDIR": "1",
            "PYTHONDONTWRITEBYTECODE": "1",
        }

    def update(self):
        """Copies what changed; times are kept, so that only it is compiled again."""
        wanted = set(check_rooms.listed_files())
        for name in wanted:
            source, target = ROOT / name, self.folder / name
            if target.is_file() and target.read_bytes() == source.read_bytes():
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, target)
            shutil.copymode(source, target)
        if not (self.folder / ".git").exists():  # some tests ask git for the files
            self.run(["git", "init", "-q"], 60)
        self.run(["git", "add", "-A"], 60)

    def run(self, command, seconds):
        """(exit status, output); the status is None after `seconds`. Ends whatever it started."""
        with subprocess.Popen(
            command,
            cwd=self.folder,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            process_group=0,
            text=True,
            errors="replace",
        ) as process:
            try:
                output = process.communicate(timeout=seconds)[0]
                return process.returncode, output
            except subprocess.TimeoutExpired:
                return None, ""
            finally:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass

    def configure(self):
        status, output = self.run(
            ["cmake", "--preset", self.preset, "-G", "Ninja", "--log-level=WARNING"], 600
        )
        if status != 0:
            sys.exit(f"mutants: the copy in {self.folder} cannot be configured:\n{output}")

    def build(self, *targets):
        targets = targets or (*self.room["targets"], *self.programs)
        return self.run(["ninja", "-C", "build", f"-j{self.cores}", *targets], 3600)

    def digest(self, target):
        """Of an object file; empty if there is none, as after a fault that does not compile."""
        path = self.folder / "build" / target
        return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else ""

    def note_objects(self):
        """Reads from ninja which object files each source makes, and keeps their digests."""
        targets = [*self.room["targets"], *self.programs]
        inputs = self.run(["ninja", "-C", "build", "-t", "inputs", *targets], 60)[1].splitlines()
        wanted = {line for line in inputs if line.endswith(".o")}
        self.digests = {target: self.digest(target) for target in wanted}
        target, root = "", self.folder.resolve()
        for line in self.run(["ninja", "-C", "build", "-t", "deps"], 60)[1].splitlines():
            if not line.startswith(" "):
                target = line.split(": #")[0]
            elif target in wanted:
                source = os.path.relpath(os.path.normpath(root / "build" / line.strip()), root)
                self.objects.setdefault(source, set()).add(target)

    def objects_of(self, file):
        return sorted(self.objects.get(file, ()))

    def fails(self, program):
        command = [f"build/bin/{program}", "--gtest_brief=1", "--gtest_fail_fast"]
        if self.run(command, self.limits.get(program, MOST_SECONDS))[0] == 0:
            return False
        self.programs.remove(program)
        self.programs.insert(0, program)
        return True

    def failed_test(self):
        """The test of ctest that fails, or None."""
        if not (tests := self.room.get("ctest")):
            return None
        limit = self.limits.get("ctest", MOST_SECONDS)
        status, output = self.run(
            ["ctest", "--test-dir", "build", "-LE", "full", "-R", tests, "-j", str(self.cores)]
            + ["--stop-on-failure", "--timeout", str(limit)],
            3600,  # each test ends; on a busy machine, slow tests together are no fault
        )
        if status == 0:
            slowest = max(map(float, re.findall(r"Passed +([\d.]+) sec", output)), default=0)
            self.limits.setdefault("ctest", limit_after(slowest))
            return None
        failed = [li.split()[3] for li in output.splitlines() if "***" in li]
        return failed[0] if failed else "ctest"

    def first_failure(self):
        """The program or test that fails, or None; afterwards none may take much longer."""
        for program in list(self.programs):
            start = time.monotonic()
            if self.fails(program):
                return program
            self.limits[program] = limit_after(time.monotonic() - start)
        return self.failed_test()

    def is_changed(self, objects):
        """Whether one of `objects`, as it was built last, is not what it is without a fault."""
        if not objects or self.room.get("tests_read_sources"):
            return True
        return any(self.digest(target) != self.digests[target] for target in objects)

    def verdict(self, fault):
        """(verdict, the test that noticed or None); the file is restored."""
        path = self.folder / fault.file
        text = path.read_text()
        lines = text.splitlines(keepends=True)
        assert lines[fault.line - 1].rstrip("\n") == fault.before
        lines[fault.line - 1] = fault.after + "\n"
        path.write_text("".join(lines))
        objects = self.objects_of(fault.file)
        try:
            for program in list(self.programs):  # one by one: most faults need no second
                if self.build(program)[0] != 0:
                    return BROKEN, None
                if self.is_changed(objects) and self.fails(program):
                    return KILLED, program
            if self.build()[0] != 0:
                return BROKEN, None
            if not self.is_changed(objects):
                return SAME, None
            failed = self.failed_test()
            return (KILLED, failed) if failed else (SURVIVED, None)
        finally:
            path.write_text(text)


def limit_after(seconds):
    """How long a test that took `seconds` may take with a fault: one that hangs is killed soon."""
    return max(30, math.ceil(10 * seconds))


def faults_of(room, pattern):
    """All faults of a room's files that its table does not set aside, in the files' order."""
    files = [f for f in check_rooms.listed_files() if any_match(f, room["files"])]
    found = []
    for name in (f for f in files if any_match(f, [pattern])):
        text = check_rooms.read(name)
        found += mutations.mutations(name, text, cpp_text.blank(text))
    return [m for m in found if not any(is_set_aside(m, rule) for rule in room.get("aside", []))]


def any_match(name, patterns):
    """Here a * does not match a /."""
    return any(PurePath(name).match(p) for p in patterns)


def is_set_aside(fault, rule):
    """True if the rule {file, line, kinds, after, but_not}, as far as it says, describes it."""
    lines = rule.get("line", "")
    return (
        fnmatch.fnmatch(fault.file, rule["file"])
        and any(part in fault.before for part in ([lines] if isinstance(lines, str) else lines))
        and fault.kind in rule.get("kinds", [fault.kind])
        and rule.get("after", "") in fault.after
        and ("but_not" not in rule or rule["but_not"] not in fault.after)
    )


def plant(room, faults, options, say):
    """Yields (fault, verdict, test) for `options.count` faults that compile."""
    cores = max(1, (os.cpu_count() or 1) // options.jobs)
    copies = [
        copy_of_tree(options.folder / str(job), room, cores, options) for job in range(options.jobs)
    ]
    for copy in copies:
        copy.update()
    list(concurrent.futures.ThreadPoolExecutor().map(copy_of_tree.configure, copies))
    say(f"building {len(copies)} copies in {options.folder}")
    copies[0].cores = os.cpu_count() or 1  # alone: it fills ccache for the others
    built = [copies[0].build()]
    copies[0].cores = cores
    built += concurrent.futures.ThreadPoolExecutor().map(copy_of_tree.build, copies[1:])
    for status, output in built:
        if status != 0:
            sys.exit(f"mutants: a copy without a fault does not build:\n{output[-4000:]}")
    for copy in copies:
        copy.note_objects()
    start = time.monotonic()
    if failed := copies[0].first_failure():
        sys.exit(f"mutants: {failed} fails without a fault")
    say(f"the tests take {time.monotonic() - start:.0f} s without a fault")
    for copy in copies:
        copy.limits = copies[0].limits

    free = queue.Queue()
    for copy in copies:
        free.put(copy)

    def judge(fault):
        copy = free.get()
        try:
            return fault, *copy.verdict(fault)
        finally:
            free.put(copy)

    most = room.get("most_objects", sys.maxsize)
    cheap = [fault for fault in faults if len(copies[0].objects_of(fault.file)) <= most]
    if left_out := sorted({f.file for f in faults} - {f.file for f in cheap}):
        say(f"{len(faults) - len(cheap)} faults are left out, of {' '.join(left_out)}")
    judged, waiting = 0, iter(cheap)
    deadline = time.monotonic() + options.seconds
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = set()
        while True:
            while len(running) < options.jobs and judged + len(running) < options.count:
                fault = next(waiting, None) if time.monotonic() < deadline else None
                if fault is None:
                    break
                running.add(pool.submit(judge, fault))
            if not running:
                return
            done, running = concurrent.futures.wait(
                running, return_when=concurrent.futures.FIRST_COMPLETED
            )
            for result in (d.result() for d in done):
                judged += result[1] in (KILLED, SURVIVED)
                yield result


def judge_room(name, room, options):
    """Judges a room, prints its survivors, and returns its row of the result."""
    faults = faults_of(room, options.files)
    random.Random(options.seed).shuffle(faults)
    say = lambda text: print(f"{name}: {text}", file=sys.stderr, flush=True)
    if options.list:
        for fault in faults[: options.count]:
            print_fault(fault)
        return None
    counts, survivors = {KILLED: 0, SURVIVED: 0, BROKEN: 0, SAME: 0}, []
    for fault, verdict, test in plant(room, faults, options, say):
        counts[verdict] += 1
        say(f"{verdict}: {fault.file}:{fault.line} {fault.kind}{f' by {test}' if test else ''}")
        if verdict == SURVIVED:
            survivors.append(fault)
            print_fault(fault)
    judged = counts[KILLED] + counts[SURVIVED]
    percent = 100 * counts[KILLED] / judged if judged else 0.0
    print(
        f"{name}: {counts[KILLED]} of {judged} killed ({percent:.0f} %, at least {room['least']}), "
        f"{counts[BROKEN]} did not compile, {counts[SAME]} were the same code, "
        f"of {len(faults)} possible; seed {options.seed}",
        flush=True,
    )
    row = {"room": name, "seed": options.seed, "possible": len(faults), "percent": percent}
    return row | {"counts": counts, "survivors": [s._asdict() for s in survivors]}


def print_fault(fault):
    print(f"{fault.file}:{fault.line}: {fault.kind}")
    print(f"  - {fault.before.strip()}\n  + {fault.after.strip()}", flush=True)


def parse(arguments, rooms):
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("rooms", nargs="*", metavar="ROOM", help=f"of {', '.join(rooms)}; all")
    parser.add_argument("--count", type=int, default=40, help="faults to judge in each room (40)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the sample (1)")
    parser.add_argument("--jobs", type=int, default=1, help="copies that work side by side (1)")
    parser.add_argument("--files", default="*", help="a pattern for the files, as io/npy_*")
    parser.add_argument(
        "--seconds", type=int, default=10**9, help="plant no fault later than this (no limit)"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build-mutants", help="of the copies")
    parser.add_argument("--preset", default="cpu", help="of CMake, with build/ as its folder (cpu)")
    parser.add_argument("--json", type=Path, help="also writes the result to this file")
    parser.add_argument("--list", action="store_true", help="prints the faults and ends")
    options = parser.parse_args(arguments)
    for name in options.rooms:
        if name not in rooms:
            parser.error(f"there is no room '{name}'; there are {', '.join(rooms)}")
    if options.count < 1 or options.jobs < 1:
        parser.error("--count and --jobs are at least 1")
    options.folder = options.folder.resolve()
    return options


def main(arguments=None):
    rooms = tomllib.loads((ROOT / "tools/mutants.toml").read_text(encoding="utf-8"))["rooms"]
    options = parse(arguments, rooms)
    rows = [judge_room(name, rooms[name], options) for name in options.rooms or rooms]
    if options.list:
        return 0
    if options.json:
        options.json.write_text(json.dumps(rows, indent=1) + "\n")
    return any(row["percent"] < rooms[row["room"]]["least"] for row in rows)


if __name__ == "__main__":
    sys.exit(main())
