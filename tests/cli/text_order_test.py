"""Times, versions and addresses are ordered as text only where that is their own order; otherwise
every command that compares them refuses, and says what to do.
"""

import unittest

from support import ToolTest

# Each column has values whose bytes are in another order than they.
MISORDERED = [
    ["9:30", "10:05"],
    ["0:59", "1:00:05"],
    ["100:05:59", "99:00:00"],
    ["09:30 PM", "10:30 AM"],
    ["9:30pm", "9:30am"],
    ["3/4/2024", "12/1/2023"],
    ["03/04/2024", "12/01/2023"],
    ["3.4.2024", "12.1.2023"],
    ["03.04.24", "12.01.23"],
    ["03-04-24", "12-01-23"],
    ["2024-3-4", "2024-12-1"],
    ["2024-3", "2024-12"],
    ["2024/03/04", "2024-01-01"],
    ["2024-03-04 9:05", "2024-03-04 10:05"],
    ["2024-03-04 10:00", "2024-03-04T09:00"],
    ["2024-03-04 09:05 PM", "2024-03-04 10:05 AM"],
    ["2024-03-04T10:00:00+01:00", "2024-03-04T09:30:00+00:00"],
    ["2024-03-04T10:00:00-05:00", "2024-03-04T10:00:00+05:00"],
    ["2024-03-04T10:00:00Z", "2024-03-04T11:00:00+02:00"],
    ["2024-03-04T10:00:00Z", "2024-03-04T10:00:00.5Z"],
    ["2024-03-04T10:00Z", "2024-03-04T10:00:30Z"],
    ["April 1", "Jan 2", "March 3", "Feb 4"],  # shenwei356/csvtk#278
    ["5 Jan 2024", "1 Feb 2024"],
    ["Jan 5, 2024", "Feb 1, 2024"],
    ["05-Mar-24", "01-Apr-24"],
    ["January 2024", "September 2024"],
    ["Mon, 04 Mar 2024 10:00:00 GMT", "Tue, 05 Mar 2024 10:00:00 GMT"],
    ["15/Jan/2024:10:00:00 +0000", "01/Feb/2024:10:00:00 +0000"],
    ["1.9.0", "1.10.0"],
    ["v1.9", "v1.10"],
    ["1.9.0-rc1", "1.10.0"],
    ["192.168.0.9", "192.168.0.10"],
    ["10.0.0.1", "9.0.0.1"],
    ["2024-W9", "2024-W10"],
    ["2024-W9-1", "2024-W10-1"],
    ["1/2", "3/10"],
    ["1 1/2", "10 1/4"],
    ["3/4", "12/1"],
    ["06/2024", "12/2023"],
    ["5-9", "10-14"],
    ["5 - 9", "10 - 14"],
    ["9..10", "100..200"],
    ["9\u201310", "100\u2013200"],
]
# The bytes of these are in their order, or nobody can say which it is.
IN_ORDER = [
    ["09:30", "10:05"],
    ["09:30:00", "10:05:00"],
    ["2024-03-04", "2023-12-01"],
    ["2024/03/04", "2023/12/01"],
    ["2024-03", "2024-12"],
    ["2024-03-04", "2024-03-04T09:00", "2024-03-03T23:00"],
    ["2024-03-04T10:05", "2024-03-04T10:05:30"],
    ["2024-03-04T10:05:30+00:00", "2024-03-04T10:05:30.5+00:00"],
    ["2024-03-04T10:00:00Z", "2024-03-04T09:30:00Z"],
    ["2024Q1", "2024Q2"],
    ["2024-W09", "2024-W10"],
    ["10-14", "20-24"],
    ["2023-24", "2024-25"],
    ["1.2.3", "1.2.4"],
    ["v1.9", "v2.0"],
    ["192.168.0.1", "192.168.0.2"],
    ["May", "June"],
    ["March 3 road", "April lane"],
    ["Vienna", "Verona"],
    ["img9.png", "img10.png"],
    ["978-3-16-148410-0", "978-0-306-40615-7"],
    ["555-1234", "1-800-555-1234"],
    ["12-34-56", "99-88-77"],
    ["1944-06-06 Tag X", "476-09-04 [proleptic] X", "1990-06-13 Mauerfall"],
    ["DEPARTURE: MONDAY 29 MAY", "DEPARTURE: MONDAY 05 JUN"],
    ["T00370201", "T00370199"],
]
COMMANDS = [
    ["reduce", "--op", "max:x"],
    ["reduce", "--op", "min:x"],
    ["reduce", "--op", "argmax:x:n"],
    ["reduce", "--op", "argmin-last:x:n"],
    ["reduce", "--by", "k", "--op", "max:x"],
    ["scan", "--op", "max:x"],
    ["scan", "--by", "k", "--op", "min:x"],
    ["sort", "--column", "x"],
    ["sort", "--column", "n,x", "--descending"],
    ["sort", "--column", "x", "--top", "1"],
]


