#!/usr/bin/env python3
"""How much each room weighs, and what may be weighed at most: the table of CONTRIBUTING.md.

    tools/weight.py                    print the tables: rooms, and figures beside their limits
    tools/weight.py --build FOLDER     also the seconds of each room's commands in ninja's log
    tools/weight.py --write            write both tables into CONTRIBUTING.md
    tools/weight.py --check            fail if a figure there is more than 10 % off

Files are those that git tracks. C++ is C++, CUDA and C. A repeat is a pair of parts with the same
four lines or more; blank lines, comments, includes and lines of less than four characters do not
count. Seconds are what a command took by the clock, so compare builds with as many jobs on one
machine.
"""

import collections
import re
import subprocess
import sys
from pathlib import Path

import page_writer
from page_writer import ROOT, arguments, cells, filled, finish

PAGE = "CONTRIBUTING.md"
CODE = (".hpp", ".cpp", ".cuh", ".cu", ".inl", ".h", ".c")
DIVIDED = "upsweep"  # the folder whose folders are rooms
SMALL = 0.01  # of all bytes: smaller rooms are one row
MOVED = 0.1  # by which a figure of the page may be off
REPEATED = 4  # lines
LIMITS = {  # figure: at most
    "C++ files": 1_600,
    "C++ lines": 180_000,
    "lines of `cli/`": 18_000,
    "lines of `io/`": 10_000,
    "lines of `upsweep/host/`": 11_500,
    "tracked kilobytes": 15_000,
    "kilobytes of `bench/results/`": 800,
    "headers in the root of `upsweep/`": 24,
    "names in `upsweep::`": 112,
    "files that `upsweep.hpp` includes": 95,
    "pairs of repeated places": 400,
    "lines of the longest note in `docs/design/`": 200,
}


