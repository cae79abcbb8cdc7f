"""Commands that use a GPU: without CUDA, with CUDA but without a GPU, and with one. Each test
says which of them it is for.
"""

import json
import os
import unittest

from support import TOOL, ToolTest

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
ASKS = [
    ("run", "kogge_stone", "--on", "cuda"),
    ("ladder", "--on", "cuda", "-n", "100"),
    ("verify", "kogge_stone", "--on", "cuda"),
    ("bench", "--on", "cuda", "--sizes", "10"),
]


class GpuTest(ToolTest):
    found = None

    def cuda(self):
        """What doctor says about CUDA; asked once, because it also measures the memory."""
        if GpuTest.found is None:
            GpuTest.found = json.loads(self.text("doctor", "--json"))["cuda"]
        return GpuTest.found

    def need_gpu(self, wanted):
        if bool(self.cuda()["devices"]) != wanted:
            self.skipTest("needs a GPU" if wanted else "there is a GPU")


class Anywhere(GpuTest):
    def test_doctor_says_what_there_is(self):
        cuda = self.cuda()
        self.assertEqual(cuda["built"], HAS_CUDA)
        self.assertEqual(bool(cuda["devices"]), "trouble" not in cuda)
        text = self.text("doctor")
        self.assertRegex(
            text,
            r"(?m)^CUDA +\d+\.\d+, kernels for compute"
            if HAS_CUDA
            else r"(?m)^CUDA +the tool is built without CUDA$",
        )

    def test_wrong_use_is_wrong_use_whether_there_is_a_gpu_or_not(self):
        self.fails(2, "run", "kogge_ston", "--on", "cuda", says="did you mean 'kogge_stone'?")
        self.fails(
            2,
            "compare",
            "kogge_stone",
            "brent_kung",
            "--on",
            "cuda",
            says="only the emulator counts",
        )
        self.fails(
            2,
            "trace",
            "kogge_stone",
            "--on",
            "cuda",
            "-o",
            "x.html",
            says="only the emulator counts",
        )
        self.fails(2, "bench", "all", "--on", "cuda", says="reduce, scan or both")
        self.fails(2, "bench", "--in-place", "--on", "cuda", says="--in-place")
        self.fails(2, "bench", "--peers", "tbb", "--on", "cuda", says="only peer")
        self.fails(2, "bench", "threads", "--on", "cuda", says="'threads' is for the processor")
        self.fails(2, "bench", "--explain", "--html", "x.html", says="--explain")
        self.assertEqual(os.listdir(self.path), [])

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
            self.assertEqual(p["engine"], "vector")
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
                r"\nreduce exact_sum f32\nn +engine +threads +order +tile +stores +traffic "
                r"bytes\n2000000000 +fold "
            ),
        )
        self.assertIn("\ninclusive_scan affine f32\n", text)
        text = self.text("bench", "all", "--op", "user,squares", "--explain", "--threads", "3")
        for title in ("reduce user f32", "inclusive_scan user i32", "reduce squares f32"):
            self.assertRegex(text, rf"\n{title}\nn +engine .*\n2\^4 +tree +1 ")

    def test_explain_has_the_plans_of_every_operator(self):
        text = self.text("bench", "reduce", "--op", "every", "--explain")
        for title, engine in [
            ("reduce minmax f32", "vector|fold|tree"),
            ("reduce product f32", "vector"),
            ("reduce checked_sum i32", "tree"),
            ("reduce exact_sum f32", "fold"),
        ]:
            self.assertRegex(text, rf"\n{title}\nn +engine .*\n2\^14 +({engine}) ")


@unittest.skipIf(HAS_CUDA, "the tool is built with CUDA")
class WithoutCuda(GpuTest):
    def test_every_command_says_so_with_status_5(self):
        for args in ASKS + [("bench", "--on", "cuda", "--explain")]:
            self.fails(5, *args, says=["built without CUDA", "cmake --preset cuda"])

    def test_the_ladder_runs_on_the_emulator(self):
        text = self.text("ladder", "reduce", "-n", "1000")
        self.assertIn("kernels run on the emulator (built without CUDA)", text)


