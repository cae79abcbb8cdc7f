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
        for name in ["a.XLSX", "a.h5", "a.xml", "a.npz"]:
            self.fails(2, "scan", "-o", name, stdin="1\n2\n", says=[name, "is not written"])
            self.assertFalse(os.path.exists(os.path.join(self.path, name)))
        self.text("scan", "-o", "a.xml", "--to", "text", stdin="1\n2\n")
        self.assertEqual(self.read("a.xml"), "1\n3\n")
        for name in ["a.log", "a.2024", "noname"]:
            self.text("scan", "-o", name, stdin="1\n2\n")
            self.assertEqual(self.read(name), "1\n3\n")


if __name__ == "__main__":
    unittest.main()
