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
PROGRAMS = [
    "verbs_on_gpu",
    "select_on_gpu",
    "histogram_on_gpu",
    "windows_on_gpu",
    "segments_on_gpu",
    "summed_area_on_gpu",
    "summed_area_types_on_gpu",
    "lines_on_gpu",
    "recurrence_on_gpu",
    "recurrence_orders_on_gpu",
    "recurrence_types_on_gpu",
    "recurrence_eighth_on_gpu",
    "sorts_on_gpu",
    "orders_on_gpu",
    "top_on_gpu",
    "precise_on_gpu",
    "streams_on_gpu",
    "edges_on_gpu",
    "translated_on_gpu",
    "failures_on_gpu",
    "conformance_on_gpu",
    "plain_verbs_on_gpu",
    "cuda_c11_program",
    "cuda_verbs_program",
    "plain_cuda_program",
    "textbook_on_gpu",
    "upsweep_gpu_bench",
    "upsweep_gpu_selections",
    "upsweep_gpu_histograms",
    "upsweep_gpu_windows",
    "upsweep_gpu_segments",
    "upsweep_gpu_tables",
    "upsweep_gpu_recurrences",
    "upsweep_gpu_sorts",
    "upsweep_gpu_bench_cccl",
]
# Those that compute-sanitizer runs.
SANITIZED = [
    "verbs",
    "select",
    "histogram",
    "windows",
    "segments",
    "summed_area",
    "summed_area_types",
    "lines",
    "recurrence",
    "sorts",
    "orders",
    "top",
    "edges",
    "precise",
    "streams",
]


class GpuCheck(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = pathlib.Path(folder.name)
        self.tools = self.path / "tools"
        self.bin = self.path / "build" / "bin"
        for name in PROGRAMS:
            self.program(self.bin / name, 'echo "ran with $*"')
        self.program(self.tools / "nvidia-smi", "echo a GPU")
        # Like the real ones: options, then a program.
        self.program(
            self.tools / "compute-sanitizer",
            (
                'while [ "${1#--}" != "$1" ]; do shift 2; done; echo "most $UPSWEEP_GPU_MOST"; '
                'exec "$@"'
            ),
        )
        self.program(self.tools / "ncu", 'echo \'"0","a launch"\'')

    def program(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def check(self, status=0, **environment):
        done = subprocess.run(
            [TOOL, self.path / "build"],
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
            line[:28].strip(): (line[29:51].strip(), line[62:].strip())
            for line in done.stdout.splitlines()
        }
        self.assertEqual((self.path / "out" / "summary.txt").read_text(), done.stdout)
        return rows

    def test_runs_every_step_and_leaves_a_log(self):
        rows = self.check()
        steps = [
            "machine",
            *(
                name.removesuffix("_on_gpu")
                for name in PROGRAMS
                if name.endswith("_on_gpu") and name != "textbook_on_gpu"
            ),
            "C program",
            "C verbs",
            "plain program",
            "bench",
            *(
                f"bench, {name.removeprefix('upsweep_gpu_')}"
                for name in PROGRAMS
                if name.startswith("upsweep_gpu_") and "bench" not in name
            ),
            *(
                f"{tool}, {program}"
                for tool in ("memcheck", "racecheck", "synccheck", "initcheck")
                for program in SANITIZED
            ),
            "textbook",
            "bench, newer CCCL",
            "counters",
        ]
        self.assertEqual(list(rows), ["step", *steps])
        for step in steps:
            self.assertEqual(rows[step][0], "good", step)
        self.assertIn("bench.json --seconds 170", rows["bench"][1])
        self.assertEqual(rows["counters"][1], "6")  # rows of six kernels
        log = (self.path / "out" / "log.txt").read_text()
        self.assertEqual(log.count("most 20000"), 56)
        self.assertIn("=== verbs: good", log)

    def test_goes_on_after_a_failure_and_says_how_each_step_ended(self):
        self.program(self.bin / "verbs_on_gpu", "echo three tests failed; exit 1")
        (self.bin / "textbook_on_gpu").unlink()
        rows = self.check(status=1)
        self.assertEqual(rows["verbs"], ("FAILED (status 1)", "three tests failed"))
        self.assertEqual(rows["racecheck, verbs"][0], "FAILED (status 1)")
        self.assertEqual(rows["textbook"][0], "not run")
        self.assertIn("textbook_on_gpu not found", rows["textbook"][1])
        self.assertEqual(rows["bench"][0], "good")

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
            (2, "gpu_check: '--bild' is neither --build nor a folder\n"),
        )


if __name__ == "__main__":
    unittest.main()
