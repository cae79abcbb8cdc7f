"""upsweep run FILE.cu: course-style programs, their mistakes, and files that are no programs."""

import glob
import json
import os
import shutil
import stat
import subprocess
import unittest
from pathlib import Path

from small_files import unpacked
from support import TOOL, ToolTest

PROGRAMS = unpacked(Path(__file__).resolve().parent / "programs")


def program(name):
    return str(PROGRAMS / f"{name}.cu")


def supported():
    done = subprocess.run([TOOL, "run", "no-such-file.cu"], capture_output=True, text=True)
    return done.returncode != 5


class ProgramTest(ToolTest):
    def json(self, *args, status=0):
        """The report; what the program printed is in self.printed."""
        done = subprocess.run(
            [TOOL, "run", "--json", *args], capture_output=True, text=True, cwd=self.path
        )
        self.assertEqual(done.returncode, status, done.stderr + done.stdout[:300])
        self.printed = done.stderr
        return json.loads(done.stdout)

    def mistake(self, number, *options):
        return self.json(*options, program("mistakes"), str(number), status=1)


class Reports(ProgramTest):
    def test_source_has_counts_and_findings_beside_the_lines(self):
        done = subprocess.run(
            [TOOL, "run", "--source", program("vector_add"), "1000"],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(program("vector_add")) as file:
            text = file.read().splitlines()
        (number,) = [i + 1 for i, line in enumerate(text) if "c[i] = " in line]
        (shown,) = [line for line in done.stdout.splitlines() if line.endswith(text[number - 1])]
        # 32 warps: two loads and a store each
        self.assertRegex(shown, rf"^ *96 .* {number}  ")

    def test_sarif_has_the_findings(self):
        path = os.path.join(self.path, "found.sarif")
        run = self.mistake(1, "--sarif", path)
        with open(path) as file:
            results = json.load(file)["runs"][0]["results"]
        self.assertEqual(
            [r["message"]["text"] for r in results], [f["sentence"] for f in run["findings"]]
        )
        done = subprocess.run(
            [TOOL, "run", "--sarif", path, program("vector_add")], capture_output=True, text=True
        )
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("--force", done.stderr)

    def test_gpu_estimates_a_time_and_what_binds_it(self):
        (launch,) = self.json("--gpu", "h200", program("vector_add"), "1000")["launches"]
        estimate = launch["estimate"]
        self.assertEqual((estimate["gpu"], estimate["occupancy"]), ("H200", 1.0))
        self.assertEqual(estimate["bound"], "latency")  # four blocks
        self.assertGreater(estimate["seconds"], 2.5e-6)
        done = subprocess.run(
            [TOOL, "run", "--gpu", "H9", program("vector_add")], capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("H200", done.stderr)


class Programs(ProgramTest):
    def test_vector_add_is_right_and_counted(self):
        run = self.json(program("vector_add"), "1000")
        self.assertEqual(self.printed, "0 of 1000 elements are wrong\n")
        self.assertEqual((run["findings"], run["failure"]), ([], ""))
        (launch,) = run["launches"]
        self.assertEqual((launch["name"], launch["grid"]), ("vector_add", [4, 1, 1]))
        self.assertEqual((launch["block"], launch["shared_bytes"]), ([256, 1, 1], 0))
        self.assertEqual(launch["buffers"]["d_c"], {"loads": 0, "stores": 1000, "atomics": 0})
        self.assertEqual(run["total"]["global_loads"], 2000)
        # whole warps: 128 bytes of three vectors; the last warp has 8 elements
        self.assertEqual(run["total"]["sectors_loaded"], 2 * 1000 * 4 // 32)

    def test_dynamic_shared_memory_and_every_schedule(self):
        for schedule in ("in-order", "round-robin", "random", "adversarial"):
            run = self.json(program("block_sum"), "--schedule", schedule, "--seed", "3")
            self.assertEqual(self.printed, "total 1000\n")
            self.assertEqual(run["launches"][0]["shared_bytes"], 512)
            # 128 stores and, in 7 rounds, 127 sums: two loads and a store each; one final load
            self.assertEqual(run["total"]["shared_stores"], 8 * (128 + 127))
            self.assertEqual(run["total"]["shared_loads"], 8 * (2 * 127 + 1))
            self.assertEqual(run["total"]["barriers"], 8 * 8)

    def test_variables_of_the_host_keep_their_values(self):
        run = self.json(program("host_variables"))
        self.assertEqual(self.printed, "63 0 10 10 19 30 45\n")
        self.assertEqual(run["findings"], [])

    def test_templates_macros_and_headers_beside_the_file(self):
        run = self.json(program("tiled_product"))
        self.assertEqual(self.printed, "0 wrong\n")
        self.assertEqual(
            [(x["name"], x["grid"], x["block"]) for x in run["launches"]],
            [("product<float>", [4, 4, 1], [8, 8, 1]), ("set_zero", [8, 1, 1], [128, 1, 1])],
        )
        n = 32
        self.assertEqual(run["launches"][0]["counters"]["global_loads"], 2 * n * n * n // 8)
        self.assertEqual(run["launches"][0]["counters"]["shared_loads"], 2 * n * n * n)

    def test_the_report_follows_what_the_program_prints(self):
        text = self.text("run", program("block_sum"))
        self.assertTrue(text.startswith("total 1000\n\nkernel "), text[:80])
        self.assertRegex(text, r"block_sum +8 +128 +512 B +block_sum.cu:\d+ +1\n")
        self.assertRegex(text, r"barriers +64\n")
        self.assertNotIn("applications", text)
        self.assertEqual(self.text("run", program("mistakes"), "12").count("line "), 200000)

    def test_arguments_follow_two_hyphens(self):
        text = self.text("run", program("vector_add"), "--no-check", "--", "77")
        self.assertIn("0 of 77 elements", text)


class Mistakes(ProgramTest):
    def finding(self, run):
        (one,) = run["findings"]
        return one["kind"], one["sentence"], one["first"]["line"]

    def test_a_race_is_found_with_its_line(self):
        kind, sentence, line = self.finding(self.mistake(1))
        self.assertEqual(line, 7)
        self.assertIn("buffer 'p'", sentence)
        self.assertIn("race", kind)
        self.json(program("mistakes"), "1", "--no-check")

    def test_an_access_out_of_bounds_is_found(self):
        _, sentence, line = self.finding(self.mistake(2))
        self.assertEqual(line, 10)
        self.assertIn("element 64 of buffer 'p'", sentence)

    def test_a_barrier_that_some_threads_miss_is_found(self):
        _, sentence, line = self.finding(self.mistake(3))
        self.assertEqual(line, 13)
        self.assertIn("16 of the 32 threads", sentence)

    def test_missing_barriers_and_initial_values_are_found(self):
        run = self.json(program("block_sum"), "-D", "NO_BARRIER", status=1)
        self.assertIn("'part'", self.finding(run)[1])
        run = self.json(program("block_sum"), "-D", "NO_INIT", status=1)
        self.assertEqual(self.finding(run)[0], "uninitialized read")

    def test_host_code_that_reads_device_memory_is_found(self):
        self.assertIn("the host reads buffer 'p'", self.finding(self.mistake(11))[1])

    def test_cublas_is_prepared_but_computes_nothing(self):
        path = os.path.join(self.path, "product.cu")
        with open(path, "w") as file:
            file.write(
                "#include <cublas_v2.h>\n"
                "__global__ void nothing() {}\n"
                "int main() {\n"
                "  cublasHandle_t handle;\n"
                "  if (cublasCreate(&handle) != CUBLAS_STATUS_SUCCESS) return 2;\n"
                "  nothing<<<1, 1>>>();\n"
                "  return cublasSgemm(handle, CUBLAS_OP_N) != CUBLAS_STATUS_NOT_SUPPORTED;\n"
                "}\n"
            )
        kind, sentence, line = self.finding(self.json(path, status=1))
        self.assertEqual((kind, line), ("refused call", 7))
        self.assertIn("cublasSgemm() fails", sentence)

    def test_a_refused_launch_is_said(self):
        kind, sentence, line = self.finding(self.mistake(4))
        self.assertEqual((kind, line), ("refused call", 26))
        self.assertIn("'nothing'", sentence)
        self.assertIn("2000", sentence)


class Endings(ProgramTest):
    """The launches before a program's end are reported, however it ends."""

    def failure(self, number, *options):
        run = self.mistake(number, *options)
        self.assertEqual([x["name"] for x in run["launches"]], ["nothing"])
        return run["failure"]

    def test_crashes_of_host_code(self):
        self.assertIn("Segmentation fault", self.failure(5))
        self.assertIn("Aborted", self.failure(7))
        self.assertIn("Aborted", self.failure(10))

    def test_exit_with_a_status(self):
        self.assertEqual(self.failure(6), "the program ended with status 7")

    def test_host_code_that_never_ends(self):
        self.assertIn("after 0.5 s", self.failure(8, "--time-limit", "0.5"))

    def test_a_kernel_that_a_limit_stops_is_named_with_its_place(self):
        path = self.file(
            "slow.cu",
            "__global__ void slow(int* x) {\n"
            "  for (int i = 0; i < 2000000000; ++i)\n"
            "    x[i % 64] = i;\n"
            "}\n"
            "int main() {\n"
            "  int* x;\n"
            "  cudaMalloc(&x, 256);\n"
            "  slow<<<1, 1>>>(x);\n"
            "  return cudaDeviceSynchronize();\n"
            "}\n",
        )
        said = self.text("run", path, "--time-limit", "1", status=1)
        self.assertIn("no launch has ended", said)
        self.assertNotIn("no kernel was launched", said)
        self.assertIn("thread 0 of block 0 of 'slow' was running, after slow.cu:", said)

    def test_a_loop_around_a_barrier_that_never_ends(self):
        path = self.file(
            "slide.cu",
            "__global__ void sum(float* x) {\n"
            "  __shared__ float tile[256];\n"
            "  unsigned t = threadIdx.x;\n"
            "  tile[t] = x[t];\n"
            "  for (unsigned stride = blockDim.x / 2; stride >= 1; stride >> 1) {\n"
            "    __syncthreads();\n"
            "    if (t < stride) tile[t] += tile[t + stride];\n"
            "  }\n"
            "  if (t == 0) x[0] = tile[0];\n"
            "}\n"
            "int main() {\n"
            "  float* x;\n"
            "  cudaMalloc(&x, 1024);\n"
            "  cudaMemset(x, 0, 1024);\n"
            "  sum<<<1, 256>>>(x);\n"
            "  return cudaDeviceSynchronize();\n"
            "}\n",
        )
        (found,) = self.json(path, "--time-limit", "60", status=1)["findings"]
        self.assertEqual((found["kind"], found["first"]["line"]), ("no progress", 6))
        self.assertIn("the barrier at slide.cu:6", found["sentence"])

    def test_host_code_that_takes_all_memory(self):
        self.assertIn("more than 300 MiB", self.failure(9, "--memory-limit", "300"))


class Files(ProgramTest):
    def says(self, name, status, *says):
        self.run_tool("run", name, status=status)
        for part in says:
            self.assertIn(part, self.errors)

    def test_what_is_no_program_is_a_sentence(self):
        os.mkdir(os.path.join(self.path, "folder.cu"))
        self.fails(4, "run", "missing.cu", says="there is no file 'missing.cu'")
        self.fails(3, "run", "folder.cu", says="'folder.cu' is a folder")
        self.fails(3, "run", self.file("empty.cu", " \n"), says="'empty.cu' is empty")
        self.fails(3, "run", self.file("x.so", b"\x7fELF\0\1"), says="is a binary file")
        self.fails(3, "run", self.file("x.py", "print(1)\n"), says="'x.py' is no CUDA program")
        self.fails(3, "run", self.file("k.cu", "__global__ void k() {}\n"), says="no function main")

    def test_options_of_the_other_kind_are_refused(self):
        self.fails(2, "run", "kogge_stone", "-D", "X", says=["-D", "'kogge_stone'"])
        self.fails(2, "run", program("vector_add"), "--op", "sum", says="--op")
        self.fails(5, "run", program("vector_add"), "--compiler", "no-such-one", says="no-such-one")

    def test_compiler_errors_are_shown_where_standard_input_is_closed(self):
        self.file("a.cu", "int main() { return x; }\n")
        command = ["bash", "-c", f"'{TOOL}' run a.cu <&-"]
        done = subprocess.run(command, capture_output=True, cwd=self.path, timeout=300, check=False)
        self.assertIn(b"a.cu:1:21: error:", done.stderr)

    def test_compiler_errors_are_in_the_users_lines_and_columns(self):
        kernel = "__global__ void k(int* p) { p[0] = 1; }\n"
        self.file("a.cu", kernel + "int main() {\n  k<<<1, 32>>>(unknown);\n}\n")
        self.says("a.cu", 3, "'a.cu' does not compile", "a.cu:3:16: error:", "unknown", "^\n")
        self.file("b.cu", kernel + "int main() {\n  int* p;\n  k<<<1, 32>>>(p, 2);\n}\n")
        self.says("b.cu", 3, "b.cu:4:15: error: no match for call", "void (*)(int*)")
        self.file("c.cu", kernel + '#include "none.h"\nint main() {}\n')
        self.says("c.cu", 3, "c.cu:2:10: fatal error: none.h")
        self.file("d.cuh", "inline int f() { return 1 }\n")
        self.file("d.cu", '#include "d.cuh"\n' + kernel + "int main() {}\n")
        self.says("d.cu", 3, "d.cuh:1:26: error:")

    def test_nested_launches_and_unknown_functions_are_said(self):
        self.file("a.cu", "__global__ void k() {}\n__global__ void p() {\n  k<<<1, 1>>>(); }\n")
        self.fails(3, "run", "a.cu", says=["a.cu:3:", "'k'", "dynamic parallelism"])
        self.file(
            "b.cu", "int other(int);\n__global__ void k() {}\nint main() { return other(1); }\n"
        )
        self.fails(3, "run", "b.cu", says="uses 'other(int)'")

    def test_recursive_device_functions_run_with_a_note(self):
        self.file(
            "a.cu",
            "__device__ int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
            "__global__ void k(int* p) { p[threadIdx.x] = f(threadIdx.x); }\n"
            "int main() { int *p, h[16]; cudaMalloc(&p, 64); k<<<1, 16>>>(p);\n"
            "  cudaMemcpy(h, p, 64, cudaMemcpyDeviceToHost); return h[15] != 610; }\n",
        )
        self.json("a.cu")
        self.assertIn("calls itself", self.printed)
        self.json("a.cu")
        self.assertIn("calls itself", self.printed)  # from the cache too


class Cache(ProgramTest):
    """A cache that has the compiled headers and nothing else."""

    def setUp(self):
        super().setUp()
        shared = os.environ["XDG_CACHE_HOME"]
        self.addCleanup(os.environ.__setitem__, "XDG_CACHE_HOME", shared)
        self.own = os.path.join(self.path, "cache")
        used_last = max(glob.glob(f"{shared}/upsweep/headers-*"), key=os.path.getmtime, default="")
        os.makedirs(os.path.join(self.own, "upsweep"), 0o700)
        if used_last:
            shutil.copytree(
                used_last, os.path.join(self.own, "upsweep", os.path.basename(used_last))
            )
        os.environ["XDG_CACHE_HOME"] = self.own
        self.file("h.h", "constexpr int status = 0;\n")
        self.file("a.cu", '#include "h.h"\n__global__ void k() {}\nint main() { return status; }\n')

    def modules(self):
        folder = os.path.join(self.own, "upsweep")
        return sorted(f for f in os.listdir(folder) if f.endswith(".so"))

    def test_a_changed_header_or_option_compiles_again_and_nothing_else_does(self):
        before = len(self.modules()) if os.path.isdir(os.path.join(self.own, "upsweep")) else 0
        self.json("a.cu")
        self.json("a.cu")
        self.assertEqual(len(self.modules()), before + 1)
        self.file("h.h", "constexpr int status = 5;\n")
        self.json("a.cu", status=1)
        self.assertEqual(len(self.modules()), before + 2)
        self.json("a.cu", "-D", "X=1", status=1)
        self.assertEqual(len(self.modules()), before + 3)
        left = [f for f in os.listdir(os.path.join(self.own, "upsweep")) if f.startswith("work-")]
        self.assertEqual(left, [])

    def test_a_header_that_only_the_compiler_finds_is_watched_too(self):
        self.file(
            "b.cu",
            '#define NAME "h.h"\n#include NAME\n__global__ void k() {}\n'
            "int main() { return status; }\n",
        )
        self.json("b.cu")
        self.file("h.h", "constexpr int status = 6;\n")
        self.assertEqual(self.json("b.cu", status=1)["status"], 6)

    def test_concurrent_runs_agree(self):
        runs = [
            subprocess.Popen([TOOL, "run", "a.cu"], cwd=self.path, stdout=subprocess.DEVNULL)
            for _ in range(3)
        ]
        self.assertEqual([r.wait() for r in runs], [0, 0, 0])

    @unittest.skipIf(os.geteuid() == 0, "root can write everywhere")
    def test_a_folder_that_cannot_be_written_is_said_once(self):
        os.chmod(self.own, stat.S_IRUSR | stat.S_IXUSR)
        self.json("a.cu")
        self.assertEqual(self.printed.count("cannot be written"), 1)

    def test_without_a_cache_folder_it_runs_too(self):
        self.file("not-a-folder", "")
        os.environ["XDG_CACHE_HOME"] = os.path.join(self.path, "not-a-folder")
        self.json("a.cu")
        self.assertEqual(self.printed.count("is not a folder"), 1)


if __name__ == "__main__":
    if not supported():
        raise SystemExit(77)
    unittest.main()
