"""explain, run, compare, trace, ladder, list: output, rejected input, exit statuses."""

import json
import os
import subprocess
import unittest
import xml.etree.ElementTree as tree
from pathlib import Path

from small_files import files_in
from support import TOOL, ToolTest

HERE = Path(__file__).resolve().parent


def kogge_stone_applications(n):
    """By definition: one per step for every element with a partner `stride` to the left."""
    count, stride = 0, 1
    while stride < n:
        count += n - stride
        stride *= 2
    return count


class Run(ToolTest):
    def json(self, *args, status=0):
        return json.loads(self.text("run", *args, "--json", status=status))

    def test_counts_agree_with_the_literature(self):
        run = self.json("kogge_stone", "-n", "1024", "--block", "1024")
        self.assertEqual(run["total"]["applications"], kogge_stone_applications(1024))
        self.assertEqual(run["total"]["applications"], 9217)
        self.assertEqual((run["total"]["span"], run["total"]["barriers"]), (10, 21))
        brent_kung = self.json("brent_kung", "-n", "1024", "--block", "512")["total"]
        self.assertEqual(brent_kung["applications"], 2 * 1024 - 10 - 2)
        self.assertEqual(brent_kung["span"], 2 * 10 - 1)
        self.assertEqual(self.json("serial_reduce", "-n", "1000")["total"]["applications"], 999)

    def test_traffic_of_whole_array_scans_is_4n_3n_2n(self):
        n, block = 2048, 128
        accesses = {}
        for stem in (
            "scan_scan_add",
            "reduce_scan_scan",
            "chained_scan",
            "decoupled_lookback",
            "tree_lookback",
        ):
            buffers = [
                launch["buffers"]
                for launch in self.json(stem, "-n", str(n), "--block", str(block))["launches"]
            ]
            accesses[stem] = sum(
                b[name]["loads"] + b[name]["stores"]
                for b in buffers
                for name in ("in", "out")
                if name in b
            )
        self.assertEqual(accesses["reduce_scan_scan"], 3 * n)
        self.assertEqual(accesses["chained_scan"], 2 * n)
        self.assertEqual(accesses["decoupled_lookback"], 2 * n)
        self.assertEqual(accesses["tree_lookback"], 2 * n)
        self.assertLessEqual(accesses["scan_scan_add"], 4 * n)
        self.assertGreater(accesses["scan_scan_add"], 3 * n)

    def test_the_value_is_the_sum_of_numbers_made_from_the_seed(self):
        values = {
            seed: self.json("shared_reduce", "-n", "100", "--seed", str(seed))["value"]
            for seed in (1, 2)
        }
        self.assertNotEqual(values[1], values[2])
        for stem in ("interleaved", "shuffle_reduce", "last_block"):
            self.assertEqual(self.json(stem, "-n", "100", "--seed", "1")["value"], values[1], stem)
        ones = self.json("shared_reduce", "-n", "7", "--op", "max")["value"]
        self.assertTrue(-99 <= int(ones) <= 99)

    def test_json_has_every_launch_and_every_line_adds_up(self):
        run = self.json("two_pass", "-n", "100000")
        for key in (
            "stem",
            "n",
            "op",
            "dtype",
            "block",
            "exclusive",
            "on",
            "schedule",
            "seed",
            "resident",
            "agrees",
            "value",
            "findings",
            "total",
            "launches",
            "seconds",
        ):
            self.assertIn(key, run)
        self.assertEqual(
            (run["stem"], run["n"], run["agrees"], run["findings"]), ("two_pass", 100000, True, [])
        )
        self.assertEqual(len(run["launches"]), 2)
        for key in ("steps", "applications", "sectors_loaded", "global_loads"):
            self.assertEqual(
                run["total"][key], sum(launch["counters"][key] for launch in run["launches"]), key
            )
        for launch in run["launches"]:
            self.assertEqual(
                launch["counters"]["applications"],
                sum(line["counters"]["applications"] for line in launch["lines"]),
            )

    def test_every_size_and_type_agrees(self):
        for n in (0, 1, 31, 33, 1000):
            self.assertTrue(self.json("interleaved", "-n", str(n))["agrees"])
            self.assertTrue(self.json("kogge_stone", "-n", str(n), "--exclusive")["agrees"])
        for dtype in ("i32", "i64", "f32", "float64"):
            self.assertTrue(self.json("brent_kung", "-n", "999", "--dtype", dtype)["agrees"])
        self.assertEqual(self.json("blelloch", "-n", "999", "--op", "affine")["dtype"], "affine")
        self.assertEqual(self.json("blelloch", "-n", "9")["exclusive"], True)

    def test_text_shows_the_kernel_the_verdict_and_the_counters(self):
        text = self.text("run", "kogge_stone", "-n", "1024", "--block", "1024")
        self.assertIn("all 1024 results agree with the library's", text)
        self.assertRegex(text, r"applications +9,217\n")
        self.assertRegex(text, r"\nin +1024 +0 +0\n")
        self.assertIn("the result, ", self.text("run", "shuffle_reduce", "-n", "10"))

    def test_usage_errors_are_one_sentence_and_status_2(self):
        for args, says in [
            (["kogge_ston"], ["'kogge_ston' is not an algorithm", "did you mean 'kogge_stone'?"]),
            (["convergent", "--op", "affine"], ["must commute", "affine"]),
            (["kogge_stone", "--block", "100"], ["100 threads", "32, 64"]),
            (["kogge_stone", "--block", "2048"], ["2048 threads"]),
            (["brent_kung", "--exclusive"], ["inclusive scan only"]),
            (["shared_reduce", "--exclusive"], ["is a reduction"]),
            (["kogge_stone", "--op", "summ"], ["'summ'", "did you mean 'sum'?"]),
            (["kogge_stone", "--dtype", "u8"], ["u8", "i32"]),
            (["kogge_stone", "--op", "bit-and", "--dtype", "f32"], ["bits combine"]),
            (["warp_reduce_sync", "--dtype", "f64"], ["does not support elements of type f64"]),
            (["warp_reduce_sync", "--op", "product"], ["shuffle_reduce"]),
            (["kogge_stone", "-n", "-1"], ["-n"]),
            (["kogge_stone", "-n", "99999999999"], ["too many"]),
            (["kogge_stone", "--schedule", "randm"], ["did you mean 'random'?"]),
            (["kogge_stone", "--resident", "0"], ["--resident"]),
            (["kogge_stone", "--blok", "3"], ["did you mean '--block'?"]),
            ([], ["STEM"]),
        ]:
            self.fails(2, "run", *args, says=says)

    def test_a_seed_reproduces_the_schedule(self):
        def totals(seed):
            return self.json(
                "decoupled_lookback",
                "-n",
                "5000",
                "--block",
                "128",
                "--schedule",
                "random",
                "--seed",
                seed,
                "--resident",
                "4",
            )["total"]

        self.assertEqual(totals("7"), totals("7"))
        self.assertTrue(
            any(totals(str(seed)) != totals("7") for seed in range(8, 12)),
            "random schedules never differ",
        )


