"""upsweep bench: tables, files, and error messages."""

import json
import os
import re
import shutil
import unittest

from support import TOOL, BenchTest

FEW = ["-n", "4,10", "--time", "0.2"]


class Bench(BenchTest):
    def rows(self, text, title):
        """The rows of numbers below a table's title and header."""
        lines = text.splitlines()
        start = lines.index(title)
        table = [lines[start + 1].split()]
        for line in lines[start + 2 :]:
            if not line:
                break
            table.append(line.split())
        return table

    def test_prints_loop_upsweep_speed_up_bandwidth_and_share_of_the_limit(self):
        text = self.run_tool("bench", *FEW)
        self.assertEqual(self.errors, "")
        for title in ("reduce sum f32", "inclusive_scan sum f32"):
            head, *rows = self.rows(text, title)
            self.assertEqual(" ".join(head), "n loop ms Upsweep ms speed-up GB/s of limit")
            self.assertEqual([row[0] for row in rows], ["2^4", "2^10"])
            for _, loop, ours, gain, speed, share, percent in rows:
                self.assertGreater(float(loop), 0)
                self.assertGreater(float(ours), 0)
                self.assertGreater(float(gain), 0)
                self.assertGreater(float(speed), 0)
                self.assertGreaterEqual(float(share), 0)
                self.assertEqual(percent, "%")

    def test_prints_the_speed_of_every_peer_and_keeps_the_run(self):
        text = self.run_tool(
            "bench",
            "scan",
            "--type",
            "f64,i32",
            "--peers",
            "loop,tbb",
            "--threads",
            "2",
            "--json",
            "run.json",
            *FEW,
        )
        self.assertEqual(
            " ".join(self.rows(text, "inclusive_scan sum f64 (GB/s)")[0]),
            "n limit upsweep upsweep-fast upsweep-serial loop tbb of limit x best peer",
        )
        run = json.loads(self.content("run.json"))
        self.assertEqual(
            [(c["verb"], c["type"], c["n"]) for c in run["cells"]],
            [("inclusive_scan", t, n) for t in ("f64", "i32") for n in (16, 1024)],
        )
        self.assertEqual(run["threads"], 2)
        self.assertIn("bench scan --type f64,i32", run["command"])
        for cell in run["cells"]:
            rounds = {len(s["seconds"]) for s in cell["all"]}
            self.assertEqual(len(rounds), 1, "every competitor ran in every round")
            self.assertGreaterEqual(rounds.pop(), 3)
            self.assertTrue(all(s["correct"] and min(s["seconds"]) > 0 for s in cell["all"]), cell)

    def test_measures_the_kernels_of_another_instruction_set(self):
        self.run_tool("bench", "--simd", "none", status=2)
        slowest = re.search(r"not one of .*?(\w+);", self.errors)[
            1
        ]  # SCALAR, or with g++ 13 EMU128
        for what, cells in (("reduce", "cells"), ("verbs", "verbs")):
            self.run_tool("bench", what, "--simd", slowest, "--json", "run.json", "--force", *FEW)
            run = json.loads(self.content("run.json"))
            self.assertEqual(run["machine"]["simd"], slowest)
            self.assertTrue(run[cells])

    def test_measures_affine_maps_exact_sums_and_scans_in_place(self):
        text = self.run_tool("bench", "--op", "affine,exact_sum", *FEW)
        self.assertIn("inclusive_scan affine f32", text)
        self.assertIn("reduce exact_sum f32", text)
        self.assertIn(
            "inclusive_scan max i64, in place",
            self.run_tool("bench", "scan", "--op", "max", "--type", "i64", "--in-place", *FEW),
        )

    def test_every_operator_of_the_catalog_is_one_list_with_default_types(self):
        text = self.run_tool("bench", "--op", "every", "-n", "4", "--time", "0.5")
        self.assertEqual(self.errors, "")
        head, *rows = text.splitlines()
        self.assertEqual(" ".join(head.split()), "work n loop ms Upsweep ms speed-up GB/s of limit")
        works = [" ".join(row.split()[:3]) for row in rows]
        listed = json.loads(self.run_tool("list", "operators", "--json"))["operators"]
        with_identity = [o for o in listed if "identity" in o and o["takes"] != "text"]
        for operator in with_identity:
            name = operator["name"].replace("-", "_")
            kind = "i32" if operator["takes"] == "integers" else "f32"
            self.assertIn(f"inclusive_scan {name} {kind}", works)
            if name not in ("first", "last"):  # reductions by them read one element
                self.assertIn(f"reduce {name} {kind}", works)
        self.assertEqual(len(works), 2 * len(with_identity) - 2)

    def test_an_operator_takes_every_type_that_it_has_and_a_name_with_hyphens(self):
        self.run_tool(
            "bench", "--op", "bit-and,sum", "--type", "every", "--json", "run.json", "-n", "4",
            "--time", "0.5",
        )  # fmt: skip
        cells = json.loads(self.content("run.json"))["cells"]
        types = {op: {c["type"] for c in cells if c["op"] == op} for op in ("bit_and", "sum")}
        integers = {f"{sign}{bits}" for sign in "iu" for bits in (8, 16, 32, 64)}
        self.assertEqual(types["bit_and"], integers)
        self.assertLessEqual(integers | {"bf16", "f32", "f64"}, types["sum"])
        traffic = {
            (c["verb"], c["op"], c["type"]): c["traffic"] for c in cells if c["type"] == "i8"
        }
        self.assertEqual(traffic["inclusive_scan", "bit_and", "i8"], 16 * 2)
        self.assertEqual(traffic["inclusive_scan", "sum", "i8"], 16 * 9)  # into i64

    def test_compares_numbers_of_threads(self):
        text = self.run_tool(
            "bench", "threads", "--threads", "3", "--quick", "--time", "0.1", "--json", "run.json"
        )
        self.assertIn("\ninclusive_scan sum f32, n = 2^20, by threads (GB/s)\n", text)
        self.assertIn(" threads      copy    stream   upsweep\n        1  ", text)
        run = json.loads(self.content("run.json"))
        self.assertEqual(run["cells"], [])
        self.assertEqual(
            [(c["verb"], c["n"]) for c in run["by_threads"]],
            [(v, n) for v in ("reduce", "inclusive_scan") for n in (2**20, 2**24)],
        )
        for cell in run["by_threads"]:
            self.assertTrue(all(s["correct"] and s["seconds"] for s in cell["all"]))
            self.assertEqual({s["threads"] for s in cell["all"]}, {1, 2, 3})

    def test_wrong_use_is_one_sentence_and_status_2(self):
        for args, says in [
            (["--op", "gcd", "--type", "f32"], "'gcd' is measured over i8, u8, i16"),
            (["--op", "min_numbr"], "did you mean 'min_number'"),
            (["scan", "--op", "product", "--in-place"], "product of f32, in place"),
            (["reduce", "--op", "first"], "reduce first"),
            (["reduce", "--op", "last", "--explain"], "reduce last"),
            (["all", "--op", "every"], "'all'"),
            (["threads", "--type", "f64"], "'threads'"),
            (["--peers", "tb"], "tbb"),
            (["--type", "f23"], "f32"),
            (["-n", "9..4"], "9..4"),
            (["-n", "many"], "'many'"),
            (["--op", "affine", "--type", "i32"], "affine"),
            (["--threads", "0"], "threads"),
            (["--peers", "none,tbb"], "none"),
            (["wait"], "wait"),
        ]:
            self.assertEqual(self.run_tool("bench", *args, status=2), "", args)
            self.assertRegex(self.errors, r"\Aupsweep: [^\n]+\n\Z")
            self.assertIn(says, self.errors)

    def test_a_peer_that_was_named_and_is_not_there_is_status_5(self):
        alone = shutil.copy(TOOL, self.path)  # without its module of peers
        self.run_tool("bench", "--peers", "tbb", *FEW, tool=alone, status=5)
        self.assertRegex(
            self.errors, r"\Aupsweep: bench: --peers tbb: not available here: [^\n]+\n\Z"
        )
        self.run_tool("bench", "--peers", "all", *FEW, tool=alone)
        self.assertIn("tbb is left out", self.errors)

    def test_lists_add_up_and_leave_the_next_word_alone(self):
        text = self.run_tool("bench", "--type", "i32", "--type", "f64", "--op", "max", "scan", *FEW)
        self.assertEqual(
            [line for line in text.splitlines() if " max " in line],
            ["inclusive_scan max i32", "inclusive_scan max f64"],
        )

    def test_replaces_a_file_only_when_told_to_and_says_so_before_it_measures(self):
        with open(os.path.join(self.path, "run.json"), "w", encoding="utf-8") as f:
            f.write("mine")
        self.assertEqual(self.run_tool("bench", "--json", "run.json", *FEW, status=4), "")
        self.assertIn("run.json", self.errors)
        self.assertEqual(self.content("run.json"), "mine")
        self.run_tool("bench", "--json", "run.json", "--force", *FEW)
        self.assertNotEqual(self.content("run.json"), "mine")
        self.assertEqual(
            self.run_tool("bench", "--html", "no/such/folder.html", *FEW, status=4), ""
        )


if __name__ == "__main__":
    unittest.main()
