"""Checks that copies of loops for wide registers have the loops in them.

    wide_copies.py <nm> <libupsweep.a>

A lambda that `in_widest_registers` calls, or a function in its loop, that is not UPSWEEP_INLINED is
compiled once, for any x86-64: the copies are a jump then, and take two to three times as long.
"""

import re
import subprocess
import sys

COPY = re.compile(r"^[0-9a-f]+ ([0-9a-f]+) \w (.*in_registers_of_avx.*)$")
JUMP = 24  # bytes: more than a jump or a call with its prologue, less than any loop


def main():
    nm, library = sys.argv[1:]
    symbols = subprocess.run(
        [nm, "--print-size", "--defined-only", "--demangle", library],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    copies = [match.groups() for line in symbols.splitlines() if (match := COPY.match(line))]
    if len(copies) < 100:
        sys.exit(f"only {len(copies)} copies for wide registers in {library}")
    for size, name in copies:
        if int(size, 16) <= JUMP:
            print(f"a copy of {int(size, 16)} bytes has no loop in it: {name}")
    sys.exit(any(int(size, 16) <= JUMP for size, _ in copies))


if __name__ == "__main__":
    main()