def table(values):
    return "k,n,x\n" + "".join(f'a,r{i},"{v}"\n' for i, v in enumerate(values))


class TextOrder(ToolTest):
    def test_misordered_texts_are_refused(self):
        for i, values in enumerate(MISORDERED):
            for command in COMMANDS[i % 3 :: 3]:
                with self.subTest(values=values, command=command):
                    says = ["'x' has no order as text", "(COLUMN)"]
                    self.fails(3, *command, "--from", "csv", stdin=table(values), says=says)

    def test_what_asks_for_no_order_takes_them(self):
        for values in MISORDERED:
            op = "first:x,last:x,count:x,distinct:x"
            got = self.text("reduce", "--op", op, "--to", "tsv", stdin=table(values))
            n = len(values)
            self.assertEqual(got.splitlines()[1], f"{values[0]}\t{values[-1]}\t{n}\t{n}")

    def test_the_order_of_bytes_can_be_had_on_purpose(self):
        for values in MISORDERED:
            largest, row = max(values), values.index(max(values))
            op = "max:text(x),argmax:text(x):n"
            got = self.text("reduce", "--op", op, "--to", "tsv", stdin=table(values))
            self.assertEqual(got.splitlines()[1], f"{largest}\tr{row}")
            got = self.text("sort", "--column", "text(x)", "--to", "tsv", stdin=table(values))
            self.assertEqual([r.split("\t")[2] for r in got.splitlines()[1:]], sorted(values))
        mixed = table(["1,200", "900"])
        self.assertEqual(self.text("reduce", "--op", "argmax:text(x):n", stdin=mixed), "r1\n")
        self.assertEqual(self.text("reduce", "--op", "max:text(x)", stdin=mixed), "1,200\n")

    def test_texts_in_order_stay_texts(self):
        for values in IN_ORDER:
            largest, least = max(values), min(values)
            row = values.index(largest)
            op = "max:x,min:x,argmax:x:n"
            got = self.text("reduce", "--op", op, "--to", "tsv", stdin=table(values))
            self.assertEqual(got.splitlines()[1], f"{largest}\t{least}\tr{row}")
            got = self.text("sort", "--column", "x", "--to", "tsv", stdin=table(values))
            self.assertEqual([r.split("\t")[2] for r in got.splitlines()[1:]], sorted(values))

    def test_a_late_value_is_seen_in_a_file_and_a_stream(self):
        text = table(["2024-03-04T10:00:00+01:00"] * 60000 + ["2024-03-04T09:30:00+00:00"])
        self.file("late.csv", text)
        for command in (COMMANDS[0], COMMANDS[2], COMMANDS[4], COMMANDS[7], COMMANDS[9]):
            says = "'2024-03-04T09:30:00+00:00'"
            self.fails(3, *command, "late.csv", says=says)
            self.fails(3, *command, "--from", "csv", stdin=text, says=says)

    def test_pieces_are_compared_too(self):
        for row, value in enumerate(MISORDERED[16]):
            self.file(f"{row}.csv", f"k,n,x\na,r{row},{value}\n")
            for op in ("max:x", "argmax:x:n"):
                args = ["--op", op, "--from-row", str(row), "--partial", f"{row}{op[:3]}.part"]
                self.text("reduce", *args, f"{row}.csv")
        for op in ("max", "arg"):
            self.fails(3, "merge", f"0{op}.part", f"1{op}.part", says="seconds(COLUMN)")

    def test_groups_of_one_form_each_are_in_order(self):
        text = "k,x\na,9:30\nb,10:05\na,8:15\nb,11:00\n"
        got = self.text("reduce", "--by", "k", "--op", "max:x", stdin=text)
        self.assertEqual(got, "k,max(x)\na,9:30\nb,11:00\n")

    def test_conditions_compare_like_extrema(self):
        for x, other, holds in (
            ("2024-03-05T10:00:00Z", "2024-03-05", True),
            ("2024-03-04", "2024-03-05", False),
            ("10:05", "09:30", True),
            ("May 5", "M", True),
        ):
            got = self.text("select", "--where", f'x > "{other}"', "-c", "n", stdin=table([x]))
            self.assertEqual(got, "n\nr0\n" if holds else "n\n")
        for x, other in (
            ("3/4/2024", "1/1/2024"),
            ("2024-03-04", "2024-3-1"),
            ("10:05", "9:00"),
            ("1.10.0", "1.9.0"),
            ("2024-03-04T10:00:00Z", "2024-03-04T10:00:00+01:00"),
        ):
            for sign in ("<", "<=", ">", ">="):
                where = f'x {sign} "{other}"'
                says = ["row 1", "no order as text"]
                self.fails(3, "select", "--where", where, stdin=table([x]), says=says)
            self.text("select", "--where", f'x != "{other}"', stdin=table([x]))
            self.text("select", "--where", f'text(x) > "{other}"', stdin=table([x]))


if __name__ == "__main__":
    unittest.main()
