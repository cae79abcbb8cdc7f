"""tools/gpu_check.sh with fake programs: what it runs and records, and that failures do not stop
it.
"""

import os
import pathlib
import subprocess
import tempfile
import time
import unittest

TOOL = pathlib.Path(__file__).resolve().parents[2] / "tools" / "gpu_check.sh"
# Those that compute-sanitizer runs, and in how many parts.
SANITIZED = {
    "conformance": 40,
    "conformance_verbs": 8,
    "verbs": 1,
    "select": 3,
    "histogram": 1,
    "windows": 3,
    "segments": 3,
    "runs": 1,
    "summed_area": 1,
    "summed_area_bands": 1,
    "lines": 1,
    "recurrence": 1,
    "sorts": 1,
    "orders": 1,
    "top": 1,
    "chains": 1,
    "weighted_histogram": 1,
    "plans": 1,
    "edges": 3,
    "precise": 1,
    "streams": 1,
    "pieces": 1,
}
# Under racecheck, which takes longest, nearly every test is a part.
RACECHECKED = SANITIZED | {
    "select": 9,
    "histogram": 9,
    "windows": 12,
    "segments": 12,
    "runs": 6,
    "sorts": 3,
    "weighted_histogram": 2,
}
TESTS = [
    *(name for name in SANITIZED if not name.startswith("conformance")),
    "recurrence_orders",
    "recurrence_eighth",
    "translated",
    "failures",
    "plain_verbs",
]
SUITES = ["conformance", "conformance_verbs"]
RANDOM = [
    "summed_area",
    "summed_area_bands",
    "windows",
    "lines",
    "select",
    "sorts",
    "segments",
    "runs",
    "recurrence",
    "histogram",
]
VERB_BENCHES = [
    "selections",
    "histograms",
    "windows",
    "segments",
    "tables",
    "recurrences",
    "sorts",
]
PROGRAMS = [
    *(f"{name}_on_gpu" for name in [*TESTS, *SUITES]),
    "cuda_c11_program",
    "cuda_verbs_program",
    "cuda_ranks_program",
    "golden_on_gpu",
    "plain_cuda_program",
    "textbook_on_gpu",
    "upsweep_gpu_bench",
    *(f"upsweep_gpu_{name}" for name in VERB_BENCHES),
    "upsweep_gpu_bench_cccl",
    "nccl_program",
    "gpu_ranks",
    "upsweep_gpu_pieces",
]
# They print what the reference shows.
EXAMPLES = ["every_gpu_function", "every_gpu_verb"]


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.tools = self.path / "tools"
        self.bin = self.path / "build" / "bin"
        for name in PROGRAMS:
            self.program(self.bin / name, 'echo "ran with $*"')
        for name in EXAMPLES:
            shown = TOOL.parents[1] / "examples" / "gpu" / f"{name}.txt"
            self.program(self.bin / name, f"cat {shown}")
        self.program(self.tools / "nvidia-smi", "echo a GPU")
        # Like the real ones: options, then a program.
        self.program(
            self.tools / "compute-sanitizer",
            (
                'while [ "${1#--}" != "$1" ]; do shift 2; done; echo "most $UPSWEEP_GPU_MOST, '
                'shard $GTEST_SHARD_INDEX of $GTEST_TOTAL_SHARDS"; exec "$@"'
            ),
        )
        self.program(self.tools / "ncu", 'echo \'"0","a launch"\'')

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def check(self, *options, status=0, **environment):
        done = subprocess.run(
            [TOOL, *options, self.path / "build"],
            capture_output=True,
            text=True,
            check=False,
            cwd=self.path,
            env={
                **os.environ,
                "PATH": f"{self.tools}:{os.environ['PATH']}",
                "OUT": str(self.path / "out"),
                **environment,
            },
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        rows = {
            line[:38].strip(): (line[39:61].strip(), line[72:].strip())
            for line in done.stdout.splitlines()
        }
        self.assertEqual((self.path / "out" / "summary.txt").read_text(), done.stdout)
        return rows

    def test_runs_every_step_and_leaves_a_log(self):
        rows = self.check()
        steps = [
            "machine",
            *(f"{name}, {part + 1} of 8" for name in SUITES for part in range(8)),
            *TESTS,
            *(f"random cases, {name}" for name in RANDOM),
            "C program",
            "C verbs",
            "C ranks",
            "golden set",
            *EXAMPLES,
            "plain program",
            "bench",
            *(f"bench, {name}" for name in VERB_BENCHES),
            "several GPUs",
            "example of NCCL",
            "bench, pieces",
            "textbook",
            "bench, newer CCCL",
            "counters",
        ]
        self.assertEqual(list(rows), ["step", *steps])
        for step in steps:
            self.assertEqual(rows[step][0], "good", step)
        self.assertIn("bench.json --seconds 170", rows["bench"][1])
        self.assertIn("--gtest_filter=*random_cases*", rows["random cases, select"][1])
        self.assertEqual(rows["counters"][1], "6")  # rows of six kernels
        self.assertIn("=== verbs: good", (self.path / "out" / "log.txt").read_text())

    def test_runs_every_test_under_every_sanitizer_in_parts(self):
        rows = self.check("--sanitize")
        steps = [
            f"{tool}, {name}" + (f", {part + 1} of {parts}" if parts > 1 else "")
            for tool in ("racecheck", "memcheck", "initcheck", "synccheck")
            for name, parts in (RACECHECKED if tool == "racecheck" else SANITIZED).items()
            for part in range(parts)
        ]
        self.assertEqual(list(rows), ["step", "machine", *steps])
        for step in steps:
            self.assertEqual(rows[step][0], "good", step)
        log = (self.path / "out" / "log.txt").read_text()
        self.assertEqual(log.count("most 20000,"), 3 * (sum(SANITIZED.values()) - 2))
        self.assertEqual(log.count("most 2500,"), sum(RACECHECKED.values()) - 8)
        self.assertIn("most 2000000, shard 0 of 1", log)
        self.assertEqual(log.count("shard 7 of 8"), 4)

    def test_runs_the_steps_that_are_asked_for_on_all_gpus(self):
        self.program(self.tools / "nvidia-smi", "echo GPU 0; echo GPU 1")
        for name in ("select", "segments"):
            self.program(self.bin / f"{name}_on_gpu", "echo on $CUDA_VISIBLE_DEVICES")
        rows = self.check(UPSWEEP_GPU_STEPS="^(select|segments|bench)$")
        self.assertEqual(list(rows), ["step", "select", "segments", "bench"])
        self.assertEqual({rows[name][1] for name in ("select", "segments")}, {"on 0", "on 1"})

    def test_goes_on_after_a_failure_and_says_how_each_step_ended(self):
        self.program(self.bin / "verbs_on_gpu", "echo three tests failed; exit 1")
        (self.bin / "textbook_on_gpu").unlink()
        rows = self.check(status=1)
        self.assertEqual(rows["verbs"], ("FAILED (status 1)", "three tests failed"))
        self.assertEqual(rows["textbook"][0], "not run")
        self.assertIn("textbook_on_gpu not found", rows["textbook"][1])
        self.assertEqual(rows["bench"][0], "good")
        rows = self.check("--sanitize", status=1)
        self.assertEqual(rows["racecheck, verbs"][0], "FAILED (status 1)")
        self.assertEqual(rows["racecheck, select, 2 of 9"][0], "good")

    def test_ends_what_takes_too_long_and_keeps_to_the_time_for_everything(self):
        self.program(self.bin / "verbs_on_gpu", "echo waiting; sleep 60")
        begin = time.monotonic()
        rows = self.check(status=1, UPSWEEP_GPU_SECONDS="5")
        self.assertLess(time.monotonic() - begin, 20)
        self.assertEqual(rows["verbs"], ("TIMED OUT", "waiting"))
        self.assertEqual(rows["bench"][0], "not run")

    def test_says_when_there_is_no_gpu(self):
        for name in PROGRAMS:
            self.program(self.bin / name, "echo there is no GPU; exit 5")
        rows = self.check(status=5)
        self.assertEqual(rows["bench"], ("no GPU", "there is no GPU"))

    def test_refuses_an_unknown_option(self):
        done = subprocess.run([TOOL, "--bild"], capture_output=True, text=True, check=False)
        self.assertEqual(
            (done.returncode, done.stderr),
            (2, "gpu_check: '--bild' is neither --build, --sanitize nor a folder\n"),
        )


if __name__ == "__main__":
    unittest.main()
