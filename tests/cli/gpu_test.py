"""Commands that use a GPU: without CUDA, with CUDA but without a GPU, and with one. Each test
says which of them it is for.
"""

import json
import os
import unittest

from support import TOOL, ToolTest

HAS_CUDA = os.environ.get("UPSWEEP_HAS_CUDA") == "1"
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
        self.fails(2, "bench", "threads", "--on", "cuda", says="'threads' is for the CPU")
        self.fails(2, "bench", "--explain", "--html", "x.html", says="--explain")
        self.fails(2, "bench", "verbs", "--explain", says="--on cuda --explain")
        self.fails(2, "bench", "verbs", "--on", "cuda", says="--on cuda --explain")
        self.assertEqual(os.listdir(self.path), [])


@unittest.skipIf(HAS_CUDA, "the tool is built with CUDA")
class WithoutCuda(GpuTest):
    def test_every_command_says_so_with_status_5(self):
        for args in ASKS + [
            ("bench", "--on", "cuda", "--explain"),
            ("bench", "verbs", "--on", "cuda", "--explain"),
        ]:
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
