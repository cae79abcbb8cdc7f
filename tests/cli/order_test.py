"""Operators of order, filled gaps, means, modes and the rows of sort --by, against plain Python."""

import csv
import datetime
import io
import math
import random
import statistics
import unittest

from support import SEED, ToolTest, add, lines, npy, numbers, prefix


def places(x, descending):
    """The positions of the values in order, stable."""
    return sorted(range(len(x)), key=lambda i: -x[i] if descending else x[i])


def ranks(op, x, descending, tiles=1):
    order = places(x, descending)
    out = [0] * len(x)
    size, larger = divmod(len(x), tiles)
    tile_of = [t + 1 for t in range(tiles) for _ in range(size + (t < larger))]
    for position, i in enumerate(order):
        before = [v for v in x if (v > x[i] if descending else v < x[i])]
        out[i] = {
            "rank": len(before) + 1,
            "dense-rank": len(set(before)) + 1,
            "percent-rank": len(before) / max(len(x) - 1, 1),
            "row-number": position + 1,
            "ntile": tile_of[position],
        }[op]
    return out


def scanned(op, x):
    """The results beside the values of a group."""
    name, *parameter = op.split(":")
    if name in ("rank", "dense-rank", "percent-rank", "row-number", "ntile"):
        tiles = int(parameter[0]) if name == "ntile" else 1
        return ranks(name, x, "descending" in parameter, tiles)
    if name in ("lead", "lag"):
        k = (1 if name == "lead" else -1) * int((parameter or [1])[0])
        return [x[i + k] if 0 <= i + k < len(x) else math.nan for i in range(len(x))]
    if name == "distinct":
        return [len(set(x[: i + 1])) for i in range(len(x))]
    if name == "share":
        return [v / sum(x) if sum(x) else math.nan if v == 0 else math.inf * v for v in x]
    if name == "cumulative-share":
        return [sum(x[: i + 1]) / sum(x) for i in range(len(x))]
    if name == "run":
        return [1 + sum(x[j] != x[j - 1] for j in range(1, i + 1)) for i in range(len(x))]
    if name == "session":
        gap = float(parameter[0])
        return [1 + sum(x[j] - x[j - 1] > gap for j in range(1, i + 1)) for i in range(len(x))]
    falls = [max(x[: i + 1]) - x[i] for i in range(len(x))]
    if name == "drawdown":
        return falls
    if name == "relative-drawdown":
        return [fall / max(x[: i + 1]) for i, fall in enumerate(falls)]
    assert name == "max-drawdown"
    return [max(falls[: i + 1]) for i in range(len(x))]


OPS = """rank rank:descending dense-rank dense-rank:descending percent-rank row-number
row-number:descending ntile:1 ntile:3 ntile:7 ntile:4:descending lead lead:3 lag lag:2 distinct
share cumulative-share run session:2 drawdown relative-drawdown max-drawdown""".split()