@unittest.skipUnless(HAS_CUDA, "the tool is built without CUDA")
class WithoutGpu(GpuTest):
    def setUp(self):
        super().setUp()
        self.need_gpu(False)

    def test_every_command_says_so_with_status_5(self):
        for args in ASKS:
            self.fails(5, *args, says="no GPU: ")
            self.assertNotIn("built without", self.errors)

    def test_the_ladder_runs_on_the_emulator(self):
        self.assertIn(
            "kernels run on the emulator (no GPU: ", self.text("ladder", "reduce", "-n", "1000")
        )

    def test_plans_are_for_a_default_device_that_is_named(self):
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


@unittest.skipUnless(HAS_CUDA, "the tool is built without CUDA")
class Plans(GpuTest):
    def plans(self, *args):
        return json.loads(self.text("bench", "--on", "cuda", "--explain", "--json", "-", *args))[
            "plans"
        ]

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


@unittest.skipUnless(HAS_CUDA, "the tool is built without CUDA")
class WithGpu(GpuTest):
    def setUp(self):
        super().setUp()
        self.need_gpu(True)

    def test_a_kernel_runs_and_agrees(self):
        for args in (
            ["kogge_stone"],
            ["blelloch", "--op", "affine"],
            ["shared_reduce", "--dtype", "f32"],
        ):
            found = json.loads(self.text("run", *args, "-n", "1000003", "--on", "cuda", "--json"))
            self.assertEqual((found["on"], found["agrees"], found["n"]), ("cuda", True, 1000003))
            self.assertGreater(found["gigabytes_per_second"], 0)
        emulated = json.loads(
            self.text("run", "blelloch", "--op", "affine", "-n", "1003", "--json")
        )
        self.assertEqual(
            json.loads(
                self.text(
                    "run", "blelloch", "--op", "affine", "-n", "1003", "--on", "cuda", "--json"
                )
            )["value"],
            emulated["value"],
        )
        self.assertIn(
            "results agree with the library's",
            self.text("run", "kogge_stone", "-n", "100", "--on", "cuda"),
        )

    def test_what_is_not_compiled_is_status_2_and_says_what_is(self):
        self.fails(
            2,
            "run",
            "kogge_stone",
            "--op",
            "max",
            "--on",
            "cuda",
            says=["not compiled for the GPU", "sum of i32, sum of f32"],
        )
        self.fails(2, "run", "kogge_stone", "--block", "128", "--on", "cuda", says="--block 256")
        self.fails(2, "run", "crossbar_reduce", "--on", "cuda", says="emulator only")

    def test_the_ladder_climbs_on_the_gpu(self):
        for part in json.loads(self.text("ladder", "-n", "1000000", "--json")):
            self.assertGreater(len(part["kernels"]), 10)
            for k in part["kernels"]:
                self.assertTrue(
                    k["on"] == "cuda"
                    and k["n"] == 1000000
                    and (k.get("agrees") or "left_out" in k),
                    k,
                )

    def test_verify_is_right(self):
        self.assertRegex(
            self.text("verify", "tree_lookback", "warp_reduce_sync", "--on", "cuda"),
            r"right\n.*right\n",
        )

    def test_the_bench_compares_with_the_processor(self):
        text = self.text(
            "bench",
            "--on",
            "cuda",
            "--op",
            "sum,affine",
            "--sizes",
            "10,20",
            "--time",
            "1",
            "--json",
            "run.json",
        )
        self.assertRegex(
            text, r"\nreduce sum f32\n +n +CPU ms +GPU ms +speed-up +GB/s +of copy\n +2\^10 "
        )
        run = json.loads(self.content("run.json"))
        self.assertEqual([c["name"] for c in run["competitors"]], ["upsweep", "cpu", "copy"])
        for cell in run["cells"]:
            self.assertEqual(len({len(s["seconds"]) for s in cell["all"]}), 1)
            self.assertTrue(all(s["correct"] and min(s["seconds"]) > 0 for s in cell["all"]), cell)


if __name__ == "__main__":
    unittest.main()
