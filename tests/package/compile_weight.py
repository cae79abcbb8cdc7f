"""Checks that what a program compiles has not grown by a quarter.

    compile_weight.py <program> <compiler's name and version> <compile_commands.json> <objects>...

The load of a machine changes processor time by more than a quarter, so this estimates it from what
the time is spent on, which does not depend on the machine: 18 us for each line that the compiler
reads, headers included, and 33 us for each byte of code that it generates. For g++ 12 that
makes 43 s where 42 were measured, and no object of five seconds or more is an eighth off.
WEIGHT has that estimate, of the first total of `make demo` and of a user's file with ten different
calls; a change that needs more, and is worth it, replaces it. Prints nothing if the weight is kept;
exit status 77: none is recorded for this compiler.
"""

import json
import shlex
import subprocess
import sys
from pathlib import Path

SECONDS_A_LINE = 18e-6
SECONDS_A_BYTE = 33e-6
WEIGHT = {  # seconds
    ("first total", "GNU 12 x86_64"): 43,
    ("ten calls", "GNU 12 x86_64"): 5.3,
}
LIMIT = 1.25


def commands(database):
    """Folder and command of each object, by the object's path."""
    by_object = {}
    for entry in json.loads(Path(database).read_text()):
        words = shlex.split(entry["command"])
        if "-o" in words:
            path = Path(entry["directory"]) / words[words.index("-o") + 1]
            by_object[path.resolve()] = (entry["directory"], words)
    return by_object


def lines(folder, words):
    """How many lines of text are left of the source when it is preprocessed."""
    words = list(words)
    words[words.index("-o") + 1] = "-"
    words[words.index("-c")] = "-E"
    text = subprocess.run(words, cwd=folder, check=True, capture_output=True, text=True).stdout
    return sum(1 for line in text.splitlines() if line.strip() and line[0] != "#")


def code(path):
    """The bytes of the sections with code and constants."""
    table = subprocess.run(["size", path], check=True, capture_output=True, text=True).stdout
    return int(table.splitlines()[1].split()[0])


def main():
    program, compiler, database, *objects = sys.argv[1:]
    known = WEIGHT.get((program, compiler))
    if known is None:
        print(f"no weight of the {program} is recorded for {compiler}")
        return 77
    by_object = commands(database)
    read = sum(lines(*by_object[Path(path).resolve()]) for path in objects)
    generated = sum(code(path) for path in objects)
    weight = read * SECONDS_A_LINE + generated * SECONDS_A_BYTE
    if weight > LIMIT * known:
        print(
            f"the {program} compiles {read} lines to {generated} bytes of code: {weight:.1f} s,"
            f" where {known} s are recorded and a quarter more is the limit"
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
