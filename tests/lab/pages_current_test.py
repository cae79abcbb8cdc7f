"""The measured tables, pictures and gallery of docs/algorithms are up to date."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
import tasklet_cycles  # noqa: E402


class Pages(unittest.TestCase):
    def test_pages_pictures_and_gallery_are_current(self):
        done = subprocess.run(
            [
                sys.executable,
                ROOT / "tools" / "algorithm_pages.py",
                "--check",
                "--tool",
                os.environ["UPSWEEP_TOOL"],
            ],
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_figures_of_the_lectures_are_current(self):
        done = subprocess.run(
            [
                sys.executable,
                ROOT / "tools" / "lecture_figures.py",
                "--check",
                "--tool",
                os.environ["UPSWEEP_TOOL"],
            ],
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_cycles_of_tasklets_follow_the_formula(self):
        counters = {
            "shared_loads": 100,
            "shared_stores": 50,
            "global_loads": 32,
            "global_stores": 16,
            "applications": 20,
            "atomics": 8,
            "barriers": 3,
            "span": 7,
        }
        # 20 additions of two words in loops of two instructions; 16 tasklets, more than 11.
        issue = 100 + 50 + 32 + 16 + 20 * (2 + 2) + 8 + 3 * 16
        # Of 8-byte elements, 16 to a transfer of 128 bytes.
        transfers = 2 * (77 + 64) + 1 * (61 + 64)
        self.assertEqual(
            tasklet_cycles.cycles_of({"counters": counters, "blocks": 2}, 8, 128),
            {"issue": issue, "chain": 7 * 2 * (2 + 4) * 11, "transfers": transfers},
        )

    def test_every_picture_that_a_page_shows_exists(self):
        pages = sorted((ROOT / "docs" / "algorithms").glob("*.md"))
        self.assertGreater(len(pages), 30)
        for page in pages:
            for part in page.read_text(encoding="utf-8").split("](")[1:]:
                target = part.split(")")[0]
                if target.endswith((".svg", ".md")) and not target.startswith("http"):
                    self.assertTrue(
                        (page.parent / target).exists(), f"{page.name} points to {target}"
                    )


if __name__ == "__main__":
    unittest.main()