class Order(ToolTest):
    def table(self, seed, rows=70, groups=4):
        """Keys, and values with ties and gaps, positive so that shares exist."""
        source = random.Random(seed)
        rows = [
            (f"g{source.randrange(groups)}", source.choice([None, *range(1, 9), 2.5, 7.25]))
            for _ in range(rows)
        ]
        text = "k,x\n" + "".join(f"{k},{'' if x is None else x}\n" for k, x in rows)
        return rows, text

    def column(self, *args, stdin, at=-1):
        got = list(csv.reader(io.StringIO(self.text(*args, "--from", "csv", stdin=stdin))))
        return [row[at] for row in got[1:]]

    def equal(self, got, expected, what):
        self.assertEqual(len(got), len(expected), what)
        for g, e in zip(got, expected):
            if e is None or isinstance(e, str):
                self.assertEqual(g, e or "", what)
            elif math.isnan(e):
                self.assertEqual(g, "nan", what)
            else:
                self.assertAlmostEqual(float(g), e, delta=1e-12, msg=what)

    def by_group(self, rows, results_of):
        expected = [None] * len(rows)
        for key in {k for k, _ in rows}:
            at = [i for i, (k, x) in enumerate(rows) if k == key and x is not None]
            for i, result in zip(at, results_of([rows[i][1] for i in at])):
                expected[i] = result
        return expected

    def test_every_operator_agrees_with_its_definition(self):
        for n, op in enumerate(OPS):
            rows, text = self.table(SEED + n)
            word = op + ":x"
            flags = ["scan", "--op", word + " as y", "--skip-missing"]
            expected = self.by_group(rows, lambda x: scanned(op, x))
            self.equal(self.column(*flags, "--by", "k", stdin=text), expected, op)
            one = [("", x) for _, x in rows]
            expected = self.by_group(one, lambda x: scanned(op, x))
            self.equal(self.column(*flags, stdin=text), expected, op)
            back = self.by_group(one[::-1], lambda x: scanned(op, x))[::-1]
            self.equal(self.column(*flags, "--reverse", stdin=text), back, (op, "reverse"))
            carried = [
                next((v for v in expected[i::-1] if v is not None), None)
                for i in range(len(expected))
            ]
            flags[-1] = "--carry-missing"
            self.equal(self.column(*flags, stdin=text), carried, (op, "carry"))

    def test_sorted_and_unsorted_groups_and_several_operators_agree(self):
        rows, text = self.table(SEED, rows=300)
        rows.sort(key=lambda row: row[0])
        in_order = "k,x\n" + "".join(f"{k},{'' if x is None else x}\n" for k, x in rows)
        flags = ["scan", "--by", "k", "--skip-missing", "--op"]
        flags.append("rank:x,sum:x,lead:x,last:x,count,min:k")
        alone = self.text(*flags, "--from", "csv", stdin=in_order)
        self.assertEqual(self.text(*flags, "--sorted", "--from", "csv", stdin=in_order), alone)
        self.assertEqual(
            self.text(*flags, "--threads", "3", "--from", "csv", stdin=in_order), alone
        )
        totals = [row.split(",")[2] for row in alone.split()[1:]]
        self.equal(
            totals, self.by_group(rows, lambda x: [sum(x[: i + 1]) for i in range(len(x))]), 0
        )

    def test_many_rows_are_ranked_across_blocks(self):
        source = random.Random(SEED)
        x = [source.randrange(50000) for _ in range(200000)]
        got = self.text("scan", "--op", "rank,dense-rank,row-number", stdin=lines(x)).split()
        first, dense = {}, {}
        for i, v in enumerate(sorted(x)):
            first.setdefault(v, i + 1)
            dense.setdefault(v, len(dense) + 1)
        number = [0] * len(x)
        for position, i in enumerate(sorted(range(len(x)), key=x.__getitem__)):
            number[i] = position + 1
        self.assertEqual(list(map(int, got[0::3])), [first[v] for v in x])
        self.assertEqual(list(map(int, got[1::3])), [dense[v] for v in x])
        self.assertEqual(list(map(int, got[2::3])), number)

    def test_zeros_and_nans_are_ranked_as_equals_and_large_integers_exactly(self):
        got = self.text("scan", "--op", "rank,dense-rank", stdin="0\nnan\n-0\n-nan\ninf\n")
        self.assertEqual(got, "1\t1\n4\t3\n1\t1\n4\t3\n3\t2\n")
        large = "9007199254740993\n9007199254740992\n"
        self.assertEqual(self.text("scan", "--op", "rank,run", stdin=large), "2\t1\n1\t2\n")
        for op in ["rank", "lead", "share", "interpolate", "distinct"]:
            self.assertEqual(self.text("scan", "--op", op, stdin=""), "")

    def test_rows_of_groups_are_numbered_from_the_end_too(self):
        got = self.text(
            "scan", "--reverse", "--by", "k", "--op", "argmax:x", stdin="k,x\na,1\nb,5\na,3\nb,9\n"
        )
        self.assertEqual(got, "k,argmax(x)\na,2\nb,3\na,2\nb,3\n")

    def test_lines_of_arrays_are_ranked_alone(self):
        self.file("a.npy", npy("f64", [3, 1, 2, 5, 5, 4], (2, 3)))
        for axis, expected in [("1", "3 1 2 2 2 1"), ("0", "1 1 1 2 2 2")]:
            got = self.text("scan", "a.npy", "--axis", axis, "--op", "rank", "--to", "text")
            self.assertEqual(got.split(), expected.split())

    def test_interpolation(self):
        for seed in range(12):
            source = random.Random(seed)
            t = sorted(source.sample(range(1000), 60))
            x = [source.choice([None, None, source.randint(-80, 80) / 8]) for _ in t]
            keys = [source.choice("ab") for _ in t]
            text = "k,t,x\n" + "".join(
                f"{k},{a},{'NA' if v is None else v}\n" for k, a, v in zip(keys, t, x)
            )
            for op in ["interpolate:x", "interpolate-by:x:t"]:
                expected = [None] * len(t)
                for key in "ab":
                    at = [i for i, k in enumerate(keys) if k == key]
                    place = at and [t[i] if ":t" in op else j for j, i in enumerate(at)]
                    known = [j for j, i in enumerate(at) if x[i] is not None]
                    for j, i in enumerate(at):
                        low = max((p for p in known if p <= j), default=None)
                        high = min((p for p in known if p >= j), default=None)
                        if low is None or high is None:
                            continue
                        y0, y1 = x[at[low]], x[at[high]]
                        part = 0 if low == high else place[j] - place[low]
                        expected[i] = y0 + (y1 - y0) * (part / max(place[high] - place[low], 1))
                flags = ["scan", "--by", "k", "--skip-missing", "--op", op]
                got = self.column(*flags, stdin=text)
                self.assertEqual([None if v == "" else float(v) for v in got], expected, (seed, op))

    def test_gaps_are_filled_forward_and_backward_also_of_text(self):
        table = "k,x,t\na,,\na,1,u\nb,,v\na,,\nb,5,\nb,,w\na,,\n"
        flags = [
            "scan",
            "--carry-missing",
            "--op",
            "last:x,sum:x,last:t,count:t,count",
            "--by",
            "k",
        ]
        self.assertEqual(
            self.text(*flags, "--from", "csv", stdin=table),
            "k,last(x),sum(x),last(t),count(t),count\na,,,,,1\na,1,1,u,1,2\nb,,,v,1,1\n"
            "a,1,1,u,1,3\nb,5,5,v,1,2\nb,5,5,w,2,3\na,1,1,u,1,4\n",
        )
        self.assertEqual(
            self.text("scan", "--carry-missing", "--reverse", "--op", "last:x,last:t", stdin=table),
            "last(x),last(t)\n1,u\n1,u\n5,v\n5,w\n5,w\n,w\n,\n",
        )
        for flag in ["--exclusive", "--skip-rows-with-missing"]:
            self.fails(2, "scan", "--carry-missing", flag, stdin="1\n", says="excludes")
        self.assertEqual(
            self.text("scan", "--carry-missing", "--op", "sum", stdin="1\nNA\n2\n"), "1\n1\n3\n"
        )
        many = [None if i % 3 else i for i in range(100000)]
        text = "".join("NA\n" if v is None else f"{v}\n" for v in many)
        got = self.text("scan", "--carry-missing", "--op", "last,sum", stdin=text).split()
        self.assertEqual(list(map(int, got[0::2])), [i - i % 3 for i in range(100000)])

    def test_sessions_of_times_and_durations(self):
        start = datetime.datetime(2024, 2, 28, 23, 0, tzinfo=datetime.timezone.utc)
        source = random.Random(SEED)
        moments, seconds = [], 0
        for _ in range(200):
            seconds += source.choice([60, 1799, 1800, 1801, 86400])
            moments.append(start + datetime.timedelta(seconds=seconds))
        expected = [1]
        for a, b in zip(moments, moments[1:]):
            expected.append(expected[-1] + ((b - a).total_seconds() > 1800))
        spellings = [
            lambda m: m.isoformat(),
            lambda m: m.strftime("%Y-%m-%d %H:%M:%S"),
            lambda m: m.astimezone(datetime.timezone(datetime.timedelta(hours=-5))).isoformat(),
            lambda m: m.strftime("%Y-%m-%dT%H:%M:%S.250Z"),
        ]
        for spell in spellings:
            text = "time\n" + "".join(spell(m) + "\n" for m in moments)
            for gap in ["30min", "1800s", "0.5h", "1800000ms"]:
                got = self.column("scan", "--op", f"session:{gap}:time as visit", stdin=text)
                self.assertEqual(list(map(int, got)), expected, (spell(moments[0]), gap))
            count = self.text("reduce", "--op", "session:30min:time", "--from", "csv", stdin=text)
            self.assertEqual(count, f"{expected[-1]}\n")
        numeric = lines([int(m.timestamp()) for m in moments])
        self.assertEqual(self.text("scan", "--op", "session:30min", stdin=numeric), lines(expected))
        days = "day\n2024-02-28\n2024-02-29\n2024-03-01\n2024-03-03\n"
        self.assertEqual(
            self.text("scan", "--op", "session:1d:day", stdin=days).split(), list("1112")
        )
        for gap in ["", "30", "30min"]:
            for wrong in ["2023-02-29", "2024-01-01 24:00", "2024-01-01 10", "yesterday"]:
                if gap:
                    text = f"time\n2024-01-01\n{wrong}\n"
                    op = f"session:{gap}:time"
                    self.fails(3, "scan", "--from", "csv", "--op", op, stdin=text, says="a time")
        for gap in ["", ":time", ":-1", ":3weeks", ":min", ":nan"]:
            self.fails(2, "scan", "--op", "session" + gap, stdin="time\n1\n", says="30min")

    def test_islands_and_runs(self):
        x = [1, 2, 3, 7, 8, 8, 12]
        got = self.text("scan", "--op", "session:1,run", stdin=lines(x)).split()
        self.assertEqual(got, "1 1 1 2 1 3 2 4 2 5 2 5 3 6".split())
        texts = "t\nu\nu\nv\n\nu\n"
        got = self.column(
            "scan", "--op", "run:t", "--skip-missing", stdin="t,n\nu,1\nu,1\n,1\nv,1\nu,1\n"
        )
        self.assertEqual(got, ["1", "1", "", "2", "3"])
        self.assertEqual(
            self.text("reduce", "--op", "run:t", stdin=texts.replace("\n\n", "\n")), "3\n"
        )

    def test_pieces_join(self):
        x = [5, 5, 2, 9, 1, 1, 4, 30, 28]
        ops = "run,session:3,drawdown,max-drawdown,rms"
        whole = self.text("reduce", "--op", ops, stdin=lines(x))
        for cut in [1, 2, 5]:
            for name, part in [("a.part", x[:cut]), ("b.part", x[cut:])]:
                begin = ["--from-row", str(0 if name == "a.part" else cut)]
                self.text(
                    "reduce", "--op", ops, "--partial", name, "--force", *begin, stdin=lines(part)
                )
            self.assertEqual(self.text("merge", "a.part", "b.part"), whole)
            after = self.text("scan", "--op", ops, "--after", "a.part", stdin=lines(x[cut:]))
            self.assertEqual(
                after, self.text("scan", "--op", ops, stdin=lines(x)).split("\n", cut)[cut]
            )
        self.text("reduce", "--op", "sum", "--partial", "s.part", stdin="1\n")
        self.fails(3, "scan", "--op", "rank", "--after", "s.part", stdin="1\n", says="rank")

    def test_means_and_modes(self):
        x = [abs(v) + 0.125 for v in numbers(500)]
        text = lines(x)
        got = self.text("reduce", "--op", "geometric-mean,harmonic-mean,rms", stdin=text).split()
        n = len(x)
        total = [
            float(prefix([f(v) for v in x], add("f64")))
            for f in (math.log, lambda v: 1 / v, lambda v: v * v)
        ]
        expected = [math.exp(total[0] / n), 1 / (total[1] / n), math.sqrt(total[2] / n)]
        self.assertEqual([float(v) for v in got[1:]], expected[1:])
        self.assertAlmostEqual(float(got[0]), expected[0], delta=expected[0] * 1e-15)
        self.assertAlmostEqual(float(got[0]), statistics.geometric_mean(x), delta=1e-9)
        running = self.text("scan", "--op", "harmonic-mean", stdin=lines([1, 2, 4]))
        self.assertEqual(running, lines([1, 2 / 1.5, 3 / 1.75]))
        edge = self.text("reduce", "--op", "geometric-mean,harmonic-mean", stdin="0\n0\n4\n")
        self.assertEqual(edge, "0\t0\n")
        for seed in range(20):
            source = random.Random(seed)
            y = [source.choice([1, 2, -3, 2.5]) for _ in range(source.randint(1, 12))]
            best = min(y, key=lambda v: (-y.count(v), v))
            self.assertEqual(float(self.text("reduce", "--op", "mode", stdin=lines(y))), best)
            words = [source.choice(["b", "a", "zz"]) for _ in y]
            best = min(words, key=lambda v: (-words.count(v), v))
            table = "w\n" + "\n".join(words) + "\n"
            self.assertEqual(self.text("reduce", "--op", "mode:w", stdin=table), best + "\n")
        table = "k,x\na,\nb,2\nb,1\nb,2\n"
        got = self.text(
            "reduce", "--by", "k", "--skip-missing", "--op", "mode:x,rms:x", stdin=table
        )
        self.assertEqual(got, "k,mode(x),rms(x)\na,,nan\nb,2,1.7320508075688772\n")

    def test_the_largest_and_smallest_values(self):
        x = [round(v, 3) for v in numbers(200)] + [5.0, 5.0]
        got = self.text("reduce", "--op", "top:3,smallest:2,largest:202,median", stdin=lines(x))
        y = sorted(x)
        expected = [*y[:-4:-1], y[1], y[0], statistics.median(x)]
        self.assertEqual([float(v) for v in got.split()], expected)
        table = "k,x\na,1\na,7\nb,\n"
        flags = ["reduce", "--by", "k", "--skip-missing", "--op"]
        got = self.text(*flags, "top:2:x,smallest:2:x as s,largest:3:x", stdin=table)
        header = "k,largest:1(x),largest:2(x),s,largest:3(x)"
        self.assertEqual(got, header + "\na,7,1,7,\nb,,,,\n")
        for op, says in [
            ("top:x", "top:3:x"),
            ("top:0:x", "from 1 to 1000"),
            ("largest:1001:x", "from 1 to 1000"),
            ("top:2:x as t", "several results"),
        ]:
            self.fails(2, "reduce", "--op", op, stdin=table, says=says)

    def test_sort_by_group_and_the_first_of_each(self):
        for seed in range(10):
            source = random.Random(seed)
            rows = [
                (source.choice("cab"), source.choice([1, 2, 3, 10]), source.choice("uv"), i)
                for i in range(40)
            ]
            text = "k,x,t,i\n" + "".join(",".join(map(str, row)) + "\n" for row in rows)
            keys = list(dict.fromkeys(row[0] for row in rows))
            for top in [None, 0, 1, 3, 100]:
                for unique in [False, True]:
                    flags = ["--top", str(top)] if top is not None else []
                    flags += ["--unique"] if unique else []
                    expected = []
                    for key in keys:
                        group = [row for row in rows if row[0] == key]
                        group.sort(key=lambda row: row[1], reverse=top is not None)
                        if unique:
                            group = list({row[1]: row for row in reversed(group)}.values())
                            group.sort(key=lambda row: row[1], reverse=top is not None)
                        expected += group[:top]
                    got = self.text("sort", "--by", "k", "-c", "x", *flags, stdin=text)
                    self.assertEqual(
                        got.split()[1:], [",".join(map(str, row)) for row in expected], flags
                    )
        got = self.text("sort", "--by", "1,2", "-c", "3", stdin="b v 2\na v 9\nb v 1\nb u 0\n")
        self.assertEqual(got.split("\n"), ["b\tv\t1", "b\tv\t2", "a\tv\t9", "b\tu\t0", ""])
        got = self.text("sort", "--by", "k", "-c", "t", "--top", "1", stdin="k,t\na,x\na,z\nb,y\n")
        self.assertEqual(got, "k,t\na,z\nb,y\n")
        self.fails(2, "sort", "--by", "k", stdin="k,x\na,1\n", says="--column")
        self.fails(2, "sort", "--by", "q", "-c", "x", stdin="k,x\na,1\n", says="q")

    def test_wrong_words_say_what_to_do(self):
        for op, says in [
            ("ntile:x", "ntile:4:x"),
            ("ntile:0", "at least one tile"),
            ("gmean", "geometric-mean"),
            ("ffill", "--carry-missing"),
            ("interpolate-by:x", "2 columns"),
        ]:
            self.fails(2, "scan", "--op", op, stdin="x\n1\n", says=says)
        for op in ["rank", "lead", "share", "interpolate"]:
            self.fails(2, "reduce", "--op", op, stdin="1\n", says="scan")
            self.fails(2, "scan", "--op", op, "--exclusive", stdin="1\n", says="omit --exclusive")
        self.fails(2, "scan", "--op", "mode", stdin="1\n", says="upsweep reduce")
        self.fails(2, "scan", "--op", "rank", "--init", "1", stdin="1\n", says="--init")
        self.fails(3, "reduce", "--op", "max-drawdown", stdin="", says="no values")


if __name__ == "__main__":
    unittest.main()
