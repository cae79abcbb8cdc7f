"""Members of .npz and fields of .npy records: against zipfile and struct of Python."""

import io
import random
import struct
import unittest
import zipfile

from support import SEED, ToolTest, npy


def npz(members, method=zipfile.ZIP_STORED):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def records(descr, rows, shape=None):
    """.npy of records: `rows` are their bytes."""
    header = repr({"descr": descr, "fortran_order": False, "shape": shape or (len(rows),)}).encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"".join(rows)


DESCR = [
    ("id", "<i8"),
    ("", "|V4"),
    ("price", ">f4"),
    ("ok", "|b1"),
    ("city", "<U5"),
    ("tag", "|S3"),
]


def record(id, price, ok, city, tag):
    return struct.pack(
        "<q4x4s?20s3s", id, struct.pack(">f", price), ok, city.encode("utf-32-le"), tag
    )


TABLE = [record(7, 1.5, True, "Köln", b"a"), record(2**60, -0.25, False, "Rom𝄞", b"bcd")]


class Members(ToolTest):
    def test_members_by_name(self):
        a, b = [1.5, 2.5, -4.0], list(range(200000))
        for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
            archive = npz({"a.npy": npy("f64", a), "big.npy": npy("i64", b)}, method)
            self.file("x.npz", archive)
            self.assertEqual(self.text("reduce", "x.npz:a"), "0\n")
            self.assertEqual(self.text("reduce", "x.npz:big.npy"), f"{sum(b)}\n")
            self.assertEqual(self.text("reduce", "x.npz:a", "x.npz:a", "--op", "count"), "6\n")
            self.assertEqual(self.text("scan", "x.npz:a", "--to", "text"), "1.5\n4\n0\n")
            self.fails(2, "reduce", "x.npz", says=["a, big", "x.npz:a"])
            self.fails(2, "reduce", "x.npz:c", says=["'c'", "a, big"])
            self.fails(2, "reduce", stdin=archive, says="a, big")
            only = npz({"arr_0.npy": npy("f64", a)}, method)
            self.assertEqual(self.text("reduce", stdin=only), "0\n")

    def test_a_file_of_that_name_comes_first(self):
        self.file("x.npz:a", "1\n2\n")
        self.assertEqual(self.text("reduce", "x.npz:a"), "3\n")

    def test_large_members_have_sizes_of_64_bits(self):
        """xtensor-stack/xtensor-io#181: headers with further fields, an array after the first."""
        for method in [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED]:
            out = io.BytesIO()
            with zipfile.ZipFile(out, "w", method) as archive:
                for name, values in [("first", [1, 2, 3]), ("body", [4, 5])]:
                    with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                        member.write(npy("i32", values))
            self.file("x.npz", out.getvalue())
            self.assertEqual(self.text("reduce", "x.npz:body"), "9\n")

    def test_comments_and_members_like_a_directory(self):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, values in [
                ("a.npy", [1, 2]),
                ("b.npy", [3, int.from_bytes(b"PK\5\6", "little")]),
            ]:
                member = zipfile.ZipInfo(name)
                member.comment = b"a comment"
                archive.writestr(member, npy("i32", values))
            archive.comment = b"of the archive"
        self.file("x.npz", out.getvalue())
        self.assertEqual(self.text("reduce", "x.npz:a"), "3\n")
        self.assertEqual(self.text("reduce", "x.npz:b", "--op", "min"), "3\n")

    def test_members_that_are_no_arrays(self):
        """numpy/numpy#30893"""
        archive = npz({"a.npy": npy("i8", [1, 2]), "meta.json": b"{}"})
        self.assertEqual(self.text("reduce", stdin=archive), "3\n")
        self.file("x.npz", archive)
        self.fails(3, "reduce", "x.npz:meta.json", says="not a .npy file")

    def test_damage(self):
        archive = npz({"a.npy": npy("f64", [1.0] * 1000)}, zipfile.ZIP_DEFLATED)
        source = random.Random(SEED)
        self.file("cut.npz", archive[:-30])
        self.fails(3, "reduce", "cut.npz", says="directory")
        for _ in range(40):
            at = source.randrange(4, len(archive))
            damaged = bytearray(archive)
            damaged[at] ^= 1 << source.randrange(8)
            self.file("x.npz", bytes(damaged))
            done = self.run_any("reduce", "x.npz")
            self.assertIn(done, [0, 2, 3], (at, self.errors))

    def run_any(self, *args):
        for status in [0, 2, 3]:
            try:
                self.run_tool(*args, status=status)
                return status
            except AssertionError:
                continue
        return None


