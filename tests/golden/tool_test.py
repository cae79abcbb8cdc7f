#!/usr/bin/env python3
"""`upsweep verify golden`: what it prints, and a fault that it must find.

tool_test.py TOOL SET WHOLE   SET is set.txt; WHOLE is 1 if the tool has the cases of the C++
interface too
"""

import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

TOOL, SET, WHOLE = sys.argv[1], Path(sys.argv[2]), sys.argv[3] == "1"
HASH = (Path(__file__).resolve().parent / "digests.txt").read_text().split()[0]


def verify(*words):
    done = subprocess.run([TOOL, "verify", *words], capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


class Golden(unittest.TestCase):
    def test_no_result_differs(self):
        status, out, err = verify("golden", "--threads", "2")
        self.assertEqual((status, err), (0, ""))
        covered = 24581 if WHOLE else 22168
        self.assertIn(f"{covered} of 24581 cases in ", out)
        self.assertIn("s: no result differs\n", out)
        if WHOLE:
            self.assertIn(f"SHA-256 of the set: {HASH}\n", out)
        else:
            self.assertIn("not in the C interface: 2413 cases: ", out)

    def test_json(self):
        status, out, _ = verify("golden", "--json")
        report = json.loads(out)
        self.assertEqual(status, 0)
        self.assertTrue(report["right"])
        self.assertEqual((report["cases"], report["different"]), (24581, 0))

    def test_a_wrong_digit_is_found(self):
        text = SET.read_text()
        line = "\nreduce op=sum type=f16 kind=scattered n=1 initial=none => c10ce00"
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text.replace(line + "0", line + "1"))
            file.flush()
            status, out, _ = verify("golden", "--expected", file.name)
        self.assertEqual(status, 1)
        self.assertIn(
            "case 3 differs: reduce op=sum type=f16 kind=scattered n=1 initial=none\n"
            "  computed c10ce000\n  expected c10ce001\n",
            out,
        )
        self.assertIn(": 1 differs\n", out)

    def test_options_are_refused_in_sentences(self):
        for words, sentence in (
            (["golden", "--seeds", "3"], "verify: --seeds is not for the golden set"),
            (["kogge_stone", "--threads", "2"], "verify: --threads is only for the golden set"),
            (["golden", "kogge_stone"], "verify: name the golden set or kernels, not both"),
        ):
            status, _, err = verify(*words)
            self.assertEqual(status, 2)
            self.assertIn(sentence, err)
        status, _, err = verify("golden", "--expected", "/nonexistent/set.txt")
        self.assertEqual(status, 4)
        self.assertIn("/nonexistent/set.txt cannot be read", err)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
