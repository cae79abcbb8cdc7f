"""tools/results.py: kept runs are compressed, small, and those that were stored."""

import bz2
import json
import pathlib
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import results  # noqa: E402

MOST = 800_000  # bytes of bench/results
LONGEST = 15_000  # bytes of one that is not compressed

RUN = {
    "format": 1,
    "machine": {"cpu": "a µ-CPU", "caches": [{"level": 1}, {"level": 2}]},
    "cells": [{"n": 16, "all": [{"name": "read", "seconds": [7.582e-09, 1e-300]}]}, {"n": 2**60}],
    "verbs": [],
}


class Results(unittest.TestCase):
    def test_a_kept_run_is_compressed_and_read_back_bit_for_bit(self):
        with tempfile.TemporaryDirectory() as folder:
            path, kept = pathlib.Path(folder, "run.json"), pathlib.Path(folder, "kept")
            path.write_text(json.dumps(RUN))
            self.assertEqual(results.load(path), RUN)
            results.keep(path, kept, "name")
            self.assertEqual(results.runs(kept), [("name", kept / "name.json.bz2")])
            text = bz2.decompress((kept / "name.json.bz2").read_bytes()).decode()
            self.assertEqual(json.loads(text), RUN)
            self.assertIn('\n  {"n":1152921504606846976}\n', text)  # a line for each cell
            self.assertEqual(results.load(kept / "name.json.bz2"), RUN)

    def test_long_results_of_the_tree_are_compressed_and_all_are_small(self):
        files = [p for p in (ROOT / "bench" / "results").rglob("*") if p.is_file()]
        for path in files:
            if path.suffix != ".bz2":
                self.assertLess(path.stat().st_size, LONGEST, f"{path}: compress it by bzip2")
        self.assertLess(sum(p.stat().st_size for p in files), MOST, "keep the newest runs only")


if __name__ == "__main__":
    unittest.main()
