"""Parquet and Arrow in and out: against pyarrow, where the tool was built with Arrow's library."""

import decimal
import importlib.util
import json
import os
import random
import shutil
import subprocess
import tempfile
import unittest

from support import SEED, TOOL, ToolTest

FILES = {"t.parquet": "parquet", "t.feather": "arrow", "t.arrows": "arrows"}


def has_module():
    with tempfile.TemporaryDirectory() as folder:
        made = subprocess.run(
            [TOOL, "sort", "-o", os.path.join(folder, "x.arrow")], input=b"1\n", capture_output=True
        )
    return made.returncode != 5  # one that writes nothing good is no reason to skip the tests


class Without(ToolTest):
    """A tool without the module that has Arrow's library, or with one that is damaged."""

    def refuses(self, status, args, stdin, says):
        tool = os.path.join(self.path, "bin", "upsweep")
        done = subprocess.run([tool, *args], input=stdin, capture_output=True, cwd=self.path)
        self.assertEqual(done.returncode, status, done)
        for part in says:
            self.assertIn(part, done.stderr.decode())

    def test_the_sentence_says_what_to_do(self):
        os.mkdir(os.path.join(self.path, "bin"))
        shutil.copy(TOOL, os.path.join(self.path, "bin", "upsweep"))
        why = "built without Arrow's library"
        for stdin, kind, instead in (
            (b"PAR1\x15\x00\x15\x00PAR1", "Parquet", "parquet.read_table"),
            (b"ARROW1\0\0....", "Arrow", "feather.read_table"),
            (b"\xff\xff\xff\xff\x08\0\0\0........", "Arrow", "ipc.open_stream"),
        ):
            self.refuses(3, ["reduce"], stdin, [f"is {kind}, but", why, instead])
        for name, instead in (("x.parquet", "write_parquet"), ("x.arrow", "write_ipc")):
            self.refuses(5, ["sort", "-o", name], b"1\n", [why, "write CSV", instead])
        os.makedirs(os.path.join(self.path, "lib", "upsweep"))
        self.file("lib/upsweep/upsweep_arrow.so", "no module")
        self.refuses(5, ["sort", "-o", "x.arrow"], b"1\n", ["cannot be loaded", "built again"])


if not has_module():
    print("the tool was built without Arrow's library")
elif importlib.util.find_spec("pyarrow") is None:
    print("pyarrow is not installed, so nothing tells what the files should hold")
