"""scan --op window-by: windows over times inside groups, beside plain loops over all rows."""

import datetime
import json
import math
import random
import statistics
import unittest

from support import ToolTest

BEGIN = datetime.datetime(2024, 2, 27)
OPERATORS = {
    "sum": sum,
    "product": math.prod,
    "min": min,
    "max": max,
    "count": len,
    "mean": lambda w: sum(w) / len(w),
    "var": lambda w: statistics.pvariance(w),
    "std": lambda w: statistics.pstdev(w),
    "sample-var": lambda w: statistics.variance(w) if len(w) > 1 else math.nan,
    "sample-std": lambda w: statistics.stdev(w) if len(w) > 1 else math.nan,
}


def expected(rows, width, op):
    """Of each row (group, time, value), None where it has no time or value: the earlier rows of its
    group and itself, whose times are less than `width` before its own.
    """
    results = []
    for i, (group, time, value) in enumerate(rows):
        if time is None or value is None:
            results.append(None)
            continue
        results.append(
            OPERATORS[op](
                [
                    v
                    for g, t, v in rows[: i + 1]
                    if g == group and t is not None and v is not None and time - t < width
                ]
            )
        )
    return results


def table(rows, text_of=str):
    lines = ["k,t,x"]
    for group, time, value in rows:
        fields = [group, "" if time is None else text_of(time), "" if value is None else str(value)]
        lines.append(",".join(fields))
    return "\n".join(lines) + "\n"


