"""tools/page_writer.py, which all tools that write pages use."""

import contextlib
import io
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "tools"))
import page_writer  # noqa: E402

PAGE = "Before.\n<!-- a table:begin -->\nold\n<!-- a table:end -->\nAfter.\n"


class PageWriter(unittest.TestCase):
    def test_a_table_has_its_first_or_the_named_columns_left(self):
        rows = [["a", "1", "b"]]
        self.assertEqual(
            page_writer.table(["x", "y", "z"], rows),
            "| x | y | z |\n| :-- | --: | --: |\n| a | 1 | b |",
        )
        rule = page_writer.table(["x", "y", "z"], rows, left=[0, 2]).splitlines()[1]
        self.assertEqual(rule, "| :-- | --: | :-- |")
        self.assertEqual(page_writer.cells("| a | 1 | b |\n"), rows[0])

    def test_fills_a_block_and_refuses_a_page_without_it(self):
        filled = page_writer.filled(PAGE, "a table", "new\nlines")
        self.assertEqual(filled, PAGE.replace("old", "new\nlines"))
        with self.assertRaisesRegex(SystemExit, "lacks <!-- another:begin -->"):
            page_writer.filled(PAGE, "another", "new")

    def test_writes_what_differs_or_says_that_it_does(self):
        with tempfile.TemporaryDirectory() as folder:
            same, other = (pathlib.Path(folder, "new", name) for name in ("same.md", "other.md"))
            same.parent.mkdir()
            same.write_text("µ\n", encoding="utf-8")
            files = {same: "µ\n", other: PAGE}
            told = io.StringIO()
            with contextlib.redirect_stderr(told):
                self.assertEqual(page_writer.finish(files, True, "tools/x.py"), 1)
            self.assertEqual(told.getvalue(), f"{other} is out of date: run tools/x.py\n")
            self.assertFalse(other.exists())
            with contextlib.redirect_stdout(told):
                self.assertEqual(page_writer.finish(files, False, "tools/x.py"), 0)
                self.assertEqual(page_writer.finish(files, True, "tools/x.py"), 0)
            self.assertEqual(other.read_text(), PAGE)


if __name__ == "__main__":
    unittest.main()
