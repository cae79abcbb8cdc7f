"""`bench --explain`: the plans of calls on the CPU and, in a tool with CUDA, on a GPU, which
need none.
"""

import json
import os
import unittest

from support import ToolTest

HAS_CUDA = os.environ.get("UPSWEEP_HAS_CUDA") == "1"
SIZES = {
    "i8": 1,
    "u8": 1,
    "i16": 2,
    "u16": 2,
    "bf16": 2,
    "i32": 4,
    "u32": 4,
    "f32": 4,
    "i64": 8,
    "u64": 8,
    "f64": 8,
}


# What a GPU runs for each verb of `bench verbs`.
KERNELS = {
    "select": {"select_wave", "select_ring"},
    "select_positions": {"select_wave", "select_ring"},
    "partition": {"select_wave", "select_ring"},
    "unique": {"select_wave", "select_ring"},
    "run_starts": {"select_wave", "select_ring"},
    "runs": {"select_wave", "select_ring"},
    "histogram": {"store", "count_places", "sum_counts"},
    "weighted_histogram": {
        "for_each_index",
        "sort_block",
        "cub_radix_sort",
        "select_tiles",
        "reduce_segments",
        "reduce_by_warps",
    },
    "count_indices": {"count_places", "sum_counts"},
    "reduce_runs": {"select_ring", "reduce_runs"},
    "scan_runs": {"select_ring", "scan_runs"},
    "reduce_segments": {"reduce_segments", "reduce_by_warps", "reduce_long_segments"},
    "scan_segments": {"scan_segments"},
    "windowed": {"windows", "window_blocks"},
    "sort": {"sort_block", "cub_radix_sort"},
    "sort_by_key": {"sort_block", "cub_radix_sort"},
    "sort_by_order": {"cub_merge_sort"},
    "argsort": {"sort_block", "for_each_index", "cub_radix_sort"},
    "recurrence": {"scan_wave", "scan_ring"},
    "polynomial": {"reduce"},
    "pad": {"pad_rows"},
    "unpad": {"pad_rows"},
    "summed_area_table": {"scan_table", "scan_bands"},
    "scan_columns": {"scan_table"},
}


class OfProcessor(ToolTest):
    def test_explain_prints_the_plans_of_the_processor_and_runs_nothing(self):
        found = json.loads(
            self.text(
                "bench",
                "--explain",
                "--type",
                "f32,i64",
                "--sizes",
                "10,28",
                "--threads",
                "3",
                "--json",
                "-",
            )
        )
        self.assertEqual((found["on"], found["threads"]), ("cpu", 3))
        self.assertEqual(
            [(p["verb"], p["type"], p["n"]) for p in found["plans"]],
            [
                (v, t, n)
                for v in ("reduce", "inclusive_scan")
                for t in ("f32", "i64")
                for n in (2**10, 2**28)
            ],
        )
        for p in found["plans"]:
            scan, large = p["verb"] != "reduce", p["n"] == 2**28
            self.assertEqual(p["strategy"], "compiled")
            self.assertEqual(p["traffic_bytes"], p["n"] * SIZES[p["type"]] * (2 if scan else 1))
            self.assertLessEqual(p["tile"], p["n"])
            self.assertEqual(p["tile"] & (p["tile"] - 1), 0)
            self.assertEqual(p["streams"], scan and large)
            if not large:
                self.assertEqual(p["threads"], 1)
        self.assertFalse(
            any(
                p["streams"]
                for p in json.loads(
                    self.text(
                        "bench", "scan", "--in-place", "--explain", "--sizes", "28", "--json", "-"
                    )
                )["plans"]
            )
        )
        text = self.text("bench", "--op", "exact_sum,affine", "--explain", "--sizes", "2000000000")
        self.assertRegex(
            text,
            (
                r"\nreduce exact_sum f32\nn +strategy +threads +order +tile +stores +traffic "
                r"bytes\n2000000000 +running "
            ),
        )
        self.assertIn("\ninclusive_scan affine f32\n", text)

    def test_explain_has_the_strategies_of_calls_on_few_elements(self):
        args = ("--op", "sum,max,user,squares", "--type", "f32,i32", "--sizes", "4..7")
        found = json.loads(self.text("bench", "all", "--explain", *args, "--json", "-"))
        strategies = {}
        for p in found["plans"]:
            if not p["in_place"]:
                key = f"{p['verb']} {p['op']} {p['type']}"
                strategies[key] = f"{strategies.get(key, '')} {p['strategy']}"
        numbers = "(registers|levels)"
        for key, expected in [
            ("reduce max i32", " loop compiled compiled compiled"),
            ("inclusive_scan max i32", " loop compiled compiled compiled"),
            ("inclusive_scan sum i32", " loop compiled compiled compiled"),
            ("reduce max f32", " compiled compiled compiled compiled"),
            ("reduce user f32", f" shape {numbers} {numbers} {numbers}"),
            ("inclusive_scan user i32", f" shape shape shape {numbers}"),
            ("reduce squares f32", "( registers| kernels){4}"),
        ]:
            self.assertRegex(strategies[key], f"^{expected}$", key)

    def test_explain_has_the_plans_of_every_operator(self):
        text = self.text("bench", "reduce", "--op", "every", "--explain")
        for title, strategy in [
            ("reduce minmax f32", "kernels"),
            ("reduce product f32", "compiled"),
            ("reduce checked_sum i32", "kernels"),
            ("reduce exact_sum f32", "running"),
        ]:
            self.assertRegex(text, rf"\n{title}\nn +strategy .*\n2\^14 +{strategy} ")


