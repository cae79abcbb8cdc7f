"""The name of -o chooses the format: JSON for .json, and a refusal where nothing writes it."""

import json
import os
import unittest

from support import ToolTest


class Names(ToolTest):
    def read(self, name):
        with open(os.path.join(self.path, name), encoding="utf-8") as file:
            return file.read()

    def test_json_is_written_as_json(self):
        table = "k,x\na,1\nb,2\nb,0.5\n"
        rows = [{"k": "a", "sum(x)": 1}, {"k": "b", "sum(x)": 2.5}]
        self.text("reduce", "--by", "k", "-c", "x", "-o", "a.json", stdin=table)
        self.assertEqual(json.loads(self.read("a.json")), rows)
        self.text("reduce", "--by", "k", "-c", "x", "-o", "a.jsonl", stdin=table)
        self.assertEqual([json.loads(line) for line in self.read("a.jsonl").splitlines()], rows)
        self.text("scan", "-c", "x", "-o", "empty.json", stdin="x\n")
        self.assertEqual(json.loads(self.read("empty.json")), [])

    def test_a_name_of_a_format_that_is_not_written_is_refused(self):
        for endings, instead in {
            "xz": "| xz > FILE.",
            "bz2": "| bzip2 > FILE.",
            "lz4": "| lz4 > FILE.",
            "zip": "write a .csv and pack it.",
            "npz h5 hdf5 nc mat": "write a .npy.",
            "pkl": "write a .npy or a .csv.",
            "orc avro": "write a .csv and convert it.",
            "db sqlite": "write a .csv and import it.",
            "xlsx XLSX xls ods": "write a .csv, which spreadsheets open.",
            "rds sav dta rdata RData xml toml html yaml": "write a .csv.",
        }.items():
            for name in ["a." + ending for ending in endings.split()]:
                says = [name, "is not written", instead]
                self.fails(2, "scan", "-o", name, stdin="1\n2\n", says=says)
                self.assertFalse(os.path.exists(os.path.join(self.path, name)))
        self.text("scan", "-o", "a.xml", "--to", "text", stdin="1\n2\n")
        self.assertEqual(self.read("a.xml"), "1\n3\n")
        for name in ["a.log", "a.2024", "noname"]:
            self.text("scan", "-o", name, stdin="1\n2\n")
            self.assertEqual(self.read(name), "1\n3\n")

    def test_a_format_that_is_not_read_is_known_by_its_first_bytes(self):
        """The bytes are those of file(1)."""
        for firsts, name, remedy in [
            ([b"\xfd7zXZ\0"], "compressed with xz", "xz -dc"),
            ([b"\x1f\x9d"], "compressed with compress", "gzip -dc"),
            ([b"\x04\x22\x4d\x18"], "compressed with lz4", "lz4 -dc"),
            ([b"7z\xbc\xaf\x27\x1c"], "a 7-Zip archive", "7z e -so"),
            ([b"Rar!\x1a\x07"], "a RAR archive", "unrar"),
            ([b"\xff\x06\0\0sNaPpY"], "compressed with snappy", "snzip -dc"),
            ([b"FEA1"], "Feather, version 1,", "pandas.read_feather"),
            ([b"ORC"], "ORC", "pandas.read_orc"),
            ([b"Obj\x01"], "Avro", "fastavro"),
            ([b"\x89HDF\r\n\x1a\n"], "HDF5", "h5py"),
            ([b"CDF\x01", b"CDF\x02", b"CDF\x05"], "netCDF", "ncdump"),
            ([b"SQLite format 3\0"], "an SQLite database", "sqlite3 -csv"),
            ([b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"], "an old Office file", "libreoffice"),
            ([b"MATLAB 5.0 MAT-file\0"], "a MATLAB file", "scipy.io.loadmat"),
            ([b"RDX2\n", b"RDX3\n"], "an R workspace", "Rscript -e 'load("),
            ([b"X\n\0\0"], "an R object", "readRDS"),
            ([b"<stata_dta>"], "a Stata file", "pandas.read_stata"),
            ([b"$FL2@(#)"], "an SPSS file", "pandas.read_spss"),
            ([b"%PDF-"], "PDF", "pdftotext"),
            (
                [b"\x80\x02", b"\x80\x03", b"\x80\x04\x95", b"\x80\x05\x95"],
                "a Python pickle",
                "save it",
            ),
        ]:
            for first in firsts:
                self.file("a.data", first + bytes(300))
                says = [f"is {name}", "which is not read", remedy]
                self.fails(3, "reduce", "a.data", says=says)


if __name__ == "__main__":
    unittest.main()
