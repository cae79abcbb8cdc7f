"""tools/results.py: packed runs are read back bit for bit, and those that are kept are packed."""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import results  # noqa: E402

MOST = 1_200_000  # bytes of bench/results


def cell(n, *timed, **others):
    return {"verb": "reduce", "in_place": False, "n": n, **others, "all": list(timed)}


def times(name, *seconds, **others):
    return {"name": name, "correct": True, "repeats": 3, "seconds": list(seconds), **others}


RUN = {
    "format": 1,
    "machine": {"cpu": "a µ-CPU", "caches": [{"level": 1}, {"level": 2}]},
    "cells": [
        cell(16, times("read", 7.582e-09, 1.62e-07), times("upsweep", 1.0, 0.5)),
        cell(2**28, times("read", 0.0, 3.0), data="10 % kept"),
        cell(2**60, {"name": "wrong", "correct": False, "seconds": [], "difference": "1, not 2"}),
        cell(3, times("upsweep", 123.0, 1e-300, threads=2), nothing=None),
        cell(4),
    ],
    "by_threads": [],
    "verbs": [],
}


def without_repeats(value):
    if isinstance(value, dict):
        return {k: without_repeats(v) for k, v in value.items() if k != "repeats"}
    return [without_repeats(v) for v in value] if isinstance(value, list) else value


class Results(unittest.TestCase):
    def test_a_packed_run_is_read_back_bit_for_bit(self):
        packed = json.loads(results.packed_text(RUN))
        self.assertNotEqual(packed["cells"], RUN["cells"])
        self.assertEqual(results.unpacked(packed), without_repeats(RUN))
        again = json.loads(results.packed_text(results.unpacked(packed)))
        self.assertEqual(again, packed)

    def test_numbers_of_any_size_survive(self):
        for numbers in ([0], [31, 32, 1023, 1024], [2**70, 0, 5], []):
            self.assertEqual(results.numbers_of(results.written(numbers)), numbers)
        for series in ([], [0.1], [3.0, 3.0], [1e-9, 123456.789], [5e-324, 1.7e308]):
            self.assertEqual(results.series_of(results.series_text(series)), series)

    def test_a_run_that_is_not_packed_is_read_too(self):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder, "run.json")
            path.write_text(json.dumps(RUN))
            self.assertEqual(results.load(path), RUN)
            results.keep(path, pathlib.Path(folder, "kept"), "name.json")
            kept = pathlib.Path(folder, "kept", "name.json")
            self.assertEqual(results.load(kept), without_repeats(RUN))
            tool = [sys.executable, "-B", ROOT / "tools" / "results.py", kept]
            shown = subprocess.run(tool, check=True, capture_output=True, text=True).stdout
            self.assertEqual(json.loads(shown), without_repeats(RUN))

    def test_kept_results_are_packed_and_small(self):
        files = [p for p in (ROOT / "bench" / "results").rglob("*") if p.is_file()]
        for path in files:
            report = json.loads(path.read_text()) if path.suffix == ".json" else {}
            for name in ("cells", "verbs", "by_threads"):
                if report.get(name):
                    packed = results.is_table(report[name])
                    self.assertTrue(packed, f"{path}: run tools/results.py --pack {path}")
        self.assertLess(sum(p.stat().st_size for p in files), MOST, "keep the newest runs only")


if __name__ == "__main__":
    unittest.main()