@unittest.skipUnless(HAS_CUDA, "the tool is built without CUDA")
class OfGpu(ToolTest):
    def plans(self, *args):
        return json.loads(self.text("bench", "--on", "cuda", "--explain", "--json", "-", *args))[
            "plans"
        ]

    def test_plans_are_for_a_default_device_that_is_named(self):
        if json.loads(self.text("doctor", "--json"))["cuda"]["devices"]:
            self.skipTest("there is a GPU")
        found = json.loads(self.text("bench", "--on", "cuda", "--explain", "--json", "-"))
        # An H100 or H200: 132 multiprocessors, 227 KiB of shared memory for a block.
        self.assertEqual(
            found["device"],
            {
                "name": "a default device",
                "is_there": False,
                "capability": 90,
                "multiprocessors": 132,
                "shared_bytes": 227 * 1024,
            },
        )
        self.assertIn(
            "because there is no GPU here: compute capability 9.0, 132 multi",
            self.text("bench", "--on", "cuda", "--explain"),
        )

    def test_every_pair_and_size_has_one_launch_and_moves_each_element_once(self):
        sizes = [2, 1000, 2**20, 2**28, 2**33]
        asked = [("sum", t) for t in SIZES] + [
            (o, t) for o in ("product", "min", "max") for t in ("i32", "i64", "f32", "f64")
        ]
        asked += [("affine", "f32"), ("affine", "f64")]
        plans = [
            p
            for op in ("sum", "product", "min", "max", "affine")
            for p in self.plans(
                "--op",
                op,
                "--type",
                ",".join(t for o, t in asked if o == op),
                "--sizes",
                "1,1000,20,28,33",
            )
        ]
        self.assertEqual(
            sorted((p["verb"], p["op"], p["type"], p["n"]) for p in plans),
            sorted(
                (v, o, t, n) for v in ("reduce", "inclusive_scan") for o, t in asked for n in sizes
            ),
        )
        for p in plans:
            scan, size = p["verb"] != "reduce", SIZES[p["type"]] * (2 if p["op"] == "affine" else 1)
            self.assertEqual(p["launches"], 1, p)
            self.assertEqual(p["traffic_bytes"], p["n"] * size * (2 if scan else 1), p)
            self.assertIn(
                p["algorithm"], ("scan_wave", "scan_ring", "scan_tiles") if scan else ("reduce",), p
            )
            self.assertTrue(32 <= p["threads"] <= 1024 and p["threads"] % 32 == 0, p)
            self.assertTrue(
                1 <= p["blocks"] and p["tile"] % 32 == 0 and p["workspace_bytes"] >= 8, p
            )
            if p["algorithm"] == "scan_wave":  # a block for each tile
                self.assertEqual(p["blocks"], -(-p["n"] // p["tile"]), p)

    def test_every_verb_has_a_plan_for_each_of_its_launches(self):
        args = ["bench", "verbs", "--on", "cuda", "--explain"]
        found = json.loads(self.text(*args, "--sizes", "1000,28", "--json", "-"))["plans"]
        for verb, kernels in KERNELS.items():
            launches = [p for plan in found if plan["verb"] == verb for p in plan["launches"]]
            self.assertEqual({p["algorithm"] for p in launches}, kernels, verb)
        for plan in found:
            self.assertGreater(len(plan["launches"]), 0, plan)
            for p in plan["launches"]:
                if not p["algorithm"].startswith("cub_"):
                    self.assertEqual(p["launches"], 1, plan)
                    self.assertTrue(1 <= p["blocks"] and 1 <= p["threads"] <= 1024, plan)
            if plan["verb"] == "sort" and plan["n"] == 2**28:
                self.assertGreaterEqual(plan["scratch_bytes"], 4 * 2**28)
        text = self.text(*args, "--verb", "scan_segments", "--type", "f32", "--sizes", "28")
        self.assertRegex(
            text,
            r"\nscan_segments sum f32, average 10\nn +workspace bytes +scratch bytes +kernel"
            r" +tile +blocks +threads +shared bytes\n2\^28 +\d+ +0 +scan_segments ",
        )

    def test_a_pair_that_is_not_compiled_is_status_2(self):
        self.fails(
            2,
            "bench",
            "--on",
            "cuda",
            "--explain",
            "--op",
            "min",
            "--type",
            "u8",
            says=["no compiled kernel", "i32"],
        )
        self.fails(
            2, "bench", "--on", "cuda", "--explain", "--op", "exact_sum", says="no compiled kernel"
        )


if __name__ == "__main__":
    unittest.main()
