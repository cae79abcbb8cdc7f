"""The measured tables, pictures and gallery of docs/algorithms are up to date."""

import os
import subprocess
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


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
