"""Command lines of every pair of options of every command, made from what --help shows: an option
that is added later is among them. See option_pairs_test.py."""

import functools
import itertools
import os
import random
import re
import subprocess
import tempfile

from support import TOOL, npy

NUMBERS = ["1", "0", "-1", "7", "", "x", "1e400", "99999999999999999999", "nan"]
COLUMNS = ["1", "x", "2", "all", "1-2", "x,y", "", "0", "-1", "9", "x-", ",", "carier"]
# What an option may be given, by the placeholder in its help; others get NUMBERS.
VALUES = {
    "COLUMN,...": COLUMNS,
    "COLUMN": COLUMNS,
    "OPERATOR,...": [
        "sum",
        "first",
        "count",
        "mean:x,count",
        "max:2,argmax",
        "argmax:1:2,decimal-mean:x",
        "window:2:mean",
        "lag:3",
        "ema:0.5:x",
        "median,quantile:0.5",
        "distinct:x",
        "concat:;:1",
        "distinct-list:1,decimal-product:x",
        "affine",
        "checked-sum",
        "recurrence:1:1",
        "sum as s",
        "rank:descending",
        "ntile:2,lead",
        "interpolate,share",
        "session:30min:x,run",
        "mode",
        "quantile:2",
        "window:0:sum",
        "lag:99999999999999999999",
        "p95",
        "",
        ":",
        "sum:",
    ],
    "VALUE": NUMBERS,
    "TYPE": ["i8", "u64", "f16", "bf16", "f32", "bool", "nosuch", ""],
    "CHARACTER": [";", ",", "\\t", "", "ab", "\n", '"', "1", "."],
    "WORD,...": ["?", "1", "", "NA,-", "-999"],
    "LOW,HIGH": ["0,1", "1,0", "-1,1", "nan,1", "0", "0,1e400", "", "0,1e-320"],
    "LEVEL,...": ["0,1,2", "1", "2,1", "", "nan,1"],
    "OP": ["sum", "affine", "xor", "nosuch", ""],
    "LIST": ["6,2,7", "3x+1,2x", "1,31", "1,,2", "x", ""],
    "T": ["32", "1024", "33", "16,16", "0", "x", "99999999999"],
    "G": ["4", "4,2,1", "n/256", "n/0", "0", "1,2,3,4", ""],
    "C": ["4", "2,2", "0", "x"],
    "ARG": ["in:1000:ramp", "n=1000", "in=6,2", "in:9999999999999999:ones", ":", "x", ""],
    "SM": ["sm_90", "sm_70", "sm_1", "90", ""],
    "PROGRAM": ["g++", "no-such-program", ""],
    "FOLDER": [".", "no/such/folder", ""],
    "NAME=VALUE": ["A=1", "A", "=", "1=2", ""],
    "NAME": ["H200", "f<int>", "nosuch", ""],
    "EXERCISE": ["1", "99", "nosuch", ".", ""],
    "FILE": ["out.json", "no/such/folder", ".", ""],
    "STATE": ["state", "numbers.txt", "no/such/folder", ".", ""],
    "PARTIAL": ["no.part", "numbers.txt", ".", ""],
    "TEXT": ["sum", "every", "f32", "10..12", "30..1", "1..", "nosuch", ""],
    "CONDITION": ["$1 > 0", "x % -1 == 0", "", "x", "x == a", "$9 > 1", "1 % 0 == 1", "((("],
}
WORDS = {
    "--number-format": ["%.3f", "%d", "%1000000000f", "%.999f", "%", "%s", "%n%n", "%*d", ""],
    "--from": ["auto", "text", "csv", "tsv", "raw", "npy", "nosuch"],
    "--to": ["auto", "text", "csv", "tsv", "raw", "npy", "nosuch"],
    "--endian": ["little", "big", "native", "middle"],
    "--mode": ["fast", "reproducible", "slow"],
    "--on": ["cpu", "serial", "cuda", "moon"],
    "--output": ["out.csv", "out.npy", "out.raw", "out.txt", "", "-", "no/such/folder", "."],
    "--schedule": ["in-order", "random", "adversarial", "lockstep", "nosuch", ""],
    "--view": ["all", "steps", "tree", "nosuch", ""],
    "--html": ["page.html", "-", ""],
}
# Words that a command needs besides its options.
NEEDS = {
    "select": ["--where", "$1 > 0"],
    "completion": ["bash"],
    "explain": ["reduce"],
    "bench": ["--explain"],  # plans without measuring
    "run": ["brent_kung", "--n", "64"],
    "compare": ["brent_kung", "blelloch", "--n", "64"],
    "verify": ["kogge_stone_double", "--quick"],
    "trace": ["blelloch", "--n", "16"],
    "ladder": ["scan", "--n", "64"],
    "grade": ["nothing"],  # compiling an exercise takes seconds
    "lab-site": ["site"],
}
# doctor measures the memory for seconds, and its only option is --json; prove runs for seconds.
LONG = {"doctor", "prove"}
WITHOUT_FILES = {"list", "completion", "explain", "bench", "run", "compare", "verify", "trace"}
WITHOUT_FILES |= {"ladder", "grade", "lab-site"}
INPUTS = {
    "numbers.txt": b"1\n2\n3\n",
    "list.txt": b"1 2 3\n4 5\n",
    "table.csv": b"x,y\n1,a\n,b\n3,a\n",
    "table.tsv": b"x\ty\n1.5\t-2\nNA\t7\n",
    "no_header.csv": b"1,2\n3,4\n",
    "quoted.csv": b'x,y\n"1","a\nb"\n2,""\n',
    "big.txt": b"9223372036854775807\n-9223372036854775808\n0\n",
    "vector.npy": npy("f32", [1, 2, 3]),
    "matrix.npy": npy("i16", [1, 2, 3, 4, 5, 6], (2, 3)),
    "scalar.npy": npy("f64", [1], ()),
    "none.npy": npy("i64", [], (0, 3)),
    "bytes.raw": bytes(range(48)),
    "empty.csv": b"",
    "header.csv": b"x,y\n",
    "broken.csv": b'x,y\n1\n"2,3\n',
}


