"""tests/lab/cases: what the emulator says about small kernels, on several schedules.

A kernel's expectation is the comment above it: `// EXPECT none`, or the kind of a finding and
parts of its sentence, `// EXPECT race in a block: atomicAdd()`, with `not` before what it must not
say; `with 20` are the arguments of the run, and `prints 7` is what it has to print.
"""

import re
import sys
import unittest
from pathlib import Path

from program_test import ProgramTest, supported

HOME = Path(__file__).resolve().parent / "cases"
SCHEDULES = [("in-order", "0"), ("random", "3"), ("round-robin", "0"), ("adversarial", "3")]


def expectations():
    for path in sorted(HOME.glob("*.cu")):
        text = path.read_text()
        names = re.findall(r"^CASE\((\w+),", text, re.MULTILINE)
        told = []
        for block in text.split("\n\n"):
            lines = re.findall(r"// EXPECT (.+)", block)
            name = re.search(r"^CASE\((\w+),", block, re.MULTILINE)
            if lines:
                told.append(name.group(1))
                yield from ((path, name.group(1), line) for line in lines)
        assert sorted(told) == sorted(names), f"{path}: {set(names) ^ set(told)}"


class Cases(ProgramTest):
    def check(self, path, name, line):
        asked, *options = re.split(r"; (?=with |prints |on )", line)
        with_ = [o[5:] for o in options if o.startswith("with ")]
        prints = [o[7:] for o in options if o.startswith("prints ")]
        only = [o[3:] for o in options if o.startswith("on ")]
        kind, *parts = re.split(r": |; ", asked)
        of_orders = path.stem == "updates"  # what is found there depends on the order
        for schedule, seed in SCHEDULES if of_orders else SCHEDULES[:2]:
            if only and schedule not in only:
                continue
            status = 0 if kind == "none" else 1
            report = self.json(
                "--schedule", schedule, "--seed", seed, str(path), name, *with_, status=status
            )
            found = report["findings"]
            said = f"{path.name} {name} {with_}, {schedule}: {found}"
            if kind == "none":
                self.assertEqual(found, [], said)
            else:
                self.assertIn(kind, [f["kind"] for f in found], said)
                sentences = "\n".join(f["sentence"] for f in found if f["kind"] == kind)
                everything = "\n".join(f["sentence"] for f in found)
                for part in parts:
                    if part.startswith("not "):
                        self.assertNotIn(part[4:], everything, said)
                    else:
                        self.assertIn(part, sentences, said)
            if prints:
                self.assertEqual(self.printed.strip(), prints[0], said)

    def test_every_case_is_told_as_its_comment_expects(self):
        count = 0
        for path, name, line in expectations():
            with self.subTest(path=path.name, name=name, line=line):
                self.check(path, name, line)
            count += 1
        self.assertGreater(count, 10)


if __name__ == "__main__":
    if not supported():
        sys.exit(77)
    unittest.main()
