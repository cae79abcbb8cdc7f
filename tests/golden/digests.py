#!/usr/bin/env python3
"""Prints what programs without set.txt know about the golden set: its SHA-256 and its number of
lines, then of each line the first four digits of its SHA-256, 24 in a row.

    digests.py SET               prints them
    digests.py SET --check FILE  exits with 1 if the file has others
"""

import hashlib
import sys
from pathlib import Path


def digests_of(lines):
    whole = hashlib.sha256("".join(line + "\n" for line in lines).encode()).hexdigest()
    each = [hashlib.sha256(line.encode()).hexdigest()[:4] for line in lines]
    rows = ["".join(each[i : i + 24]) for i in range(0, len(each), 24)]
    return "\n".join([f"{whole} {len(lines)}", *rows]) + "\n"


text = digests_of(Path(sys.argv[1]).read_text(encoding="ascii").splitlines())
if sys.argv[2:3] != ["--check"]:
    print(text, end="")
elif Path(sys.argv[3]).read_text(encoding="ascii") != text:
    sys.exit(f"{sys.argv[3]}: the digests are not those of {sys.argv[1]}")
