"""Checks that every type, enumerator, member, function and macro of the C headers has a
documentation comment, /** */ or /**< */.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools" / "site"))
from reference_c import HEADERS  # noqa: E402

DECLARATION = re.compile(
    r"""
    typedef\ .*
  | (?:UPSWEEP_API\ )?                                                            # a function
    (?:upsweep_status|char\ const\*|int|size_t|uint64_t|void)\ upsweep_\w+\(.*
  | static\ inline\ upsweep_(?:array|ranks)\ upsweep_\w+\(.*
  | \#define\ UPSWEEP_(?:VERSION|\w+_INIT).*
  | \ \ UPSWEEP_\w+\ =.*                                                          # an enumerator
  | \ \ [a-z][\w\ *]*\ \w+(?:\[\d+\])?;.*                                         # a member
""",
    re.X,
)


def undocumented(header):
    """Each declaration whose line carries no /**< and that does not follow a comment which began
    with /**.
    """
    text = (ROOT / header).read_text()
    # Bodies of functions declare nothing; their lines stay, for the numbers.
    text = re.sub(
        r"(?m)^(static inline [^;]*?\{)\n(.*?)^\}",
        lambda m: m[1] + "\n" * m[0].count("\n"),
        text,
        flags=re.S,
    )
    if not re.match(r"/\*\* .*?@file\n \*/\n", text, re.S):
        yield (
            f"{header}:1: the opening comment is not a /** comment with @file, without which "
            "functions of C are left out"
        )
    above = ""  # how the comment that ends on the line before began
    lines = 0
    for number, line in enumerate(text.splitlines(), 1):
        if DECLARATION.fullmatch(line):
            lines += 1
            if "/**< " not in line and above != "/** ":
                yield f"{header}:{number}: '{line.strip()}' has no /** */ comment"
        opening = re.match(r"\s*(/\*\*? )", line)
        above = opening[1] if opening else above if re.match(r"\s+\*", line) else ""
    if not lines:
        yield f"{header}: no declaration was recognized"


if __name__ == "__main__":
    sys.exit("\n".join(complaint for header in HEADERS for complaint in undocumented(header)) or 0)