class Records(ToolTest):
    def test_fields_are_columns(self):
        self.file("t.npy", records(DESCR, TABLE))
        self.assertEqual(self.text("reduce", "t.npy", "-c", "price"), "1.25\n")
        self.assertEqual(self.text("reduce", "t.npy", "-c", "id", "--op", "max"), f"{2**60}\n")
        self.assertEqual(
            self.text("reduce", "t.npy", "--by", "city", "--op", "sum:price,count"),
            "city,sum(price),count\nKöln,1.5,1\nRom𝄞,-0.25,1\n",
        )
        self.assertEqual(
            self.text("select", "t.npy", "--where", "price > 0"),
            "id,price,ok,city,tag\n7,1.5,true,Köln,a\n",
        )
        self.assertEqual(
            self.text("sort", "t.npy", "-c", "price", "--to", "jsonl").splitlines()[0],
            '{"id":1152921504606846976,"price":-0.25,"ok":false,"city":"Rom𝄞","tag":"bcd"}',
        )
        self.assertEqual(
            self.text("scan", "t.npy", "-c", "price", "--keep", "tag"),
            "tag,sum(price)\na,1.5\nbcd,1.25\n",
        )
        self.fails(2, "reduce", "t.npy", "-c", "prize", says=["price", "city"])
        self.fails(2, "reduce", "t.npy", says="5 columns")

    def test_records_stream_and_have_many_rows(self):
        source = random.Random(SEED)
        x = [source.randrange(-1000, 1000) for _ in range(150000)]
        data = records([("k", "|u1"), ("x", "<i4")], [struct.pack("<Bi", v & 3, v) for v in x])
        wanted = {k: sum(v for v in x if v & 3 == k) for k in range(4)}
        got = self.text("reduce", "--by", "k", "-c", "x", stdin=data).splitlines()
        self.assertEqual({int(r.split(",")[0]): int(r.split(",")[1]) for r in got[1:]}, wanted)

    def test_records_of_pandas(self):
        """fhs/NPZ.jl#17: DataFrame.to_records, saved."""
        descr = [("i", "<i8"), ("j", "<i8"), ("k", "<f8")]
        rows = [struct.pack("<qqd", i, i + 3, k) for i, k in [(1, 3.14), (2, 2.72), (3, 1.62)]]
        self.file("temp.npy", records(descr, rows))
        got = self.text("reduce", "temp.npy", "--op", "sum:i,sum:j,exact-sum:k")
        self.assertEqual(got.splitlines()[-1], "6,15,7.48")
        got = self.text("reduce", "temp.npy", "--op", "argmin:k,sum:j", "--skip-missing")
        self.assertEqual(got.splitlines()[-1], "2,15")

    def test_fields_with_objects_are_pickles(self):
        """numpy/numpy#14142: fields of h5py."""
        header = (
            "{'descr': [('id', '|V16'), ('timeax', ('|O', {'vlen': dtype('float64')})), "
            "('area', '<f8')], 'fortran_order': False, 'shape': (1,), }"
        ).encode()
        data = b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header + b"\x80\x04\x95"
        self.fails(3, "reduce", "-c", "area", stdin=data, says=["Python objects", "timeax"])

    def test_fields_that_are_no_columns(self):
        descr = [
            ("v", "<f4", (3,)),
            ("n", [("x", "<i4"), ("y", "<i4")]),
            ("c", "<c8"),
            ("a", "<i2"),
        ]
        row = struct.pack("<3f2i2fh", *range(7), 9)
        self.file("t.npy", records(descr, [row, row]))
        self.assertEqual(self.text("reduce", "t.npy", "-c", "a"), "18\n")
        self.fails(3, "reduce", "t.npy", "-c", "v", says="arrays")
        self.fails(3, "reduce", "t.npy", "-c", "n", says="records")
        self.fails(3, "reduce", "t.npy", "-c", "c", says="complex")
        self.fails(3, "reduce", "-c", "a", stdin=records(descr, [row, row[:-1]]), says="truncated")
        self.fails(3, "reduce", "-c", "a", stdin=records([], [row]), says="empty")
        # A name without a byte order is ambiguous: 'f64' is 64 bits here and 64 bytes in NumPy.
        for name in ("f64", "i32", "u16", "f8", "double", "", "f"):
            self.fails(3, "reduce", "-c", "x", stdin=records([("x", name)], [bytes(16)]),
                       says="header")  # fmt: skip
        deep = [("a", "<i2")]
        for _ in range(40):
            deep = [("a", deep)]
        self.fails(3, "reduce", "-c", "a", stdin=records(deep, []), says="header")
        self.fails(3, "reduce", "-c", "a", stdin=records(descr, [row] * 4, (2, 2)), says="ravel")


if __name__ == "__main__":
    unittest.main()
