"""tools/performance.py on a run small enough to compute by hand."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "performance.py"
NAMES = [
    ("stream-all", "limit"),
    ("copy-all", "limit"),
    ("read", "limit"),
    ("upsweep", "upsweep"),
    ("upsweep-fast", "upsweep"),
    ("loop", "peer"),
    ("tbb", "peer"),
    ("openmp", "peer"),
]


def cell(verb, op, kind, n, traffic, **seconds):
    timed = [
        {"name": name.replace("_", "-"), "correct": True, "repeats": 1, "seconds": values}
        for name, values in seconds.items()
    ]
    return {
        "verb": verb,
        "op": op,
        "type": kind,
        "in_place": False,
        "n": n,
        "cold": n >= 2**24,
        "traffic": traffic,
        "all": timed,
    }


SAMPLE = {
    "format": 1,
    "date": "2026-01-02T03:04:05Z",
    "command": "upsweep bench",
    "threads": 4,
    "machine": {
        "cpu": "Sample CPU @ 3 GHz",
        "family": "Sample family 1",
        "online": 8,
        "affinity": 4,
        "quota": 3.5,
        "threads": 4,
        "simd": "AVX2",
        "caches": [
            {"level": 1, "kind": "Data", "bytes": 32768, "shared_by": 1},
            {"level": 3, "kind": "Unified", "bytes": 33554432, "shared_by": 8},
        ],
        "memory": 17179869184,
        "huge_pages": "madvise",
        "virtual": True,
        "system": "Linux 6.1",
        "distribution": "Debian 12",
    },
    "build": {
        "version": "0.1.0",
        "revision": "abc",
        "compiler": "GNU 12",
        "type": "Release",
        "flags": "-O3",
        "peer_flags": "-O3 -march=native",
    },
    "competitors": [{"name": name, "title": name.upper(), "role": role} for name, role in NAMES],
    "absent": [{"name": "numpy", "reason": "not installed"}],
    "cells": [
        # 16 floats in 25 ns: 108 % over the goal of 12 ns.
        cell(
            "reduce",
            "sum",
            "f32",
            16,
            64,
            read=[4e-9] * 3,
            upsweep=[25e-9, 24e-9, 26e-9],
            upsweep_fast=[25e-9] * 3,
            loop=[9e-9] * 3,
        ),
        # Share of the read limit per round: 10/12.5, 20/25, 10/10; the median is 0.8.
        # TBB: 12.5/12.5, 25/25, 10/10 = 1.
        cell(
            "reduce",
            "sum",
            "f32",
            2**24,
            2**26,
            read=[10e-3, 20e-3, 10e-3],
            upsweep=[12.5e-3, 25e-3, 10e-3],
            tbb=[12.5e-3, 25e-3, 10e-3],
            loop=[30e-3] * 3,
        ),
        # Share of the non-temporal copy: 36/40 = 0.9, although the plain copy is the tighter limit
        # (32/40). Twice OpenMP.
        cell(
            "inclusive_scan",
            "sum",
            "f32",
            2**26,
            2**29,
            stream_all=[36e-3] * 3,
            copy_all=[32e-3] * 3,
            upsweep=[40e-3] * 3,
            tbb=[120e-3] * 3,
            loop=[160e-3] * 3,
            openmp=[80e-3] * 3,
        ),
        # Half as fast as the built-in sum.
        cell("reduce", "user", "f32", 2**24, 2**26, upsweep=[25e-3] * 3),
        # Two sizes of one goal: 2.5 and 2 times OpenMP, the best peer; the worse decides.
        cell(
            "inclusive_scan",
            "sum",
            "f32",
            2**18,
            2**21,
            copy_all=[1e-6] * 3,
            upsweep=[2e-6] * 3,
            tbb=[10e-6] * 3,
            openmp=[5e-6] * 3,
        ),
        cell(
            "inclusive_scan",
            "sum",
            "f32",
            2**20,
            2**23,
            copy_all=[1e-4] * 3,
            upsweep=[2e-4] * 3,
            tbb=[6e-4] * 3,
            openmp=[4e-4] * 3,
        ),
    ],
}


class Performance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "docs" / "performance.md"
        (self.path / "results").mkdir()

    def run_script(self, *args, status=0):
        done = subprocess.run(
            [
                sys.executable,
                "-B",
                TOOL,
                "--results",
                self.path / "results",
                "--out",
                self.out,
                *args,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stderr)
        return done.stderr

    def page_of(self, report):
        (self.path / "results" / "run.json").write_text(json.dumps(report))
        self.run_script()
        return self.out.read_text()

    def test_judges_every_goal_by_its_worst_cell(self):
        page = self.page_of(SAMPLE)
        for line in [
            "| reduce of 16 floats | ≤ 12 ns | **25 ns** at 2^4 | 108 % over |",
            "| reduce, sum, n ≥ 2^24 | ≥ 0.97 of the limit | **0.8** at 2^24 f32 | 18 % short |",
            "| reduce, sum, n ≥ 2^14 | ≥ 0.97 × the best peer | **1** at 2^24 f32 | met |",
            (
                "| reduce, user's sum, n ≥ 2^24 | ≥ 0.9 of the built-in sum | **0.5** at 2^24 | "
                "44 % short |"
            ),
            "| scan, sum, n > 2^24 | ≥ 0.85 of a non-temporal copy | **0.9** at 2^26 f32 | met |",
            (
                "| scan, sum, 2^17 … 2^24 | ≥ 1.25 × the best peer | **2** (up to 2.5) at 2^20 f32 "
                "| met |"
            ),
            "| scan, affine, f32, 2^10 … 2^20 | ≥ 1.8 × the loop | not measured |  |",
        ]:
            self.assertIn(line, page.splitlines())

    def test_shows_speeds_with_their_spread_and_the_share_of_the_tightest_limit(self):
        page = self.page_of(SAMPLE)
        # 2^26 bytes in 10, 20, 10 ms: 6.71, 3.36, 6.71 GB/s, quartiles 5.03 and 6.71, half their
        # distance 1/8 of the median. In 12.5, 25, 10 ms: 5.37, 2.68, 6.71 GB/s, quartiles 4.03 and
        # 6.04, half their distance 3/16 of the median.
        self.assertIn(
            "| 2^24 | 6.71 ± 12 % | 5.37 ± 19 % | – | 2.24 | 5.37 ± 19 % | 80 % | 1.00 |", page
        )
        # 2^29 bytes in 32 and 40 ms; OpenMP is the best peer.
        self.assertIn("| 2^26 | 16.8 | 13.4 | 3.36 | 4.47 | 6.71 | 80 % | 2.00 |", page)

    def test_describes_the_machine_and_how_to_measure_again(self):
        page = self.page_of(SAMPLE)
        for text in [
            "## Sample CPU @ 3 GHz, 4 threads",
            "| Processor | Sample CPU @ 3 GHz (Sample family 1), in a virtual machine |",
            "| Threads | 4 of 8 CPUs, cgroup quota 3.5 |",
            "| Caches | L1 32 KiB, L3 32 MiB for 8 CPUs |",
            "| Memory | 16 GiB, huge pages: madvise |",
            "| Not available | numpy: not installed |",
            "make bench",
            "do not edit",
        ]:
            self.assertIn(text, page)
        self.assertIn("](speed/run.svg)", page)
        self.assertIn("<svg", self.out.with_name("speed").joinpath("run.svg").read_text())

    def test_compares_numbers_of_threads_in_tables_and_a_figure(self):
        def series(name, threads, seconds):
            return {"name": name, "correct": True, "repeats": 1, "seconds": [seconds] * 3,
                    "threads": threads}  # fmt: skip

        def compared(verb, n, names):
            one = cell(verb, "sum", "f32", n, 4 * n * (1 if verb == "reduce" else 2))
            one["all"] = [series(name, t, 4e-3 / t) for t in (1, 2, 4) for name in names]
            return one

        report = copy.deepcopy(SAMPLE)
        report["by_threads"] = [
            compared(verb, n, names)
            for verb, names in [
                ("reduce", ["read", "upsweep"]),
                ("inclusive_scan", ["copy", "stream", "upsweep"]),
            ]
            for n in (2**20, 2**26)
        ]
        page = self.page_of(report)
        # 2^28 bytes in 4, 2, 1 ms, and twice as many for the scan.
        self.assertIn("In memory, n = 2^26:", page)
        self.assertIn("| 1 | 67.1 | 67.1 | 134 | 134 | 134 |", page)
        self.assertIn("| 4 | 268 | 268 | 537 | 537 | 537 |", page)
        self.assertIn("In a cache, n = 2^20:", page)
        self.assertIn("| 2 | 2.1 | 2.1 | 4.19 | 4.19 | 4.19 |", page)
        self.assertIn("](speed/run-by-threads.svg)", page)
        drawing = self.out.with_name("speed").joinpath("run-by-threads.svg").read_text()
        self.assertIn("against the number of threads", drawing)
        self.assertEqual(drawing.count("<polyline"), 2 * 2 + 2 * 3)
        self.assertNotIn("### Threads", self.page_of(SAMPLE))

    def test_shows_every_operator_of_a_run_that_has_them_without_goals(self):
        report = copy.deepcopy(SAMPLE)
        report["cells"] = [
            cell("reduce", op, kind, n, 4 * n, read=[1e-6] * 3, upsweep=[2e-6] * 3)
            for op, kind in (("min", "f32"), ("gcd", "i32"))
            for n in (2**14, 2**22)
        ]
        page = self.page_of(report)
        self.assertIn(
            "| operator | type | reduce, 2^14 | of the limit | reduce, 2^22 | of the limit |", page
        )
        self.assertIn("| gcd | i32 | 32.8 | 50 % | 8.39e+03 | 50 % |", page)
        self.assertNotIn("### Goals", page)

    def test_lists_wrong_results(self):
        report = copy.deepcopy(SAMPLE)
        report["cells"][1]["all"].append(
            {"name": "openmp", "correct": False, "repeats": 1, "seconds": []}
        )
        self.assertIn("- OPENMP: reduce sum of f32, n = 2^24", self.page_of(report))
        self.assertNotIn("Wrong results", self.page_of(SAMPLE))

    def test_keeps_a_run_under_its_date_and_machine_and_notices_a_stale_page(self):
        (self.path / "new.json").write_text(json.dumps(SAMPLE))
        self.run_script("--keep", self.path / "new.json")
        self.assertEqual(
            [p.name for p in (self.path / "results").iterdir()],
            ["2026-01-02-sample-cpu-3-ghz-4-threads.json.bz2"],
        )
        self.run_script("--check")
        self.out.write_text(self.out.read_text().replace("44 %", "43 %"))
        self.assertIn("run tools/performance.py", self.run_script("--check", status=1))

    def test_refuses_a_report_of_another_format(self):
        (self.path / "results" / "old.json").write_text(json.dumps({**SAMPLE, "format": 0}))
        self.assertIn("format 0, expected 1", self.run_script(status=1))


if __name__ == "__main__":
    unittest.main()