class Compare(ToolTest):
    def test_marks_the_best_of_each_row(self):
        text = self.text("compare", "kogge_stone", "brent_kung", "-n", "1024", "--block", "1024")
        rows = {line[:26].strip(): line for line in text.splitlines()}
        self.assertRegex(rows["span"], r"span +\d+\* +\d+$")
        applications = next(line for line in text.splitlines() if line.startswith("applications"))
        self.assertRegex(applications, r"applications +[\d,]+ +[\d,]+\*$")
        self.assertIn("kogge_stone", text.splitlines()[0])

    def test_json_and_usage_errors(self):
        found = json.loads(
            self.text("compare", "chained_scan", "scan_scan_add", "-n", "3000", "--json")
        )
        self.assertEqual([e["stem"] for e in found], ["chained_scan", "scan_scan_add"])
        self.assertTrue(all(e["clean"] for e in found))
        self.fails(2, "compare", "chained_scan", says="at least two")
        self.fails(2, "compare", "chained_scan", "chaned_scan", says="did you mean 'chained_scan'?")

    def test_one_tile_gives_the_numbers_of_the_lectures(self):
        rows = {
            row["stem"]: row
            for row in json.loads(
                self.text(
                    "compare",
                    "kogge_stone",
                    "brent_kung",
                    "blelloch_padded",
                    "-n",
                    "512",
                    "--one-tile",
                    "--json",
                )
            )
        }
        self.assertEqual(
            {
                stem: (row["block"], row["launches"], row["total"]["applications"])
                for stem, row in rows.items()
            },
            {
                "kogge_stone": (512, 1, 512 * 9 - 511),
                "brent_kung": (256, 1, 2 * 512 - 9 - 2),
                "blelloch_padded": (256, 1, 2 * 511),
            },
        )
        self.assertIn(
            "threads per block                512          256",
            self.text("compare", "kogge_stone", "brent_kung", "-n", "512", "--one-tile"),
        )
        self.fails(
            2,
            "compare",
            "kogge_stone",
            "brent_kung",
            "-n",
            "2000",
            "--one-tile",
            says="no block size of kogge_stone makes 2000 elements one tile",
        )
        self.fails(
            2, "compare", "kogge_stone", "brent_kung", "--one-tile", "--block", "64", says="--block"
        )

    def test_ladder_moves_as_many_elements_as_the_lectures_say(self):
        text = self.text("ladder", "scan", "-n", "16384", "--on", "sim")
        for stem, moved in [("scan_scan_add", 4), ("reduce_scan_scan", 3), ("chained_scan", 2)]:
            line = next(line for line in text.splitlines() if line.startswith(stem + " "))
            self.assertAlmostEqual(float(line.split()[-3]), moved, delta=0.06)
            self.assertAlmostEqual(float(line.split()[-2]), 4 * moved, delta=1.3)