def tracked(root):
    """path -> content, of all files that git tracks."""
    names = subprocess.run(
        ["git", "ls-files", "-z"], cwd=root, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    paths = ((name, root / name) for name in names if name)
    return {name: path.read_bytes() for name, path in paths if path.is_file()}


def room_of(path):
    """The folder that a path is in, as a room of the table."""
    first, *more = path.split("/")
    if not more:
        return "the root"
    if first == DIVIDED:
        return f"{first}/{more[0]}/" if len(more) > 1 else f"{first}/, its headers"
    return f"{first}/"


def lines_of(content):
    return content.count(b"\n")


def rooms(files):
    """room -> [C++ files, C++ lines, kilobytes], the heaviest first; small ones are one row."""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for name, content in files.items():
        row = found[room_of(name)]
        if name.endswith(CODE):
            row[0] += 1
            row[1] += lines_of(content)
        row[2] += len(content)
    least = SMALL * sum(row[2] for row in found.values())
    small = [room for room, row in found.items() if row[2] < least]
    rest = [sum(found[room][i] for room in small) for i in range(3)]
    rows = [(room, *row) for room, row in found.items() if room not in small]
    rows.sort(key=lambda row: -row[3])
    if small:
        rows.append((f"{len(small)} others", *rest))
    return [(room, count, lines, round(size / 1000)) for room, count, lines, size in rows]


def words(content):
    """The lines of a source that count as repeated if they occur twice."""
    text = content.decode("utf-8", "replace")
    lines = (" ".join(re.sub(r"\s*//.*", "", line).split()) for line in text.splitlines())
    return [line for line in lines if len(line) > 3 and not line.startswith("#include")]


def repeats(sources):
    """How many pairs of parts have REPEATED equal lines or more."""
    at = collections.defaultdict(list)
    for name, content in sources.items():
        lines = words(content)
        for i in range(len(lines) - REPEATED + 1):
            at["\n".join(lines[i : i + REPEATED])].append((name, i))
    pairs = set()
    for places in at.values():
        pairs.update((a, b) for i, b in enumerate(places) for a in places[:i])
    before = lambda place: (place[0], place[1] - 1)  # noqa: E731
    return sum((before(a), before(b)) not in pairs for a, b in pairs)


def included(files, first="upsweep/upsweep.hpp"):
    """The files of the tree that a header includes, itself among them."""
    seen, left = set(), [first]
    while left:
        name = left.pop()
        if name in files and name not in seen:
            seen.add(name)
            text = files[name].decode("utf-8", "replace")
            left += re.findall(r"^\s*#\s*include\s*<([^>]+)>", text, re.M)
    return seen


def figures(files):
    """What LIMITS limits."""
    code = {name: content for name, content in files.items() if name.endswith(CODE)}

    def lines(folder):
        return sum(lines_of(c) for name, c in code.items() if name.startswith(folder))

    def kilobytes(folder):
        return round(sum(len(c) for n, c in files.items() if n.startswith(folder)) / 1000)

    return {
        "C++ files": len(code),
        "C++ lines": lines(""),
        "lines of `cli/`": lines("cli/"),
        "lines of `io/`": lines("io/"),
        "lines of `upsweep/host/`": lines("upsweep/host/"),
        "tracked kilobytes": kilobytes(""),
        "kilobytes of `bench/results/`": kilobytes("bench/results/"),
        "headers in the root of `upsweep/`": sum(
            re.fullmatch(r"upsweep/[^/]+\.hp?p?", name) is not None for name in code
        ),
        "names in `upsweep::`": len(files.get("tests/package/public_names.txt", b"").split()),
        "files that `upsweep.hpp` includes": len(included(files)),
        "pairs of repeated places": repeats(code),
        "lines of the longest note in `docs/design/`": max(
            (lines_of(c) for name, c in files.items() if name.startswith("docs/design/")), default=0
        ),
    }


def seconds(log):
    """room -> seconds of its commands in the text of a .ninja_log, the longest first."""
    commands = {}  # output -> the last command that wrote it
    for line in log.splitlines():
        fields = line.split("\t")
        if len(fields) == 5:
            start, end, _, output, digest = fields
            commands[output] = (int(start), int(end), digest)
    found, counted = collections.Counter(), set()
    for output, (start, end, digest) in commands.items():
        if (start, digest) not in counted:  # a command may have several outputs
            counted.add((start, digest))
            source = re.sub(r"CMakeFiles/[^/]+\.dir/(?:Unity/)?", "", output)
            inside = source.endswith(".o") and not source.startswith("/")
            found[room_of(source) if inside else "links and the rest"] += end - start
    return [(room, round(time / 1000)) for room, time in found.most_common()]


def table(head, rows):
    return page_writer.table(
        head, [[f"{c:,}" if isinstance(c, int) else c for c in r] for r in rows]
    )


def tables(files):
    """The two tables of the page, by the names of their blocks."""
    now = figures(files)
    limits = [(what, value, LIMITS[what]) for what, value in now.items()]
    return {
        "weight of rooms": table(
            ["room", "C++ files", "lines", "kB"],
            [(f"`{r[0]}`" if r[0].endswith("/") else r[0], *r[1:]) for r in rooms(files)],
        ),
        "weight of limits": table(["figure", "now", "at most"], limits),
    }


def numbers(text):
    """first cell of a row -> its numbers."""
    rows = (cells(line) for line in text.splitlines()[2:])
    return {row[0]: [int(c.replace(",", "")) for c in row[1:]] for row in rows if len(row) > 1}


def stale(page, found):
    """What of the page's tables is more than MOVED off."""
    for name, text in found.items():
        begin, end = page_writer.marks(name)
        shown = page.partition(begin + "\n")[2].partition("\n" + end)[0]
        old, new = numbers(shown), numbers(text)
        for row in old.keys() | new.keys():
            pairs = list(zip(old.get(row, [0] * 9), new.get(row, [0] * 9)))
            if any(abs(a - b) > max(2, MOVED * b) for a, b in pairs):
                yield f"{row}: {' '.join(map(str, old.get(row, ['none'])))} in {PAGE}, now " + (
                    " ".join(map(str, new.get(row, ["none"])))
                )


def main():
    parser = arguments(__doc__)
    parser.add_argument("--build", type=Path, metavar="FOLDER")
    parser.add_argument("--root", type=Path, default=ROOT)
    parser.add_argument("--write", action="store_true")
    options = parser.parse_args()
    if not (options.root / ".git").exists():
        print("weight: this is no clone, so nothing says which files are tracked")
        return 77
    found = tables(tracked(options.root))
    path = options.root / PAGE
    if options.check:
        wrong = sorted(stale(path.read_text(encoding="utf-8"), found))
        for line in wrong:
            print(f"weight: {line}; run tools/weight.py --write")
        return 1 if wrong else 0
    if options.write:
        page = path.read_text(encoding="utf-8")
        for name, text in found.items():
            page = filled(page, name, text)
        finish({path: page}, False, "tools/weight.py --write")
    else:
        print("\n\n".join(found.values()))
    if options.build:
        log = (options.build / ".ninja_log").read_text(encoding="utf-8")
        print("\n" + table(["room", "seconds"], seconds(log)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
