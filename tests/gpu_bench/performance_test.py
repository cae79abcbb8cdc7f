"""tools/gpu_performance.py on runs small enough to compute by hand."""

import copy
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
TOOL = TOOLS / "gpu_performance.py"


def row(work, kind, n, competitor, us, launch="plain", cold=True):
    return {
        "work": work,
        "type": kind,
        "n": n,
        "competitor": competitor,
        "launch": launch,
        "cold": cold,
        "us": us,
        "us_min": us,
        "us_max": us,
    }


def rows(work, kind, n, launch="plain", **times):
    return [row(work, kind, n, name, us, launch) for name, us in times.items()]


SAMPLE = {
    "format": 1,
    "gpu": "Sample GPU 9000",
    "driver": "580.1",
    "cuda": "13.0",
    "cub": "CUB 3.0.1",
    "revision": "abc",
    "version": "0.1.0",
    "date": "2026-01-02T03:04:05Z",
    "processors": 132,
    "wrong": [],
    "skipped": [],
    "rows": [
        # 1 GiB: 490 of 500 is 0.98 of memcpy, 1.4 times CUB; the exclusive scan is the worse one
        # with 0.96 and 1.36.
        *rows("inclusive_scan", "f32", 2**28, upsweep=500, cub=700, memcpy=490, thrust=710),
        *rows("exclusive_scan", "f32", 2**28, upsweep=500, cub=680, memcpy=480),
        # 128 MiB of traffic, in f32 and in f64.
        *rows("inclusive_scan", "f32", 2**24, upsweep=40, cub=50, memcpy=36),
        *rows("inclusive_scan", "f64", 2**23, upsweep=40, cub=52, memcpy=38),
        # Small: plain 1.0 of memcpy, in a graph 0.9, which is the worse.
        *rows("inclusive_scan", "f32", 2**16, upsweep=4, cub=9, memcpy=4),
        *rows("inclusive_scan", "f32", 2**16, launch="graph", upsweep=4, cub=9, memcpy=3.6),
        row("inclusive_scan", "f32", 2**16, "upsweep", 99, cold=False),  # warm: enters no goal
        # The faster of the two read loops is the limit: 99 of 100.
        *rows("reduce", "f32", 2**26, upsweep=100, cub=105, read_4=101, read_8=99),
        row("reduce", "f32", 2**10, "upsweep", 2.5, "host", False),
        row("reduce", "f32", 2**10, "cub", 4, "host", False),
        row("inclusive_scan", "f32", 2**10, "upsweep", 3.6, "host", False),
    ],
}
# The same machine with a newer CUB, in a process in which everything took twice as long: only
# ratios within it mean something.
NEWER = {
    **SAMPLE,
    "cub": "cccl 3.5.0",
    "rows": rows("inclusive_scan", "f32", 2**28, upsweep=1000, cccl=1100, memcpy=980),
}


def as_cells(report):
    """The same run as the harness writes it: cells with the rounds of every competitor."""
    prefixes = {"exact_": "exact_sum", "affine_": "affine"}
    cells = {}
    for r in report["rows"]:
        prefix = next((p for p in prefixes if r["type"].startswith(p)), "")
        what = {
            "verb": r["work"],
            "op": prefixes.get(prefix, "sum"),
            "type": r["type"].removeprefix(prefix),
            "in_place": False,
            "n": r["n"],
            "cold": r["cold"],
            "launch": r["launch"],
        }
        cell = cells.setdefault(tuple(what.values()), {**what, "traffic": 0, "all": []})
        rounds = [r["us"] * 1e-6, r["us"] * 2e-6, r["us"] * 0.9e-6]
        cell["all"].append(
            {"name": r["competitor"], "correct": True, "repeats": 7, "seconds": rounds}
        )
    names = sorted({r["competitor"] for r in report["rows"]})
    return {
        "format": 1,
        "date": report["date"],
        "build": {"version": report["version"], "revision": report["revision"]},
        "skipped": [],
        "gpu": {
            "name": report["gpu"],
            "driver": report["driver"],
            "toolkit": report["cuda"],
            "multiprocessors": report["processors"],
        },
        "competitors": [
            {"name": n, "title": report["cub"] if n in ("cub", "cccl") else n, "role": "peer"}
            for n in names
        ],
        "cells": list(cells.values()),
    }


