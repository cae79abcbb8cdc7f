#!/usr/bin/env python3
"""Counts the branches and lines that the tests take, by room, and lists the branches not taken.

  cmake --preset coverage -G Ninja && cmake --build --preset coverage
  tools/branch_coverage.py              runs the tests of build-coverage/ and prints the tables
  tools/branch_coverage.py --no-tests   prints them from the last run's counts
  tools/branch_coverage.py --json FILE  also writes the branches that were not taken

A branch is one outcome, true or false, of a condition that the compiler does not know. Of a
template, an outcome in any instance counts. tools/coverage.list has the files, tools/coverage.toml
the least percentage of a room, and the branches that no test can take, each with its reason: these
are not counted. The exit status is 1 if a room has fewer, or an excuse names a branch that is taken
or not there. `make test` judges the tests: here some fail that read all of standard error, where a
program complains if it cannot write its counts.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def rooms_of(text):
    """{pattern of clang's list: whether its files are counted}; a later one takes precedence."""
    rows = re.findall(r"^source:\*/(\S+)=(allow|skip)$", text, re.M)
    return {pattern: what == "allow" for pattern, what in rows}


def room_of(file, rooms):
    """The room that a file is counted in, or None."""
    last = [pattern for pattern in rooms if fnmatchcase(file, pattern)][-1:]
    return last[0].removesuffix("/*") if last and rooms[last[0]] else None


def counts_of(export, root, rooms, branches, lines):
    """Adds a program's counts: branches[file][place] = [true, false], lines[file][line] = count."""
    data = export["data"][0]
    for function in data["functions"]:  # without the conditions that are constants in this instance
        files = [os.path.relpath(name, root) for name in function["filenames"]]
        for *place, true, false, file, _, _ in function["branches"]:
            if room_of(files[file], rooms):
                counts = branches[files[file]].setdefault(tuple(place), [0, 0])
                counts[0] += true
                counts[1] += false
    for file in data["files"]:
        name = os.path.relpath(file["filename"], root)
        if room_of(name, rooms):
            for line, count in lines_of(file["segments"]):
                lines[name][line] += count


def lines_of(segments):
    """(line, count) of each line that has code, from llvm-cov's segments."""
    line, before, counts = 0, None, []
    for start, _, count, has_count, is_entry, is_gap in [*segments, [10**9, 1, 0, 0, 0, 0]]:
        if start != line:
            if counts:
                yield line, max(counts)
            if before is not None and start < 10**9:
                yield from ((between, before) for between in range(line + 1, start))
            line, counts = start, [] if before is None else [before]
        if has_count and is_entry and not is_gap:
            counts.append(count)
        before = count if has_count else None


def source_text(root, file):
    return (root / file).read_text(encoding="utf-8").splitlines()


def not_taken(root, branches):
    """Rows {file, line, column, condition, outcome, text} of the outcomes that no test has."""
    for file in sorted(branches):
        text = source_text(root, file)
        for (line, column, last, end), counts in sorted(branches[file].items()):
            condition = text[line - 1][column - 1 : end - 1 if last == line else None].strip()
            for outcome, count in zip(("true", "false"), counts, strict=True):
                if count == 0:
                    row = {"file": file, "line": line, "column": column, "outcome": outcome}
                    yield row | {"condition": condition, "text": text[line - 1].strip()}


def excuses_of(groups):
    """A row {file, line, outcome} for each place of each group; no outcome means both. One that
    `varies` is never stale.
    """
    for group in groups:
        for place in group["at"]:
            file, line = place.split(": ", 1)
            more = {key: group[key] for key in ("outcome", "varies") if key in group}
            yield {"file": file, "line": line} | more


def excused(rows, excuses):
    """(the rows that no excuse is for, the number excused in each file, the stale excuses)."""
    left, numbers, used = [], collections.Counter(), set()
    for row in rows:
        fitting = [
            n
            for n, excuse in enumerate(excuses)
            if excuse["file"] == row["file"]
            and excuse["line"] in row["text"]
            and excuse.get("outcome", row["outcome"]) == row["outcome"]
        ]
        used.update(fitting)
        numbers[row["file"]] += bool(fitting)
        if not fitting:
            left.append(row)
    unused = [excuse for n, excuse in enumerate(excuses) if n not in used]
    return left, numbers, [excuse for excuse in unused if not excuse.get("varies")]


def table(rooms, branches, lines, numbers, left):
    """{room: its row}; the percentages are of what is not excused."""
    rows = {}
    missing = collections.Counter(row["file"] for row in left)
    for file in sorted({*branches, *lines}):
        room = room_of(file, rooms)
        row = rows.setdefault(
            room, dict.fromkeys(("branches", "taken", "excused", "lines", "run"), 0)
        )
        row["branches"] += 2 * len(branches[file])
        row["excused"] += numbers[file]
        row["taken"] += 2 * len(branches[file]) - numbers[file] - missing[file]
        row["lines"] += len(lines[file])
        row["run"] += sum(count > 0 for count in lines[file].values())
    return rows


def percent(part, whole):
    return 100 * part / whole if whole else 100.0


def branch_percent(row):
    return percent(row["taken"], row["branches"] - row["excused"])


def print_table(rows):
    print(f"{'room':<20} {'branches':>9} {'excused':>8} {'taken %':>8} {'lines':>7} {'run %':>7}")
    for name, row in rows.items():
        share, run = branch_percent(row), percent(row["run"], row["lines"])
        print(
            f"{name:<20} {row['branches']:>9,} {row['excused']:>8,} {share:>8.1f} "
            f"{row['lines']:>7,} {run:>7.1f}"
        )


def run_tests(build, jobs):
    profiles = build / "profiles"
    shutil.rmtree(profiles, ignore_errors=True)
    profiles.mkdir()
    # Of each program nine files at most, to which its processes add.
    environment = os.environ | {"LLVM_PROFILE_FILE": f"{profiles}/%9m.profraw"}
    command = ["ctest", "--preset", "coverage", "--test-dir", build, "-j", str(jobs)]
    subprocess.run(command, cwd=ROOT, env=environment)


def llvm(tool, *arguments):
    command = [shutil.which(f"{tool}-19") or tool, *arguments]
    return subprocess.run(command, capture_output=True, check=False)


def programs_of(build):
    folders = [build / "bin", *(build / "tests").glob("*")]
    files = [file for folder in folders for file in sorted(folder.glob("*"))]
    return [f for f in files if f.is_file() and os.access(f, os.X_OK) and f.suffix != ".so"]


def read_counts(build, rooms, jobs):
    """(branches, lines) of all programs of a build, from the profiles of its tests."""
    merged = build / "coverage.profdata"
    raw = sorted(map(str, (build / "profiles").glob("*.profraw")))
    (build / "profiles.txt").write_text("\n".join(raw) + "\n")
    result = llvm("llvm-profdata", "merge", "--sparse", "--failure-mode=all", "--output", merged,
                  f"--input-files={build}/profiles.txt", f"--num-threads={jobs}")  # fmt: skip
    if result.returncode != 0:
        sys.exit(f"coverage: {result.stderr.decode()}")
    branches = collections.defaultdict(dict)
    lines = collections.defaultdict(collections.Counter)
    # Programs without counts, in C for example, are refused and left out.
    export = lambda program: llvm("llvm-cov", "export", f"--instr-profile={merged}", program)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for result in pool.map(export, programs_of(build)):
            if result.returncode == 0:
                counts_of(json.loads(result.stdout), ROOT, rooms, branches, lines)
    return branches, lines


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--build", type=Path, default=ROOT / "build-coverage", help="its folder")
    parser.add_argument("--no-tests", action="store_true", help="read the counts of the last run")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="(one for each CPU)")
    parser.add_argument("--json", type=Path, help="also write the branches not taken to this file")
    options = parser.parse_args()
    build = options.build.resolve()
    if not options.no_tests:
        run_tests(build, options.jobs)

    rooms = rooms_of((ROOT / "tools/coverage.list").read_text(encoding="utf-8"))
    data = tomllib.loads((ROOT / "tools/coverage.toml").read_text(encoding="utf-8"))
    branches, lines = read_counts(build, rooms, options.jobs)
    excuses = list(excuses_of(data.get("excuses", [])))
    left, numbers, stale = excused(list(not_taken(ROOT, branches)), excuses)
    rows = table(rooms, branches, lines, numbers, left)
    for row in left:
        print(f"{row['file']}:{row['line']}: never {row['outcome']}: {row['condition']}")
    print_table(rows)
    for excuse in stale:
        print(f"coverage.toml: {excuse['file']} has no untaken branch in '{excuse['line']}'")
    if options.json:
        options.json.write_text(json.dumps({"rooms": rows, "left": left}, indent=1) + "\n")
    below = [name for name, row in rows.items() if branch_percent(row) < data["least"]]
    if below:
        print(f"below {data['least']} %: {', '.join(below)}")
    return bool(stale or below)


if __name__ == "__main__":
    sys.exit(main())