class Explain(ToolTest):
    def test_explain_covers_every_algorithm(self):
        for what in ("reduce", "scan"):
            for row in json.loads(self.text("list", what, "--json")):
                text = self.text("explain", row["stem"])
                self.assertTrue(text.startswith(row["stem"] + "\n"), text[:80])
                self.assertIn(row["sentence"], text)
                self.assertIn(row["source"], text)
                self.assertGreater(len(text.splitlines()), 12, row["stem"])

    def test_the_picture_shows_what_each_level_covers(self):
        text = self.text("explain", "brent_kung")
        self.assertIn("[0–7]", text)
        self.assertRegex(text, r"level 1 +· +\[0–1\] +· +2–3 +· +4–5 +· +6–7\n")

    def test_source_and_page(self):
        self.assertIn(
            "__global__ void kogge_stone(", self.text("explain", "kogge_stone", "--source")
        )
        self.assertTrue(self.text("explain", "kogge_stone", "--page").startswith("# "))
        self.fails(2, "explain", "blellock", says="did you mean 'blelloch'?")
        self.fails(2, "explain", "missing_fense", says="did you mean 'missing_fence'?")


class Trace(ToolTest):
    def test_writes_a_page_or_a_picture_and_replaces_nothing(self):
        self.text("trace", "kogge_stone", "-o", "page.html")
        page = self.content("page.html").decode()
        self.assertTrue(page.startswith("<!doctype html>"))
        self.assertNotRegex(page, r"(src|href)=\"https?:")
        self.fails(4, "trace", "kogge_stone", "-o", "page.html", says="page.html")
        self.text(
            "trace", "blelloch", "-n", "8", "--view", "tree", "-o", "page.html", "--force", status=2
        )
        self.text("trace", "blelloch", "-n", "8", "--view", "tree", "-o", "tree.svg")
        self.assertIn(b"<svg xmlns", self.content("tree.svg"))
        self.fails(2, "trace", "kogge_stone", "-n", "5000", "-o", "big.html", says="at most 1024")
        self.assertFalse(os.path.exists(os.path.join(self.path, "big.html")))

    def test_the_steps_of_a_page_add_up_to_the_counters_of_the_run(self):
        for what in ("reduce", "scan"):
            for row in json.loads(self.text("list", what, "--json")):
                stem, size = row["stem"], ["-n", "70", "--block", "32"]
                self.text("trace", stem, *size, "-o", "page.html", "--force")
                page = self.content("page.html").decode()
                trace = json.loads(page.split('type="application/json">')[1].split("</script>")[0])
                steps = [step for row in trace["rows"] for step in row]
                total = json.loads(self.text("run", stem, *size, "--json"))["total"]
                counted = {
                    "steps": len(steps),
                    "applications": sum(len(s["cells"]) for s in steps if s["kind"] == "apply"),
                    "shuffles": sum(s["kind"] == "shuffle" for s in steps),
                    "barriers": sum(s["kind"] == "barrier" and s["warp"] == 0 for s in steps),
                    "shared_wavefronts": sum(s.get("wavefronts", 0) for s in steps),
                    "sectors_loaded": sum(
                        s.get("sectors", 0) for s in steps if s["kind"] == "load"
                    ),
                    "sectors_stored": sum(
                        s.get("sectors", 0) for s in steps if s["kind"] == "store"
                    ),
                }
                self.assertEqual(counted, {key: total[key] for key in counted}, stem)


