"""The golden set on this machine: `python -m upsweep.golden` computes its cases with this package.

Inputs are made with NumPy. Results are compared with the digests of the set. docs/spec/golden.md
describes the recipe, the inputs and the format of results.

    python -m upsweep.golden                  prints differences, the number of cases, and the hash
    python -m upsweep.golden --expected FILE  compares with the lines of the set
    python -m upsweep.golden --threads N      on at most N threads
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
import textwrap
import time
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from upsweep._golden_cases import Case, computed
from upsweep._golden_inputs import bfloat16

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 20  # of the results that differ


def expanded(recipe: str, threads: int | None) -> Iterator[Case]:
    """All cases of a recipe. The rightmost list of a line varies fastest."""
    lists: dict[str, list[str]] = {}
    for line in recipe.splitlines():
        words = line.split("#")[0].split()
        if not words:
            continue
        pairs = [word.rpartition("=") for word in (words[2:] if words[0] == "list" else words)]
        choices = [
            [e for v in text.split(",") for e in (lists[v[1:]] if v[0] == "@" else [v])]
            for _, _, text in pairs
        ]
        if words[0] == "list":
            lists[words[1]] = choices[0]
            continue
        for verb, *values in itertools.product(*choices):
            yield Case(verb, [key for key, _, _ in pairs[1:]], values, threads)


def known() -> tuple[str, str, int, str]:
    """The recipe; the hash of the set, the number of its lines, and their digests."""
    data = resources.files("upsweep")
    first, *rows = (data / "golden_digests.txt").read_text("ascii").split("\n")
    whole, cases = first.split()
    return (data / "golden_recipe.txt").read_text("ascii"), whole, int(cases), "".join(rows)


def gap_of(c: Case) -> str:
    """The feature of a case that the package does not have."""
    if c["type"] == "bf16" and bfloat16 is None:
        return "bf16 (without ml_dtypes)"
    if c["coefficients"]:
        return "recurrence"
    return "out=element" if c["out"] == "element" else c["op"] or c.verb


class Report:
    """The differences found so far."""

    def __init__(self) -> None:
        self.cases = self.covered = self.different = 0
        self.hash = hashlib.sha256()
        self.gaps: Counter[str] = Counter()
        self.begin = time.monotonic()

    def differs(self, c: Case, result: str, kept: str | None) -> None:
        self.different += 1
        if self.different <= SHOWN:
            print(f"case {self.cases} differs: {c.text}\n  computed {result}")
            if kept is not None:
                print(f"  expected {kept.rpartition(' => ')[2]}")

    def tell(self, right: bool) -> None:
        if self.different > SHOWN:
            print(f"... and {self.different - SHOWN} more")
        verdict = f"{self.different} differ{'s' if self.different == 1 else ''}"
        if self.different == 0:
            verdict = "no result differs" + ("" if right else ", but these are not the set's cases")
        seconds = time.monotonic() - self.begin
        print(f"{self.covered} of {self.cases} cases in {seconds:.1f} s: {verdict}")
        if self.gaps:
            names = ", ".join(f"{name} {count}" for name, count in self.gaps.items())
            lacks = f"not in the package: {self.cases - self.covered} cases: {names}"
            print(textwrap.fill(lacks, 96, subsequent_indent="  ", break_on_hyphens=False))
        what = "the lines of these cases" if self.gaps else "the set"
        print(f"SHA-256 of {what}: {self.hash.hexdigest()}")


def check(
    recipe: str | None = None, expected: list[str] | None = None, threads: int | None = None
) -> bool:
    """Compute the cases, and print the differences, the number of cases and their hash.

    Results are compared with the lines `expected`, or with the digests of the package. Returns
    whether all are right.
    """
    own, whole, lines, digests = known()
    found = Report()
    for c in expanded(own if recipe is None else recipe, threads):
        found.cases += 1
        with np.errstate(all="ignore"):  # NumPy warns of NaN and of what overflows
            result = computed(c)
        if result is None:
            found.gaps[gap_of(c)] += 1
            continue
        found.covered += 1
        line = f"{c.text} => {result}"
        found.hash.update(f"{line}\n".encode())
        kept = None
        if expected is not None:
            kept = expected[found.cases - 1] if found.cases <= len(expected) else ""
            same = kept == line
        else:
            digest = hashlib.sha256(line.encode()).hexdigest()[:4]
            same = digest == digests[4 * found.cases - 4 : 4 * found.cases]
        if not same:
            found.differs(c, result, kept)
    right = found.different == 0 and found.covered > 0 and found.cases == lines
    right = right and (bool(found.gaps) or found.hash.hexdigest() == whole)
    found.tell(right)
    return right


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m upsweep.golden", description=__doc__.split(":")[0]
    )
    parser.add_argument("--expected", metavar="FILE", help="the lines of the set")
    parser.add_argument("--recipe", metavar="FILE", help="another recipe")
    parser.add_argument("--threads", metavar="N", type=int)
    given = parser.parse_args()
    expected = given.expected and Path(given.expected).read_text("ascii").splitlines()
    recipe = given.recipe and Path(given.recipe).read_text("ascii")
    return 0 if check(recipe, expected, given.threads) else 1


if __name__ == "__main__":
    sys.exit(main())