@functools.lru_cache(None)
def help_of(*words):
    done = subprocess.run([TOOL, *words, "--help"], capture_output=True, timeout=60, check=True)
    return done.stdout.decode()


def commands():
    listed = help_of().split("\nCommands:\n")[1].split("\n\n")[0]
    return [c for c in re.findall(r"^  ([\w-]+)", listed, re.M) if c not in LONG]


def options_of(command):
    """Each option with a placeholder for its value, or None."""
    found = []
    for line in help_of(command).splitlines():
        match = re.match(
            r"  (?:-\w, ?)?(--[\w-]+)(?:\[=\S+\]|, --\w+)?(?: ([A-Z][A-Z,.=:]*)( in .*)?)?(?:  |$)",
            line,
        )
        if match and match[1] != "--help":
            found.append((match[1], match[2]))
    return found


def written(option, value):
    name, placeholder = option
    if placeholder is None:
        return [name]
    return [f"{name}={value}"] if value.startswith("-") or not value else [name, value]


def values_of(option):
    name, placeholder = option
    if placeholder is None:
        return [""]
    return WORDS.get(name) or VALUES.get(placeholder) or NUMBERS


def needs(command, options):
    """NEEDS without the option that is among `options` already; it is the last one there."""
    words = NEEDS.get(command, [])
    given = [i for i, word in enumerate(words) if word in [name for name, _ in options]]
    return words[: given[0]] if given else words


def command_lines():
    """Every pair of options of every command, each with values and an input drawn by its seed."""
    all = []
    for command in commands():
        options = options_of(command)
        pairs = list(itertools.combinations(options, 2)) + [(o,) for o in options]
        for pair in pairs:
            for turn in range(3):
                source = random.Random(f"{command} {pair} {turn}")
                line = [command] + needs(command, pair)
                for option in pair:
                    line += written(option, source.choice(values_of(option)))
                name = source.choice(sorted(INPUTS))
                files = [name] if source.random() < 0.8 else [name, name]
                if command in WITHOUT_FILES:
                    files = []
                elif source.random() < 0.3:
                    files = ["-"]
                all.append((line + files, name))
    return all


def complaint(case):
    """What is wrong with how the tool ends, or None."""
    line, name = case
    with tempfile.TemporaryDirectory() as folder:
        for file, content in INPUTS.items():
            if file in line:
                with open(os.path.join(folder, file), "wb") as out:
                    out.write(content)
        try:
            done = subprocess.run(
                [TOOL, *line], input=INPUTS[name], capture_output=True, cwd=folder, timeout=60
            )
        except subprocess.TimeoutExpired:
            return f"{line} < {name} does not end"
    return wrong_end(line, done.returncode, done.stderr.decode("utf-8", "replace"), name)


def wrong_end(line, status, errors, name):
    """What is wrong with a status and with the text on stderr, or None."""
    statuses = {0, 2, 3}
    text = " ".join(line)
    if "checked" in text or line[0] == "check":
        statuses.add(6)  # an overflow is reported
    if line[0] in ("check", "verify"):
        statuses.add(1)
    if "cuda" in text:
        statuses.add(5)  # no GPU
    if line[0] == "lab-site":
        statuses.add(5)  # no laboratory for browsers is installed
    files = ["--output", "--html", "--junit", "--csv", "--sarif"]
    files += ["--partial", "--resume", "--after"]
    if line[0] in ("bench", "grade"):
        files.append("--json")
    if any(option in text for option in files):
        statuses.add(4)  # a folder that is not there
    if status not in statuses:
        return f"{line} < {name}: status {status}: {errors}"
    if status in (2, 3, 4, 5, 6) and line[0] != "check":
        if not re.fullmatch(r"upsweep: [^\n]{8,}\n(  [^\n]+\n +\^\n)?", errors):
            return f"{line} < {name}: says {errors!r}"
    return None
