"""tools/gpu_verb_tables.py on outputs of the programs with and without warm calls and graphs."""

import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = ROOT / "tools" / "gpu_verb_tables.py"
PROGRAMS = ["selections", "histograms", "segments", "windows", "tables", "recurrences", "sorts"]


def headings(sizes):
    """The headings of the page's first program if all programs have measured these sections."""
    with tempfile.TemporaryDirectory() as folder:
        for program in PROGRAMS:
            tables = "".join(f"\n## {size}\n\ntable of {size}\n" for size in sizes)
            text = f"# {program}\n\nPrinted by a program.\n"
            pathlib.Path(folder, f"2026-01-30-gpu-{program}.md").write_text(text + tables)
            pathlib.Path(folder, f"2026-01-04-gpu-{program}.md").write_text(f"{text}\n## older\n")
        page = subprocess.run(
            [sys.executable, TOOL, folder, "gpu"], capture_output=True, text=True, check=True
        ).stdout
    of_first = page.split("\n## ")[1].split("\n### ")[1:]
    return [part.split("\n", 1)[0] for part in of_first]


class VerbTables(unittest.TestCase):
    def test_shows_a_small_size_in_all_ways_and_the_largest(self):
        ways = ["", ", warm", ", in a graph"]
        measured = [f"2^{k} bytes{way}" for k in (12, 20, 24) for way in ways] + ["2^30 bytes"]
        small = ["2^20 bytes", "2^20 bytes, warm", "2^20 bytes, in a graph"]
        self.assertEqual(headings(measured), [*small, "2^30 bytes"])

    def test_ends_with_the_cold_calls_if_all_sizes_are_small(self):
        ways = ["", ", warm", ", in a graph"]
        measured = [f"2^{k} bytes{way}" for k in (20, 24) for way in ways]
        self.assertEqual(headings(measured)[-1], "2^24 bytes")

    def test_takes_outputs_of_cold_calls_only(self):
        self.assertEqual(
            headings(["2^12 bytes", "2^20 bytes", "2^30 bytes"]), ["2^20 bytes", "2^30 bytes"]
        )

    def test_begins_with_the_ratios_to_cub_of_each_size(self):
        head = "| type | verb | µs | CUB, µs | times as fast |\n| --- | --- | --- | --- | --- |\n"
        cold = "".join(f"| f32 | verb {k} | 2 | {k} | {k / 2} |\n" for k in (1, 3, 8))
        with tempfile.TemporaryDirectory() as folder:
            for program in PROGRAMS:
                text = f"# {program}\n\n## 2^20 bytes\n\n{head}{cold}| f32 | a copy | 2 |  |  |\n"
                text += f"\n## 2^20 bytes, warm\n\n{head}| f32 | verb 1 | 2 | 24 | 12.0 |\n"
                pathlib.Path(folder, f"2026-01-30-gpu-{program}.md").write_text(text)
            page = subprocess.run(
                [sys.executable, TOOL, folder, "gpu"], capture_output=True, text=True, check=True
            ).stdout
        self.assertIn("\n| 2^20 bytes | 0.50, 1.50, 4.00 | 12, 12, 12 |  |\n", page)

    def test_page_and_figure_of_the_tree_are_those_of_the_results(self):
        kept = ROOT / "docs" / "generated" / "performance_gpu_verbs.svg"
        with tempfile.TemporaryDirectory() as folder:
            made = pathlib.Path(folder, "figure.svg")
            command = [sys.executable, TOOL, "bench/results/gpu_verbs", "nvidia-h200"]
            command += ["nvidia-h100", "--figure", made]
            page = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
            self.assertEqual(made.read_text(), kept.read_text())
        self.assertEqual(page.stdout, kept.with_suffix(".md").read_text())

    def test_takes_the_latest_output_of_all_machines(self):
        with tempfile.TemporaryDirectory() as folder:
            for program in PROGRAMS:
                for day, machine in ((4, "new"), (30, "old"), (31, "other")):
                    name = f"2026-01-{day:02}-{machine}-{program}.md"
                    text = f"# {program} of {machine}\n\n## 2^20 bytes\n\ntable\n"
                    pathlib.Path(folder, name).write_text(text)
            page = subprocess.run(
                [sys.executable, TOOL, folder, "new", "old"],
                capture_output=True,
                text=True,
                check=True,
            ).stdout
        self.assertIn("\n## tables of old\n", page)
        self.assertNotIn("of new", page)


if __name__ == "__main__":
    unittest.main()