else:
    import pyarrow as pa
    from pyarrow import feather, ipc, parquet

    def write(table, path):
        if path.endswith(".parquet"):
            parquet.write_table(table, path, row_group_size=1000)
        elif path.endswith(".feather"):
            feather.write_feather(table, path)
        else:
            with ipc.new_stream(path, table.schema) as out:
                out.write_table(table, max_chunksize=700)

    def read(path):
        if path.endswith(".parquet"):
            return parquet.read_table(path)
        if path.endswith(".feather"):
            return feather.read_table(path)
        return ipc.open_stream(path).read_all()

    def table_of_every_type():
        times = pa.array([0, 1_500_000, None], pa.timestamp("us"))
        return pa.table(
            {
                **{f"i{b}": pa.array([1, -2, None], f"int{b}") for b in (8, 16, 32, 64)},
                **{f"u{b}": pa.array([1, 2, None], f"uint{b}") for b in (8, 16, 32, 64)},
                "f32": pa.array([0.5, -2, None], pa.float32()),
                "f64": pa.array([0.1, 1e300, None]),
                "yes": pa.array([True, False, None]),
                "word": pa.array(["a,b", "", None]),
                "large": pa.array(["x", "ß", None], pa.large_string()),
                "kind": pa.array(["p", "q", None]).dictionary_encode(),
                "money": pa.array(
                    [decimal.Decimal("0.10"), decimal.Decimal("-123456789012345.25"), None],
                    pa.decimal128(20, 2),
                ),
                "day": pa.array([0, 19783, None], pa.date32()),
                "time": times,
                "zone": times.cast(pa.timestamp("ms", "UTC")),
                "pairs": pa.array([[1, 2], [], None]),
            }
        )

    class Reading(ToolTest):
        def test_every_type(self):
            table = table_of_every_type()
            names = [n for n in table.column_names if n not in ("pairs", "yes")]
            wanted = {
                **{n: "-1" for n in ("i8", "i16", "i32", "i64")},
                **{n: "3" for n in ("u8", "u16", "u32", "u64")},
                "f32": "-1.5",
                "f64": "1e+300",
                "money": "-123456789012345.16",
            }
            for file in FILES:
                write(table, os.path.join(self.path, file))
                for name, total in wanted.items():
                    got = self.text("reduce", file, "-c", name, "--skip-missing")
                    self.assertEqual(got, f"{total}\n", (file, name))
                rows = self.text(
                    "select",
                    file,
                    "-c",
                    ",".join([*names, "yes"]),
                    "--where",
                    "i8 > -9",
                    "--skip-missing",
                )
                self.assertEqual(
                    rows.splitlines()[1:],
                    [
                        '1,1,1,1,1,1,1,1,0.5,0.1,"a,b",x,p,0.10,1970-01-01,1970-01-01 00:00:00,'
                        "1970-01-01 00:00:00Z,true",
                        "-2,-2,-2,-2,2,2,2,2,-2,1e+300,,ß,q,-123456789012345.25,2024-03-01,"
                        "1970-01-01 00:00:01.5,1970-01-01 00:00:01.5Z,false",
                    ],
                    file,
                )
                self.fails(3, "reduce", file, "-c", "i32", says=["Row 3", "--skip-missing"])
                self.fails(3, "reduce", file, "-c", "pairs", says="list<")
                self.fails(3, "reduce", file, "-c", "word", "--op", "sum", says="word")
                self.fails(2, "reduce", file, "-c", "i128", says="i16")

        def test_options_and_tables_without_missing_values_or_columns(self):
            for file in FILES:
                write(pa.table({"k": ["a", "b"], "v": [1.5, 2.0]}), os.path.join(self.path, file))
                got = self.text("reduce", file, "--skip-missing", "--op", "sum:v")
                self.assertEqual(got, "3.5\n", file)
                got = self.text("reduce", file, "--dtype", "f32", "--op", "min:v")
                self.assertEqual(got, "1.5\n", file)
                self.fails(2, "reduce", file, "--currency", "--op", "sum:v", says="omit")
            write(pa.table({}), os.path.join(self.path, "none.arrows"))
            self.fails(3, "reduce", "none.arrows", says="has no columns")

        def test_many_rows_and_batches(self):
            source = random.Random(SEED)
            n = 250_000
            k = [source.choice(["a", "b", None]) for _ in range(n)]
            x = [source.choice([None, source.randrange(-100, 100)]) for _ in range(n)]
            table = pa.table({"k": k, "x": pa.array(x, pa.int32())})
            totals = {}
            for key, value in zip(k, x):
                totals[key or ""] = totals.get(key or "", 0) + (value or 0)
            for file in FILES:
                write(table, os.path.join(self.path, file))
                got = self.text("reduce", file, "--by", "k", "-c", "x", "--skip-missing")
                rows = dict(line.split(",") for line in got.splitlines()[1:])
                self.assertEqual({a: int(b) for a, b in rows.items()}, totals, file)
                for more in (["--threads", "1"], ["--skip-rows-with-missing"]):
                    got = self.text("reduce", file, "-c", "x", "--skip-missing", *more)
                    self.assertEqual(int(got), sum(totals.values()), (file, more))
                piped = self.text("reduce", "-c", "x", "--skip-missing", stdin=self.content(file))
                self.assertEqual(int(piped), sum(totals.values()), file)
            got = self.text("reduce", *FILES, "-c", "x", "--skip-missing")
            self.assertEqual(int(got), 3 * sum(totals.values()))

        def test_decimals_add_exactly_and_types_are_kept(self):
            money = [decimal.Decimal(t) for t in ("0.10", "0.20", "-0.30")]
            table = pa.table(
                {
                    "money": money,
                    "id": pa.array([2**62, 1, None]),
                    "x": [1.0, 2.0, 3.0],
                    "code": ["007", "8", "x"],
                    "whole": pa.array([10**17 + 1, -(10**17), 2], pa.decimal128(18, 0)),
                }
            )
            money = [decimal.Decimal("0.20"), decimal.Decimal("-0.30")]
            for file in FILES:
                path = os.path.join(self.path, file)
                write(table, path)
                self.assertEqual(self.text("reduce", file, "--op", "decimal-sum:money"), "0.00\n")
                lines = self.text("select", file, "--where", "x > 1", "--to", "jsonl").splitlines()
                self.assertEqual(
                    [json.loads(line, parse_float=decimal.Decimal) for line in lines],
                    [
                        {"money": money[0], "id": 1, "x": 2, "code": "8", "whole": -(10**17)},
                        {"money": money[1], "id": None, "x": 3, "code": "x", "whole": 2},
                    ],
                )
                self.text("select", file, "--where", "x < 9", "-o", "copy-" + file)
                self.assertEqual(self.text("reduce", file, "-c", "whole"), "3\n")
                copy = read(os.path.join(self.path, "copy-" + file))
                self.assertEqual(copy.drop(["money", "whole"]), table.drop(["money", "whole"]))

        def test_keys_keep_their_types_in_json_and_in_files(self):
            table = pa.table(
                {
                    "k": ["a", "b", None, "a"],
                    "n": pa.array([1, None, 3, 2**60], pa.int64()),
                    "d": pa.array(
                        [decimal.Decimal(x) if x else None for x in ("1.10", "", "-2.25", "0.00")],
                        pa.decimal128(10, 2),
                    ),
                    "b": [True, None, False, True],
                    "x": [3, 1, 2, 4],
                }
            )
            parquet.write_table(table, os.path.join(self.path, "t.parquet"))
            rows = table.to_pylist()

            def lines(*args):
                out = self.text(*args, "t.parquet", "--to", "jsonl")
                return [json.loads(line, parse_float=decimal.Decimal) for line in out.splitlines()]

            self.assertEqual(lines("select", "--column", "all"), rows)
            grouped = [rows[0], rows[3], rows[1], rows[2]]
            self.assertEqual(lines("sort", "--by", "k", "-c", "x"), grouped)
            kept = [{k: r[k] for k in "kdn"} | {"last(x)": r["x"]} for r in rows]
            self.assertEqual(lines("scan", "--by", "k", "--keep", "k,d,n", "--op", "last:x"), kept)
            best = [["a", 2**60, "a"], ["b", None, "b"], [None, 3, None]]
            reduction = ["reduce", "--by", "k", "--op", "argmax:x:n,argmax:x:k"]
            self.assertEqual([list(row.values()) for row in lines(*reduction)], best)
            self.text(*reduction, "t.parquet", "-o", "best.parquet")
            got = read(os.path.join(self.path, "best.parquet"))
            self.assertEqual([list(row.values()) for row in got.to_pylist()], best)
            self.text("sort", "--by", "k", "-c", "x", "t.parquet", "-o", "sorted.parquet")
            got = read(os.path.join(self.path, "sorted.parquet"))
            kept = ["k", "n", "b", "x"]
            self.assertEqual(
                got.select(kept).to_pylist(), [{k: r[k] for k in kept} for r in grouped]
            )

        def test_files_of_strangers(self):
            """duckdb/duckdb#9852: nanoseconds, the largest integer and bytes, as parquet-mr writes
            them; commandprompt/pgcolumnar#103: units of times; jorgecarleitao/arrow2#1412: decimals
            of 39 digits.
            """
            table = pa.table(
                {
                    "str": ["", "xxx", None],
                    "bigi": pa.array([0, 2**64 - 1, None], pa.uint64()),
                    "time": pa.array([0, 1593382653123456789, None], pa.timestamp("ns")),
                    "bytes": pa.array([b"", b"\xca\xfe", None]),
                    "ms": pa.array([0, 45296789, None], pa.time32("ms")),
                    "wide": pa.array(
                        [decimal.Decimal(10) ** 38, decimal.Decimal("-256"), None],
                        pa.decimal256(39, 0),
                    ),
                }
            )
            for file in FILES:
                write(table, os.path.join(self.path, file))
                got = self.run_tool("select", file, "--where", "bigi > 0", "--skip-missing")
                self.assertEqual(
                    got.splitlines()[1],
                    b"xxx,18446744073709551615,2020-06-28 22:17:33.123456789,\xca\xfe,12:34:56.789,"
                    b"-256",
                )
                self.fails(
                    3,
                    "reduce",
                    file,
                    "--op",
                    "decimal-sum:wide",
                    "--skip-missing",
                    says="38 digits",
                )

        def test_empty_tables_and_damage(self):
            empty = pa.table({"x": pa.array([], pa.float64())})
            table = pa.table({"x": [float(i) for i in range(3000)], "s": ["ab"] * 3000})
            source = random.Random(SEED)
            for file in FILES:
                path = os.path.join(self.path, file)
                write(empty, path)
                self.assertEqual(self.text("reduce", file, "-c", "x"), "0\n", file)
                write(table, path)
                whole = self.content(file)
                self.file("cut", whole[: len(whole) // 2])
                self.assertIn(self.status("reduce", "cut", "-c", "x"), (2, 3), file)
                for _ in range(15):
                    damaged = bytearray(whole)
                    for _ in range(3):
                        damaged[source.randrange(8, len(whole))] ^= 1 << source.randrange(8)
                    self.file("damaged", bytes(damaged))
                    self.assertIn(self.status("select", "damaged", "--where", "x > 5"), (0, 2, 3))

        def status(self, *args):
            return subprocess.run([TOOL, *args], capture_output=True, cwd=self.path).returncode

    class Writing(ToolTest):
        def test_results(self):
            csv = "city,day,n,x\nBonn,2024-01-01,1,0.5\nKiel,2024-01-02,02,\nBonn,,3,2\n"
            for file in FILES:
                self.text("reduce", "--by", "city", "--op", "sum:n,mean:n", "-o", file, stdin=csv)
                got = read(os.path.join(self.path, file))
                self.assertEqual(
                    got.to_pydict(),
                    {"city": ["Bonn", "Kiel"], "sum(n)": [4, 2], "mean(n)": [2.0, 2.0]},
                )
                self.assertEqual([str(t) for t in got.schema.types], ["string", "int64", "double"])
                self.text("select", "--where", "n > 0", "-o", file, "--force", stdin=csv)
                got = read(os.path.join(self.path, file)).to_pydict()
                self.assertEqual(
                    got,
                    {
                        "city": ["Bonn", "Kiel", "Bonn"],
                        "day": ["2024-01-01", "2024-01-02", None],
                        "n": ["1", "02", "3"],  # 02 is no number as it would be written
                        "x": [0.5, None, 2.0],
                    },
                )

        def test_many_rows_to_a_pipe(self):
            n = 300_000
            csv = "k,x\n" + "".join(f"{i % 7},{i}.5\n" for i in range(n))
            for format, name in (
                ("parquet", "p.parquet"),
                ("feather", "p.feather"),
                ("arrows", "p.arrows"),
            ):
                data = self.run_tool("scan", "-c", "x", "--keep", "k", "--to", format, stdin=csv)
                self.file(name, data)
                got = read(os.path.join(self.path, name))
                self.assertEqual(got.num_rows, n, format)
                self.assertEqual(got["k"].to_pylist(), [i % 7 for i in range(n)])
                self.assertEqual(got["sum(x)"][-1].as_py(), sum(range(n)) + n / 2)

        def test_no_rows_and_whole_blocks(self):
            for n in (0, 1 << 17, 1 << 18):
                how = ["scan", "--header", "-c", "x", "--op", "sum", "--force", "-o", "b.parquet"]
                self.text(*how, stdin="x\n" + "1\n" * n)
                self.assertEqual(read(os.path.join(self.path, "b.parquet")).num_rows, n)

        def test_missing_results_and_keys(self):
            self.text(
                *["scan", "-c", "x", "--skip-missing", "-o", "m.parquet"],
                stdin="x,y\n,1\n" + "1,1\n" * 200_000,
            )
            got = read(os.path.join(self.path, "m.parquet")).to_pydict()
            self.assertEqual(got, {"sum(x)": [None, *range(1, 200_001)]})
            self.text("reduce", "--by", "k", "-c", "v", "-o", "k.parquet", stdin="k,v\n,1\n,2\n")
            got = read(os.path.join(self.path, "k.parquet"))
            self.assertEqual(got.to_pydict(), {"k": [None], "sum(v)": [3]})
            self.assertEqual([str(t) for t in got.schema.types], ["string", "int64"])

        def test_what_cannot_be_written(self):
            late = "x\n" + "1\n" * 600_000 + "one\n"
            self.text("sort", "-c", "x", "-o", "s.parquet", stdin="x\n2\n1\n")
            self.assertEqual(read(os.path.join(self.path, "s.parquet")).to_pydict(), {"x": [1, 2]})
            self.fails(
                3, "select", "-c", "x", "-o", "l.parquet", stdin=late, says=["one", "600001"]
            )
            self.assertFalse(os.path.exists(os.path.join(self.path, "l.parquet")))
            self.fails(
                2,
                "sort",
                "--number-format",
                "%.1f",
                "-o",
                "l.parquet",
                stdin="1\n",
                says="--number-format",
            )


if __name__ == "__main__":
    unittest.main()
