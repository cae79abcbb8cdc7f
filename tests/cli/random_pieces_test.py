"""Random tables and operators: what comes of pieces, and of a file that grows, is what one
`upsweep reduce` of the whole prints; and scans of pieces, each after those before it, are one
`upsweep scan` of the whole.
"""

import itertools
import json
import os
import random
import re
import statistics
import subprocess
import unittest

from pieces_test import PieceTool
from support import SEED, TOOL

CELLS = {
    "integers": lambda r: str(r.randint(-50, 50)),
    "counts": lambda r: str(r.randint(1, 50)),
    "decimals": lambda r: repr(round(r.uniform(-9, 9), r.randint(0, 4))),
    "wide": lambda r: repr(r.uniform(1, 9) * r.choice([1e200, 1e-200, 1, 0])),
    "large": lambda r: str(r.choice([2**53 + 1, 2**62, -(2**62), 2**63 - 1, 5])),
    "gaps": lambda r: r.choice(["", str(r.randint(0, 9))]),
}
OF_TWO = "slope correlation covariance weighted-mean weighted-std argmax argmin".split()
# What pieces cannot do.
REFUSED = ("all values at once", "depends on the position")


class RandomPiecesTest(PieceTool):
    def setUp(self):
        super().setUp()
        # Every operator of one column that reduces.
        self.of_one = [
            ":".join([one["name"], *filter(None, [one.get("parameter", {}).get("example")])])
            for one in json.loads(self.text("list", "operators", "--json"))["operators"]
            if "columns" not in one["takes"] and "scan only" not in one["meaning"]
        ]

    def table(self, r):
        """The kinds of its columns, and its rows. A column may become decimal late."""
        kinds = [r.choice([*CELLS, "late"]) for _ in range(r.randint(1, 4))]
        n = r.randint(1, 24)
        turn, rows = r.randint(0, n), []
        for i in range(n):
            late = str(r.randint(-5, 5)) if i < turn else r.choice(["0.5", "", "1e3"])
            rows.append([late if kind == "late" else CELLS[kind](r) for kind in kinds])
        return kinds, rows

    def request(self, r, names, grouped):
        ops = []
        for _ in range(r.randint(1, 5)):
            if len(names) > 1 and r.random() < 0.35:
                ops.append(":".join([r.choice(OF_TWO), *r.sample(names, 2)]))
            else:
                ops.append(f"{r.choice(self.of_one)}:{r.choice(names)}")
        skip = r.choice([[], ["--skip-missing"], ["--skip-rows-with-missing"]])
        return ["--op", ",".join(ops), *skip, *(["--by", "g"] if grouped else [])]

    def ask(self, *args):
        """What is printed, or None with the message in self.errors."""
        done = subprocess.run([TOOL, *args], capture_output=True, cwd=self.path, timeout=300)
        self.errors = done.stderr.decode()
        self.assertIn(done.returncode, (0, 2, 3, 6), f"{args}: {self.errors}")
        return done.stdout.decode() if done.returncode == 0 else None

    def resumed(self, args, header, lines, cuts):
        self.file("log.csv", header)
        got = None
        for a, b in itertools.pairwise([0, *cuts, len(lines)]):
            with open(os.path.join(self.path, "log.csv"), "a") as log:
                log.writelines(lines[a:b])
            got = self.ask("reduce", *args, "log.csv", "--resume", "state")
        return got

    def merged(self, args, header, lines, cuts):
        parts = []
        for i, (a, b) in enumerate(itertools.pairwise([0, *cuts, len(lines)])):
            piece = self.file(f"{i}.csv", header + "".join(lines[a:b]))
            if parts and self.ask("merge", *parts, "--partial", "front", "--force") is None:
                return None
            after = ["--after", "front"] if parts else []
            words = [piece, "--partial", f"{i}.part", "--force", *after]
            if self.ask("reduce", *args, *words) is None:
                return None
            parts.append(f"{i}.part")
        return self.ask("merge", *parts)

    def scanned(self, args, header, lines, cuts):
        """The rows of scans, each after the part of all rows before."""
        rows, parts, after = [], [], []
        for i, (a, b) in enumerate(itertools.pairwise([0, *cuts, len(lines)])):
            piece = self.file(f"{i}.csv", header + "".join(lines[a:b]))
            got = self.ask("scan", *args, piece, *after)
            if got is None:
                return None
            rows += got.splitlines()[1:]
            words = [piece, "--partial", f"{i}.part", "--force", *after]
            if self.ask("reduce", *args, *words) is None:
                return None
            parts.append(f"{i}.part")
            if self.ask("merge", *parts, "--partial", "front", "--force") is None:
                return None
            after = ["--after", "front"]
        return rows

    def test_scans_of_pieces_have_the_rows_of_the_whole(self):
        same = 0
        for case in range(int(os.environ.get("UPSWEEP_FUZZ_PIECES", "40"))):
            r = random.Random(SEED * 1_000_003 - 1 - case)
            kinds, rows = self.table(r)
            if "large" in kinds:  # earlier rows have no decimals of later ones to be rounded to
                continue
            header, lines = (
                ",".join("xyzw"[: len(kinds)]) + "\n",
                [",".join(x) + "\n" for x in rows],
            )
            args = self.request(r, list("xyzw")[: len(kinds)], False)
            whole = self.ask("scan", *args, self.file("whole.csv", header + "".join(lines)))
            cuts = sorted(r.randint(0, len(lines)) for _ in range(r.randint(1, 2)))
            got = self.scanned(args, header, lines, cuts)
            if got is None or whole is None:
                continue
            expected = whole.splitlines()[1:]
            if "late" in kinds:  # a product of integers is 0 where that of decimals is -0
                got, expected = ([re.sub(r"(?<![^,])-0(?![^,])", "0", row) for row in rows]
                                 for rows in (got, expected))  # fmt: skip
            what = f"{args} {cuts} {kinds} seed {SEED} case {case}"
            self.assertEqual(got, expected, f"{what}: {self.errors}")
            same += 1
        self.assertGreater(same, 10)

    def test_pieces_have_the_results_of_the_whole(self):
        same = 0
        for case in range(int(os.environ.get("UPSWEEP_FUZZ_PIECES", "40"))):
            r = random.Random(SEED * 1_000_003 + case)
            kinds, rows = self.table(r)
            names, grouped = list("xyzw")[: len(kinds)], r.random() < 0.4
            for row in rows if grouped else []:
                row.append(r.choice("pqr"))
            header = ",".join(names + ["g"] * grouped) + "\n"
            lines = [",".join(row) + "\n" for row in rows]
            args = self.request(r, names, grouped)
            whole = self.ask("reduce", *args, self.file("whole.csv", header + "".join(lines)))
            cuts = sorted(r.randint(0, len(lines)) for _ in range(r.randint(1, 2)))
            for how in (self.resumed, self.merged):
                got = how(args, header, lines, cuts)
                if got is None and any(words in self.errors for words in REFUSED):
                    continue
                what = f"{how.__name__} {args} {cuts} {kinds} seed {SEED} case {case}"
                self.assertEqual(got, whole, f"{what}: {self.errors}")
                same += got is not None
            if os.path.exists(os.path.join(self.path, "state")):
                os.unlink(os.path.join(self.path, "state"))
        self.assertGreater(same, 10)

    def test_operators_that_keep_all_values(self):
        source = random.Random(SEED)
        for late in (False, True):
            rows = [(source.choice("abc"), source.randint(-9, 9)) for _ in range(90)]
            values = [x + (0.5 if late and i > 60 else 0) for i, (_, x) in enumerate(rows)]
            texts = [source.choice(["x", "yy", ""]) for _ in rows]
            header = "g,x,t\n"
            lines = [f"{g},{x:g},{t}\n" for (g, _), x, t in zip(rows, values, texts, strict=True)]
            ops = "median:x,quantile:0.9:x,largest:2:x,smallest:1:x,mode:x,mode:t"
            parts = self.parts(header, lines, [1, 30, 71], "--by", "g", "--op", ops)
            got = self.text("merge", *reversed(parts)).splitlines()[1:]
            for line in got:
                group, *found = line.split(",")
                here = [i for i, (g, _) in enumerate(rows) if g == group]
                x, t = [values[i] for i in here], [texts[i] for i in here]
                ordered = sorted(x)
                self.assertEqual(float(found[0]), statistics.median(x))
                deciles = statistics.quantiles(x, n=10, method="inclusive")
                self.assertAlmostEqual(float(found[1]), deciles[8], 12)
                self.assertEqual([float(v) for v in found[2:4]], [ordered[-2], ordered[0]])
                self.assertEqual(float(found[4]), min(statistics.multimode(x)))
                self.assertEqual(found[5], min(statistics.multimode(t)))
            self.assertEqual(len(got), len({g for g, _ in rows}))


if __name__ == "__main__":
    unittest.main()