class GpuPerformance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.out = self.path / "docs" / "performance.md"
        self.out.parent.mkdir()
        self.out.write_text("# Speed\n\nOf the processor.\n")

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

    def keep(self, *reports, status=0):
        files = []
        for i, report in enumerate(reports):
            files.append(self.path / f"{i}.json")
            files[-1].write_text(json.dumps(report))
        return self.run_script("--keep", *files, status=status)

    def page_of(self, *reports):
        self.keep(*reports)
        return self.out.read_text()

    def test_judges_every_goal_by_its_worst_configuration(self):
        lines = self.page_of(SAMPLE).splitlines()
        large = "scan f32 i32 f64 i64 affine, 1 GiB of input and more"
        for line in [
            (
                f"| {large} | ≥ 0.97 of the memcpy | **0.96** (up to 0.98) at exclusive scan "
                "f32, 2^28 | 1 % short |"
            ),
            f"| {large} | ≥ 1.25 × CUB | **1.36** (up to 1.4) at exclusive scan f32, 2^28 | yes |",
            f"| {large} | ≥ 1 × the newer CCCL | not measured |  |",
            (
                "| the same, 128 MiB of traffic | ≥ 0.9 of the memcpy | **0.9** (up to 0.95) at "
                "inclusive scan f32, 2^24 | yes |"
            ),
            (
                "| scan, n ≤ 2^18, plain and graph | ≥ 0.92 of the memcpy | **0.9** (up to 1) at "
                "inclusive scan f32, 2^16, graph | 2.2 % short |"
            ),
            (
                "| scan, n ≤ 2^18, plain and graph | ≥ 2 × CUB | **2.25** (up to 2.25) at "
                "inclusive scan f32, 2^16 | yes |"
            ),
            "| reduce, n ≥ 2^26 | ≥ 0.98 of the read loop | **0.99** at reduce f32, 2^26 | yes |",
            (
                "| host time of a call, n = 2^10 | ≤ 3 µs | **3.6 µs** (down to 2.5 µs) "
                "at inclusive scan f32 | 20 % over |"
            ),
        ]:
            self.assertIn(line, lines)

    def test_shows_times_beside_the_limit_and_the_peers(self):
        page = self.page_of(SAMPLE)
        self.assertIn(
            (
                "| n | Upsweep | in a graph | CUB | Thrust | memcpy | of the memcpy | × CUB | × "
                "Thrust |"
            ),
            page,
        )
        self.assertIn("| 2^28 | 500 | – | 700 | 710 | 490 | 98 % | 1.40 | 1.42 |", page)
        self.assertIn("| 2^16 | 4 | 4 | 9 | – | 4 | 100 % | 2.25 | – |", page)
        self.assertIn(
            "| 2^23 | 40 | – | 52 | 38 | 95 % | 1.30 |", page
        )  # no column for a peer that has nothing there
        self.assertIn("| Reduce | f32 | 2.5 | 4 | – |", page)
        self.assertIn("<svg", self.out.with_name("performance_gpu.svg").read_text())

    def test_reads_the_cells_of_the_harness_and_the_rows_of_older_reports_alike(self):
        old = {
            **SAMPLE,
            "rows": [
                *SAMPLE["rows"],
                *rows("reduce", "exact_f32", 2**26, upsweep=110, cub=105, read_4=101),
                *rows("inclusive_scan", "affine_f32", 2**28, upsweep=900, cub=1500, memcpy=880),
            ],
        }
        page = self.page_of(old)
        self.assertIn("### Reduce, exact sum of f32", page)
        self.assertEqual(self.page_of(as_cells(old)), page)

    def test_lists_the_wrong_results_and_the_gaps_of_the_harness(self):
        report = as_cells(SAMPLE)
        what = {"verb": "reduce", "op": "sum", "type": "u8", "n": 2**20}
        report["skipped"] = [{**what, "reason": "no memory"}]
        report["cells"].append(
            {
                **what,
                "launch": "plain",
                "cold": True,
                "all": [
                    {
                        "name": "upsweep",
                        "correct": False,
                        "difference": "the total is not CUB's",
                        "repeats": 1,
                        "seconds": [],
                    }
                ],
            }
        )
        page = self.page_of(report)
        self.assertIn("- reduce u8, n = 2^20: the total is not CUB's", page)
        self.assertIn("that were not measured: 1 ", page)

    def test_compares_only_what_one_process_measured(self):
        page = self.page_of(NEWER, SAMPLE)  # the order on the command line does not matter
        self.assertIn("| ≥ 1 × the newer CCCL | **1.1** at inclusive scan f32, 2^28 | yes |", page)
        self.assertIn(
            "| 2^28 | 500 | – | 700 | 1100 | 710 | 490 | 98 % | 1.40 | 1.10 | 1.42 |", page
        )
        self.assertEqual(page.count("## Sample GPU 9000"), 1)
        self.assertIn("| Peers | CUB 3.0.1, cccl 3.5.0 |", page)

    def test_refuses_a_report_that_does_not_say_what_was_measured(self):
        for key in ["gpu", "driver", "cuda", "revision"]:
            report = {**SAMPLE, key: ""}
            self.assertIn(f"lacks {key}; run the benchmark again", self.keep(report, status=3))
            del report[key]
            self.assertIn(f"lacks {key};", self.keep(report, status=3))
        self.assertIn(
            "not a report of upsweep_gpu_bench in format 1",
            self.keep({**SAMPLE, "format": 2}, status=3),
        )
        self.assertFalse((self.path / "results").exists())
        self.assertEqual(self.out.read_text(), "# Speed\n\nOf the processor.\n")

    def test_keeps_the_rest_of_the_page_and_notices_a_stale_section(self):
        first = self.page_of(SAMPLE)
        self.assertTrue(first.startswith("# Speed\n\nOf the processor.\n\n<!-- GPU: begin"))
        self.assertEqual(
            [p.name for p in (self.path / "results").iterdir()],
            ["2026-01-02-sample-gpu-9000.json.bz2"],
            ["2026-01-02-sample-gpu-9000.json.bz2"],
        )
        self.assertEqual(self.page_of(SAMPLE), first)
        self.run_script("--check")
        self.out.write_text(first.replace("| 500 |", "| 400 |") + "\nBehind it.\n")
        self.assertIn("run tools/gpu_performance.py", self.run_script("--check", status=1))
        self.run_script()
        self.assertEqual(self.out.read_text(), first + "\nBehind it.\n")

    def test_lists_wrong_results_and_counts_what_was_not_measured(self):
        report = copy.deepcopy(SAMPLE)
        report["wrong"] = [
            {"work": "reduce", "type": "u8", "n": 2**20, "sentence": "the total is not CUB's"}
        ]
        report["skipped"] = [
            {"work": "reduce", "type": "u8", "n": 2**30, "sentence": "no memory"}
        ] * 2
        page = self.page_of(report)
        self.assertIn("- reduce u8, n = 2^20: the total is not CUB's", page)
        self.assertIn("that were not measured: 2 ", page)

    def test_leaves_the_page_alone_when_no_run_is_kept(self):
        self.run_script()
        self.assertEqual(self.out.read_text(), "# Speed\n\nOf the processor.\n")

    def test_the_page_of_the_processor_carries_the_section(self):
        self.keep(SAMPLE)
        (self.path / "all" / "gpu").mkdir(parents=True)
        (self.path / "results" / "2026-01-02-sample-gpu-9000.json.bz2").rename(
            self.path / "all" / "gpu" / "run.json.bz2"
        )
        subprocess.run(
            [
                sys.executable,
                "-B",
                TOOLS / "performance.py",
                "--results",
                self.path / "all",
                "--out",
                self.out,
            ],
            check=True,
        )
        page = self.out.read_text()
        self.assertIn("There are no runs yet", page)
        self.assertIn("## Sample GPU 9000", page)


if __name__ == "__main__":
    unittest.main()
