"""The golden set on this machine: `python -m upsweep.golden` computes its cases by the functions of
this package, with inputs by NumPy, and compares them with the set's digests. docs/spec/golden.md
describes the recipe, the inputs and the texts of results.

    python -m upsweep.golden                  prints what differs, how many cases, and the hash
    python -m upsweep.golden --expected FILE  compares with the lines of tests/golden/set.txt
    python -m upsweep.golden --threads N      on at most N threads
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
import sys
import time
from collections import Counter
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from upsweep._golden_cases import Case, computed

if TYPE_CHECKING:
    from collections.abc import Iterator

SHOWN = 20  # of the results that differ


def expanded(recipe: str, threads: int | None) -> Iterator[Case]:
    """All cases of a recipe; the rightmost list of a line varies fastest."""
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
    """What the package lacks for a case."""
    if c["type"] == "bf16":
        return "bf16"
    if c["coefficients"]:
        return "recurrence"
    return "out=element" if c["out"] == "element" else c["op"] or c.verb


def check(recipe: str | None = None, expected: list[str] | None = None, threads=None) -> bool:
    """Computes the set, and prints what differs, how many cases, and the hash. Whether nothing
    differs."""
    own, whole, lines, digests = known()
    begin, covered, different, cases = time.monotonic(), 0, 0, 0
    hash_of_lines, gaps = hashlib.sha256(), Counter()
    for c in expanded(own if recipe is None else recipe, threads):
        cases += 1
        result = computed(c)
        if result is None:
            gaps[gap_of(c)] += 1
            continue
        covered += 1
        line = f"{c.text} => {result}"
        hash_of_lines.update(f"{line}\n".encode())
        if expected is not None:
            kept = expected[cases - 1] if cases <= len(expected) else ""
            same = kept == line
        else:
            same = hashlib.sha256(line.encode()).hexdigest()[:4] == digests[4 * cases - 4 : 4 * cases]
        if same:
            continue
        different += 1
        if different <= SHOWN:
            print(f"case {cases} differs: {c.text}\n  computed {result}")
            if expected is not None:
                print(f"  expected {kept.rpartition(' => ')[2]}")
    if different > SHOWN:
        print(f"... and {different - SHOWN} more")
    digits = hash_of_lines.hexdigest()
    right = different == 0 and covered > 0 and cases == lines and (covered < cases or digits == whole)
    seconds = time.monotonic() - begin
    verdict = "no result differs" if right else f"{different} differ"
    print(f"{covered} of {cases} cases in {seconds:.1f} s: {verdict}")
    if gaps:
        names = ", ".join(f"{name} {count}" for name, count in gaps.items())
        print(f"not in the package: {cases - covered} cases: {names}")
    print(f"SHA-256 of {'the lines of these cases' if gaps else 'the set'}: {digits}")
    return right


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m upsweep.golden", description=__doc__.split(":")[0])
    parser.add_argument("--expected", metavar="FILE", help="the lines of the set")
    parser.add_argument("--recipe", metavar="FILE", help="another recipe")
    parser.add_argument("--threads", metavar="N", type=int)
    given = parser.parse_args()
    expected = given.expected and Path(given.expected).read_text("ascii").splitlines()
    recipe = given.recipe and Path(given.recipe).read_text("ascii")
    return 0 if check(recipe, expected, given.threads) else 1


if __name__ == "__main__":
    sys.exit(main())
