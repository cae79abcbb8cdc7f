"""csv_fields reads what Python's csv module reads: a real file, and one with everything in quotes
that may be there. Arguments: example_csv_fields, the file.
"""

import csv
import random
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EXAMPLE, FILE = sys.argv.pop(1), sys.argv.pop(1)


def by_python(path):
    """The records of a file; an empty line is one empty field, as RFC 4180 has it."""
    with Path(path).open(newline="", encoding="utf-8") as file:
        return [row or [""] for row in csv.reader(file, strict=True)]


class Fields(unittest.TestCase):
    def expect_same(self, path):
        out = subprocess.run([EXAMPLE, path, "all"], check=True, capture_output=True).stdout
        rows = by_python(path)
        head = (
            f"{Path(path).stat().st_size} bytes, {len(rows)} records, "
            f"{sum(map(len, rows))} fields\n"
        )
        lines = "".join(f"{r} {value}\n" for r, row in enumerate(rows) for value in row)
        self.assertEqual(out.decode(), head + lines)

    def test_real_file(self):
        self.expect_same(FILE)

    def test_quotes_commas_and_line_ends_in_fields(self):
        pick = random.Random(20)
        for ending in ("\n", "\r\n"):
            with tempfile.TemporaryDirectory() as folder:
                path = Path(folder) / "fields.csv"
                with path.open("w", newline="", encoding="utf-8") as file:
                    writer = csv.writer(file, lineterminator=ending)
                    for _ in range(5000):
                        fields = range(pick.randrange(1, 9))
                        writer.writerow(
                            ["".join(pick.choices('ab",\n é', k=pick.randrange(9))) for _ in fields]
                        )
                self.expect_same(path)


if __name__ == "__main__":
    unittest.main()