class TimeWindows(ToolTest):
    def scan(self, rows, width, op, *flags, text_of=str, times="t"):
        got = self.text(
            "scan", *flags, "--op", f"window-by:{width}:{op}:x:{times}", stdin=table(rows, text_of)
        ).splitlines()
        return [None if v == "" else float(v) for v in got[1 : len(rows) + 1]]

    def expect(self, got, right, *where):
        self.assertEqual(len(got), len(right), where)
        for i, (g, r) in enumerate(zip(got, right)):
            near = g == r if g is None or r is None else math.isclose(g, r, rel_tol=1e-12)
            near = near or (g is not None and r is not None and math.isnan(g) and math.isnan(r))
            self.assertTrue(near, (where, i, g, r))

    def test_integers_as_times_with_ties_and_gaps_of_exactly_the_width(self):
        for seed in range(12):
            source = random.Random(seed)
            times, rows = {}, []
            for _ in range(source.randint(1, 60)):
                group = source.choice("abc")
                times[group] = times.get(group, 10**18) + source.choice([0, 1, 4, 5, 6, 20])
                rows.append((group, times[group], source.randint(-9, 9)))
            for op in OPERATORS:
                got = self.text(
                    "scan", "--by", "k", "--op", f"window-by:5:{op}:x:t", stdin=table(rows)
                ).splitlines()[1:]
                got = [float(line.rpartition(",")[2]) for line in got]
                self.expect(got, expected(rows, 5, op), seed, op)

    def test_dates_and_times_of_day(self):
        day, second = datetime.timedelta(days=1), datetime.timedelta(seconds=1)
        steps = {
            "7d": (7 * day, [0 * day, day, 6 * day, 7 * day, 8 * day], "%Y-%m-%d"),
            "90min": (5400 * second, [k * second for k in (0, 1, 5399, 5400)], "%Y-%m-%d %H:%M:%S"),
            "1.5h": (5400 * second, [k * second for k in (0, 1, 5400, 5401)], "%Y-%m-%dT%H:%M:%SZ"),
            "100ms": (second / 10, [k * second / 20 for k in (0, 1, 2, 3)], "%Y-%m-%dT%H:%M:%S.%f"),
            "30": (30 * second, [k * second for k in (0, 15, 30, 31)], "%Y-%m-%d %H:%M:%S"),
        }
        for seed, (width, (length, gaps, form)) in enumerate(steps.items()):
            source = random.Random(seed)
            times, rows = {}, []
            for _ in range(50):
                group = source.choice(["b", "a"])
                times[group] = times.get(group, BEGIN) + source.choice(gaps)
                rows.append((group, times[group], source.choice([1, 2.5, -3])))
            for op in ("sum", "mean", "count", "std"):
                for flags in ([], ["--threads", "3"]):
                    got = self.text(
                        "scan",
                        *("--by", "k", "--op", f"window-by:{width}:{op}:x:t", *flags),
                        stdin=table(rows, lambda t, form=form: t.strftime(form)),
                    ).splitlines()[1:]
                    got = [float(line.rpartition(",")[2]) for line in got]
                    self.expect(got, expected(rows, length, op), width, op)

    def test_widths_of_parts_of_a_nanosecond(self):
        ticks = [0, 0, 1, 2, 2, 4]
        rows = [("a", t, 2**i) for i, t in enumerate(ticks)]
        text_of = "2024-01-01T00:00:00.00000000{}".format
        for width in ("0.0000000001s", "0.000000001s", "0.0000000012s", "0.0000000024s"):
            wide = float(width[:-1]) * 1e9
            got = self.scan(rows, width, "sum", text_of=text_of)
            self.expect(got, expected(rows, wide - 1e-7, "sum"), width)
        # Wider than all times are apart.
        got = self.scan(rows, "100000d", "sum", text_of=text_of)
        self.expect(got, expected(rows, 10**30, "sum"))
        integers = [("a", t, 1) for t in (-(2**63), -(10**18), -1, 2**63 - 1)]
        got = self.scan(integers, "9000000000000000000", "sum")
        self.expect(got, expected(integers, 9 * 10**18, "sum"))

    def test_sorted_groups_and_no_groups(self):
        rows = [("a", 1, 1), ("a", 2, 2), ("a", 3, 4), ("b", 1, 8), ("b", 3, 16)]
        got = self.text(
            "scan", "--by", "k", "--sorted", "--op", "window-by:2:sum:x:t", stdin=table(rows)
        )
        self.assertEqual(got, 'k,"window-by:2:sum(x,t)"\na,1\na,3\na,6\nb,8\nb,16\n')
        alone = [("a", t, x) for t, x in ((1, 1), (1.5, 2), (3.5, 4), (3.5, 8))]
        got = self.text("scan", "--op", "window-by:2:sum:x:t", stdin=table(alone))
        self.assertEqual(got, '"window-by:2:sum(x,t)"\n1\n3\n4\n12\n')
        got = self.text("scan", "--op", "window-by:2.5:sum:3:2 as s,sum:x", stdin=table(alone))
        self.assertEqual(got, "s,sum(x)\n1,1\n3,3\n6,7\n14,15\n")
        got = self.text(
            "scan",
            "--op",
            "window-by:1d:sum:x:seconds(d)",
            stdin="d,x\n2024-01-01,1\n2024-01-02,2\n2024-01-02,4\n",
        )
        self.assertEqual(got.split("\n", 1)[1], "1\n2\n6\n")

    def test_integers_keep_their_type_and_values_may_widen(self):
        big = 2**53 + 1
        rows = [("a", 1, big), ("a", 2, 1), ("a", 9, big)]
        got = self.text(
            "scan", "--op", "window-by:2:max:x:t,window-by:2:sum:x:t", stdin=table(rows)
        )
        self.assertEqual(got.splitlines()[1:], [f"{big},{big}", f"{big},{big + 1}", f"{big},{big}"])
        rows = [("a", BEGIN, 1), ("a", BEGIN, 2), ("a", BEGIN + datetime.timedelta(1), 2.5)]
        got = self.scan(rows, "1d", "sum", text_of=lambda t: t.isoformat())
        self.assertEqual(got, [1, 3, 2.5])

    def test_missing_values_and_times(self):
        rows = [
            ("a", 1, 1),
            ("a", None, 2),
            ("a", 2, None),
            ("b", 5, None),
            ("a", 3, 4),
            ("b", 5, 8),
        ]
        for text_of in (str, lambda t: f"2024-01-{t:02}"):
            width = 3 if text_of is str else "3d"
            text = table(rows, text_of)
            got = self.text(
                "scan",
                "--by",
                "k",
                "--skip-missing",
                "--op",
                f"window-by:{width}:sum:x:t",
                stdin=text,
            )
            lines = [line.split(",") for line in got.splitlines()[1:]]
            self.assertEqual(
                lines, [["a", "1"], ["a", ""], ["a", ""], ["b", ""], ["a", "5"], ["b", "8"]]
            )
        got = self.text(
            "scan",
            "--by",
            "k",
            "--skip-missing",
            "--json",
            "--op",
            "window-by:3:sum:x:t as s",
            stdin=table(rows),
        )
        self.assertEqual(
            [json.loads(line)["s"] for line in got.splitlines()], [1, None, None, None, 5, 8]
        )

    def test_sums_have_the_bits_of_their_window_alone(self):
        source = random.Random(5)
        rows = [("a", i, source.uniform(-1, 1)) for i in range(300)]
        for width in (1, 7, 64, 1000):
            got = self.scan(rows, width, "std")
            for i in (0, 5, 63, 200, 299):
                window = "\n".join(str(x) for _, _, x in rows[max(0, i + 1 - width) : i + 1])
                self.assertEqual(
                    got[i], float(self.text("reduce", "--op", "std", stdin=window + "\n"))
                )

    def test_numbers_whose_squares_leave_the_range(self):
        for size in (1e200, 1e-200):
            rows = [("a", i, size * v) for i, v in enumerate([1, 3, 7, 7])]
            right = [0, size, 2 * size, 0]
            self.expect(self.scan(rows, 2, "std"), right, size)
            got = self.text("scan", "--op", "window:2:std:x", stdin=table(rows))
            self.expect([float(v) for v in got.splitlines()[1:]], right, size)

    def test_times_beyond_64_bits_with_a_sign_are_integers(self):
        times = [2**64 - 6, 2**64 - 4, 2**64 - 2, 2**64 - 1]
        for width in (1, 3, "2.5", 5, 100, 9 * 10**18):
            steps = math.ceil(float(width))
            got = self.text(
                "scan",
                "--op",
                f"window-by:{width}:sum:x:t",
                stdin=table([("a", t, 2**i) for i, t in enumerate(times)]),
            )
            expected = [
                sum(2**k for k, u in enumerate(times[: i + 1]) if u > t - steps)
                for i, t in enumerate(times)
            ]
            self.assertEqual([int(line) for line in got.splitlines()[1:]], expected, width)

    def test_infinite_times(self):
        # inf - inf is nan.
        for times, counts in (
            (["1", "inf"], [1, 1]),
            (["-inf", "5"], [1, 1]),
            (["-inf", "-inf", "1", "2", "inf", "inf"], [1, 2, 1, 2, 1, 2]),
        ):
            rows_of_times = "".join(f"{t},1\n" for t in times)
            got = self.text("scan", "--op", "window-by:2:count:x:t", stdin="t,x\n" + rows_of_times)
            self.assertEqual(got.split()[1:], [str(c) for c in counts])

    def test_unsorted_times_and_wrong_words_are_refused(self):
        rows = [("a", 5, 1), ("b", 1, 1), ("a", 4, 1)]
        for text_of, says in (
            (str, "in column 't', 4 comes after 5 in the same group; sort the rows by it first"),
            (lambda t: f"2024-01-{t:02}", "'t', 2024-01-04T00:00:00Z comes after 2024-01-05"),
            (lambda t: f"{t}.5", "4.5 comes after 5.5"),
        ):
            self.fails(
                3,
                "scan",
                "--by",
                "k",
                "--op",
                "window-by:7:sum:x:t",
                stdin=table(rows, text_of),
                says=says,
            )
        self.fails(
            3,
            "scan",
            "--op",
            "window-by:1d:sum:x:t",
            stdin="t,x\n2024-01-01,1\nsoon,2\n",
            says="'soon' in column 't' is not a time",
        )
        self.fails(
            3,
            "scan",
            "--op",
            "window-by:1d:sum:x:t",
            stdin="t,x\n1500-01-01,1\n",
            says="1678 to 2261",
        )
        for times in ("1,1\nnan,2\n", "nan,1\n2,2\n"):
            self.fails(3, "scan", "--op", "window-by:1:sum:x:t", stdin="t,x\n" + times, says="nan")
        for op, says in (
            ("window:7d:mean:x", "write --op window-by:7d:mean:x:TIME"),
            ("window-by:7d:mean:x", "window-by:W:OPERATOR:X:Y"),
            ("window-by:0d:mean:x:t", "a width above 0"),
            ("window-by:1e30:mean:x:t", "a width above 0"),
            ("window-by:-1:mean:x:t", "a width above 0"),
            ("window-by:7weeks:mean:x:t", "ms, s, min, h or d"),
            ("window-by:mean:x:t", "window-by"),
            ("window-by:7d:median:x:t", "windows have sum"),
        ):
            self.fails(2, "scan", "--op", op, stdin=table(rows), says=says)
        self.fails(2, "reduce", "--op", "window-by:7:mean:x:t", stdin=table(rows), says="scan")
        self.fails(
            2,
            "scan",
            "--exclusive",
            "--op",
            "window-by:7:mean:x:t",
            stdin=table(rows),
            says="--exclusive",
        )

    def test_public_reports(self):
        # pandas-dev/pandas#22931, #15901: the largest of a window that has a gap.
        rows = "".join(
            f"2013-01-01 09:00:0{i},{v}\n" for i, v in enumerate(["0", "1", "", "3", "4"])
        )
        ops = "window-by:4s:max:B:t,window-by:4s:min:B:t"
        got = self.text("scan", "--skip-missing", "--op", ops, stdin="t,B\n" + rows)
        self.assertEqual(got.split()[1:], ["0,0", "1,0", ",", "3,0", "4,1"])


if __name__ == "__main__":
    unittest.main()