class Ladder(ToolTest):
    def test_library_and_kernels_agree_and_their_sizes_are_shown(self):
        found = json.loads(
            self.text("ladder", "-n", "20000", "--emulate", "3000", "--on", "sim", "--json")
        )
        self.assertEqual([part["what"] for part in found], ["reduction", "scan"])
        for part in found:
            self.assertTrue(part["agree"])
            self.assertEqual((part["n"], part["bytes"]), (20000, 80000))
            self.assertGreater(part["serial_seconds"], 0)
            self.assertGreater(len(part["kernels"]), 10)
            self.assertTrue(all(k["agrees"] and k["n"] == 3000 for k in part["kernels"]))

    def test_text_has_a_row_for_each_kernel(self):
        text = self.text(
            "ladder", "scan", "-n", "5000", "--emulate", "1000", "--op", "affine", "--on", "sim"
        )
        self.assertIn("; kernels run on the emulator\n", text)
        self.assertIn("data: 5000 elements of affine, 40.0 kB", text)
        self.assertRegex(text, r"on the emulator, 1000 elements,(.|\n)*kogge_stone +agrees: ")

    def test_results_of_the_library_and_the_kernels_can_be_compared(self):
        text = self.text(
            "ladder", "-n", "5000", "--emulate", "1000", "--on", "sim", "--ones", "--block", "128"
        )
        self.assertIn("data: 5000 elements of i32, 20.0 kB, all 1", text)
        self.assertRegex(text, r"reduction by the library, 5000 elements:\n.* 5000\n")
        self.assertRegex(text, r"reduction by the library, 1000 elements:\n.* 1000\n")
        self.assertRegex(text, r"\nkogge_stone +agrees: 1000 ")
        self.assertRegex(text, r"\nblelloch +agrees: 999 \(without the last element\) ")

    def test_ones_that_are_rounded_are_refused(self):
        self.fails(2, "run", "blelloch", "--ones", "--dtype", "f32", "-n", "20000000", says="2^24")


class List(ToolTest):
    def test_reductions_and_scans_are_listed_with_their_scope(self):
        scans = json.loads(self.text("list", "scan", "--json"))
        self.assertIn("kogge_stone", [row["stem"] for row in scans])
        self.assertEqual({row["reach"] for row in scans}, {"warp", "block", "array"})
        self.assertEqual(
            len(self.text("list", "reduce").splitlines()),
            len(json.loads(self.text("list", "reduce", "--json"))),
        )


class Help(ToolTest):
    def test_every_command_of_the_laboratory_shows_examples_first_and_is_in_the_manual(self):
        manual = self.text("manual")
        for command in ("explain", "run", "compare", "verify", "trace", "ladder"):
            text = self.text(command, "--help")
            self.assertLess(text.index("\nExamples:\n"), text.index("-h, --help"), command)
            self.assertIn(f"Usage: upsweep {command} [OPTIONS]", text)
            self.assertIn(f".SH UPSWEEP {command.upper()}\n", manual)

    def test_examples_of_the_laboratory_run(self):
        environment = {
            **os.environ,
            "PATH": os.path.dirname(TOOL) + ":" + os.environ["PATH"],
        }
        files = files_in(HERE / "examples.cu")
        added = files_in(HERE / "programs" / "courses.cu")["vector_add.cu"]
        for name in ("vector_add.cu", "scan.cu", "before.cu", "after.cu"):
            files[name] = added
        for name, text in files.items():
            self.file(name, text)
        count = 0
        for command in ("explain", "run", "compare", "trace"):
            for line in self.text(command, "--help").splitlines():
                if not line.startswith("      upsweep "):
                    continue
                done = subprocess.run(
                    ["bash", "-c", line.strip().split("   ")[0]],
                    capture_output=True,
                    cwd=self.path,
                    env=environment,
                    timeout=300,
                )
                allowed = (0, 5) if "--on cuda" in line or ".cu" in line else (0,)
                self.assertIn(done.returncode, allowed, f"{line}: {done.stderr}")
                count += 1
        self.assertGreaterEqual(count, 12)


if __name__ == "__main__":
    unittest.main()
