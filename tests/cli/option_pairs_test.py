"""Whatever options meet, the tool ends soon, with a documented status and one sentence: never with
a signal. A sample of the pairs; all of them with the argument `full`."""

import concurrent.futures
import os
import random
import sys
import unittest

import option_pairs
from support import SEED, ToolTest

SAMPLE = 300


class OptionPairs(ToolTest):
    def test_every_command_with_options_is_found(self):
        found = option_pairs.commands()
        self.assertGreaterEqual(set(found), {"reduce", "scan", "select", "sort", "check"})
        options = dict(option_pairs.options_of("reduce"))
        self.assertEqual(options["--by"], "COLUMN,...")
        self.assertIsNone(options["--sorted"])
        self.assertGreaterEqual(len(options), 30)

    def test_pairs_end_with_a_status_and_a_sentence(self):
        cases = option_pairs.command_lines()
        self.assertGreater(len(cases), 2000)
        if FULL:
            chosen = cases
        else:
            chosen = random.Random(SEED).sample(cases, SAMPLE)
        workers = min(8, os.cpu_count() or 1)
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            found = [c for c in pool.map(option_pairs.complaint, chosen) if c]
        self.assertEqual(found, [], f"seed {SEED}: {len(found)} of {len(chosen)}")

    def test_those_that_once_crashed(self):
        for line, name in [
            (["scan", "--op", "first", "--keep", "all", "--list"], "numbers.txt"),
            (["scan", "--keep", "1", "--list"], "numbers.txt"),
            (["scan", "--by", "1", "--list"], "numbers.txt"),
            (["reduce", "--by", "1", "--list"], "numbers.txt"),
            (["reduce", "--by", "1", "--list"], "empty.csv"),
            (["reduce", "--op", "sum:2", "--list"], "numbers.txt"),
            (["reduce", "--number-format", "%1000000000f"], "numbers.txt"),
            (["sort", "--column=", "--from", "text"], "numbers.txt"),
            (["sort", "--column", ",", "--from", "text"], "numbers.txt"),
            (["reduce", "--number-format", "%.1000000000f"], "numbers.txt"),
        ]:
            self.fails(2, *line, stdin=option_pairs.INPUTS[name])
        self.assertEqual(
            self.text("reduce", "--op", "sum:1,max:1", "--list", stdin="1 2 3"), "6\t3\n"
        )


FULL = "full" in sys.argv[1:]

if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "full"])
