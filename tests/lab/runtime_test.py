"""upsweep run FILE.cu: arguments, the heap, the host's calls, names, and launches that repeat."""

import os
import subprocess
import unittest

from program_test import ProgramTest, program, supported
from support import TOOL

INVALID_VALUE = "1"  # cudaErrorInvalidValue


class RuntimeTest(ProgramTest):
    def finding(self, *args):
        (found,) = self.json(*args, status=1)["findings"]
        return found["sentence"]


class Arguments(RuntimeTest):
    def test_a_launch_copies_its_arguments_once_and_destroys_them_behind_the_kernel(self):
        self.json(program("arguments"))
        self.assertEqual(
            self.printed.splitlines(),
            [
                "2",  # a reference to managed memory
                "3",  # of a template
                "14 copies 1 ends 1",
                "15 copies 1 ends 1",  # a template, which changes its own copy
                "23 copies 1 ends 1",  # 8 + 15: its parameter is a pointer to const
                "14 copies 0 ends 0",  # cudaLaunchKernel copies bytes
                "32",  # its destructor frees the memory
                "5",
                "9",
                "4",
                "14 copies 1 ends 1",  # a graph keeps bytes
            ],
        )


class Unfinished(RuntimeTest):
    def test_the_host_waits_before_it_uses_what_a_kernel_or_a_copy_uses(self):
        for letter, access in [
            ("l", "reads element 3 of buffer 'managed'"),
            ("a", "reads element 0 of buffer 'managed'"),
            ("c", "reads element 3 of buffer 'pinned'"),
            ("u", "writes element 3 of buffer 'pinned'"),
        ]:
            sentence = self.finding(program("unfinished"), letter)
            self.assertIn(access, sentence)
            self.assertIn("may still be running: call cudaDeviceSynchronize()", sentence)
            self.json(program("unfinished"), letter.upper())
        self.json(program("unfinished"), "p")

    def test_a_variable_that_nobody_has_set_is_named_and_gives_no_plausible_result(self):
        self.json(program("unset_sum"))
        (note, result) = self.printed.splitlines()
        self.assertIn("unset_sum.cu:10: 'sum' may be read before it has a value", note)
        self.assertGreater(abs(float(result)), 1e30)


class Heap(RuntimeTest):
    def test_kernels_take_memory_up_to_the_limit_and_use_it_in_later_launches(self):
        self.json(program("heap"))
        # 13: 9 MiB, 5 MiB after 4 MiB, and 12 MiB are more than the limit of 8 MiB
        self.assertEqual(self.printed.splitlines(), ["10", "31 0", "13", "8388608"])

    def test_mistakes_with_the_heap_are_findings(self):
        for number, words in enumerate(
            [
                "which has never been written",
                "writes element 10 of buffer 'malloc() at heap.cu",
                "freed by free() or delete",
                "calls delete at heap.cu",
                "what malloc() and new have not returned",
                "writes element -1 of buffer 'malloc() at heap.cu",
            ],
            start=1,
        ):
            self.assertIn(words, self.finding(program("heap"), str(number)))


class HostCalls(RuntimeTest):
    def test_right_ones_are_no_findings(self):
        self.assertEqual(self.json(program("host_calls"), "0")["findings"], [])
        self.assertEqual(self.printed, "0\n")

    def test_wrong_ones_fail_with_a_finding_that_has_names_and_sizes(self):
        for number, words in enumerate(
            [
                "buffer 'device', which has been freed before",
                "says cudaMemcpyDeviceToHost, but its source is memory of the host",
                "writes bytes 0 to 43 of buffer 'device', which has 40 bytes",
                "is given memory of the host",
                "is given byte 4 of buffer 'device'",
                "reads buffer 'device', which has been freed by cudaFree()",
            ],
            start=1,
        ):
            self.assertIn(words, self.finding(program("host_calls"), str(number)))
            self.assertEqual(self.printed.strip(), INVALID_VALUE)


class Names(RuntimeTest):
    def test_arrays_of_one_letter_have_their_names(self):
        for number, words in enumerate(
            ["dynamic shared array 's'", "shared array 'f'", "buffer 'i'"]
        ):
            found = self.json(program("names"), str(number), status=1)["findings"]
            self.assertTrue(any(words in f["sentence"] for f in found), found)


BLAS = """
#include <cstdio>
#include <cublas_v2.h>
__global__ void k(double* x) { x[0] += threadIdx.x; }
int main() {
  double const from[6] = {1, 2, 3, 4, 5, 6}, factor = 2;
  double to[4];
  double* x;
  cublasHandle_t handle;
  cudaMalloc(&x, sizeof to);
  cublasCreate(&handle);
  cublasSetVector(3, sizeof *x, from, 2, x, 1);
  cublasGetVector(3, sizeof *x, x, 1, to, 1);
  printf("%g %g %g\\n", to[0], to[1], to[2]);
  cublasSetMatrix(2, 2, sizeof *x, from, 3, x, 2);
  cublasGetMatrix(2, 2, sizeof *x, x, 2, to, 2);
  printf("%g %g %g %g\\n", to[0], to[1], to[2], to[3]);
  printf("%d\\n", cublasDscal(handle, 3, &factor, x, 1));
  cublasDestroy(handle);
}
"""


class Words(RuntimeTest):
    def test_old_names_and_integer_arithmetic_compile(self):
        self.json(program("old_words"))
        self.assertEqual(self.printed, "7 4 128 96 6 128\n")

    def test_libraries_that_the_emulator_lacks_are_refused_with_the_line_and_advice(self):
        for header, words in [
            ("thrust/device_vector.h", "no Thrust (#include <thrust/device_vector.h>)"),
            ("cub/cub.cuh", "no CUB"),
            ("curand_kernel.h", "no cuRAND (#include <curand_kernel.h>)"),
        ]:
            # NVIDIA's headers may be installed where the compiler looks by itself.
            installed = os.path.join(self.path, "installed", header)
            os.makedirs(os.path.dirname(installed), exist_ok=True)
            with open(installed, "w") as file:
                file.write("float made_by_nvcc_only = __a_builtin();\n")
            path = os.path.join(self.path, "x.cu")
            with open(path, "w") as file:
                file.write(f"\n#include <{header}>\n__global__ void k() {{}}\nint main() {{}}\n")
            for folder in ("", os.path.join(self.path, "installed")):
                done = subprocess.run(
                    [TOOL, "run", path],
                    capture_output=True,
                    text=True,
                    env={**os.environ, "CPATH": folder},
                )
                self.assertEqual(done.returncode, 3)
                self.assertIn("x.cu:2:", done.stderr)
                self.assertIn(words, done.stderr)
                self.assertNotIn("fatal error", done.stderr)

    def test_copies_of_cublas_copy_and_its_products_are_findings(self):
        path = os.path.join(self.path, "x.cu")
        with open(path, "w") as file:
            file.write(BLAS)
        run = self.json(path, status=1)
        # Every second of 1 2 3 4 5 6, and rows 0 and 1 of a matrix of three rows, by columns.
        self.assertEqual(self.printed, "1 3 5\n1 2 4 5\n15\n")
        (finding,) = run["findings"]
        self.assertIn("cublasDscal() fails", finding["sentence"])

    def test_a_function_of_a_library_that_is_not_there_is_named(self):
        path = os.path.join(self.path, "x.cu")
        for call, words in [
            ("cublasSrotg(0, 0)", "no cublasSrotg(): it runs kernels, not cuBLAS"),
            ("CUdevice d", "no CUdevice, which is of the driver API"),
            ("cuInit(0)", "no cuInit(), which is of the driver API: use the runtime"),
        ]:
            with open(path, "w") as file:
                file.write(f"#include <cublas_v2.h>\n#include <cuda.h>\nint main() {{ {call}; }}\n")
            done = subprocess.run([TOOL, "run", path], capture_output=True, text=True)
            self.assertEqual(done.returncode, 3)
            self.assertIn("x.cu:3:14: the emulator has " + words, done.stderr)

    def test_a_header_of_ones_own_may_have_a_name_of_a_library(self):
        path = os.path.join(self.path, "x.cu")
        for folder in ("thrust", "own/cub"):
            os.makedirs(os.path.join(self.path, folder))
        for name in ("thrust/mine.h", "own/cub/mine.h"):
            with open(os.path.join(self.path, name), "w") as file:
                file.write("#pragma once\ninline int seven() { return 7; }\n")
        for line in ('#include "thrust/mine.h"', "#include <cub/mine.h>"):
            with open(path, "w") as file:
                file.write(
                    f"{line}\n#include <cuda.h>\n__global__ void k() {{}}\n"
                    "int main() { k<<<1, 1>>>(); return seven() - 7; }\n"
                )
            done = subprocess.run(
                [TOOL, "run", "-I", os.path.join(self.path, "own"), path],
                capture_output=True,
                text=True,
            )
            self.assertEqual((done.returncode, done.stderr), (0, ""))


class Repetitions(RuntimeTest):
    def launches(self, run, name):
        return [launch for launch in run["launches"] if launch["name"] == name]

    def test_later_launches_have_the_same_results_and_counts(self):
        short = self.json(program("repeated"))
        printed = self.printed
        self.assertEqual(printed, "hello\n" * 3 + "100 -1\n")
        every = self.json("--every-launch", program("repeated"))
        self.assertEqual(self.printed, printed)
        self.assertEqual(short["total"], every["total"])
        sources = [launch["counts"] for launch in self.launches(short, "square")]
        self.assertEqual(sources, ["measured"] + ["repeated"] * 99)
        # The first of these has changed a buffer that it reads, so the second one shows.
        sources = [launch["counts"] for launch in self.launches(short, "shift")]
        self.assertEqual(sources, ["measured"] * 2 + ["repeated"])
        sources = [launch["counts"] for launch in self.launches(short, "count")]
        self.assertEqual(sources, ["measured"] * 32 + ["unmeasured"] * 68)
        self.assertEqual({launch["counts"] for launch in every["launches"]}, {"measured"})

    def test_the_report_says_so(self):
        done = subprocess.run([TOOL, "run", program("repeated")], capture_output=True, text=True)
        self.assertIn("99 launches of 'square' did not run", done.stdout)
        self.assertIn("68 launches of 'count' ran without counts and checks", done.stdout)
        self.assertIn("--every-launch", done.stdout)


KERNEL = """
#include <cstdio>
#define BLOCKS 3
int twice(int n);
__global__ void add(int* to) { atomicAdd(to, 1); }
int main() {
  const int threads = 64;
  int* to;
  cudaMallocManaged(&to, sizeof(int));
  *to = 0;
  add<<<BLOCKS, threads>>>(to);
  cudaDeviceSynchronize();
  printf("%d\\n", twice(*to));
}
"""
HOST = """
#include <omp.h>
int twice(int n) {
  int sum = 0;
#pragma omp parallel for reduction(+ : sum)
  for (int i = 0; i < n; ++i) sum += 2;
  return sum;
}
"""


class Sources(RuntimeTest):
    def test_several_sources_openmp_and_values_of_constants(self):
        self.file("a.cu", KERNEL)
        self.file("b.cpp", HOST)
        a, b = os.path.join(self.path, "a.cu"), os.path.join(self.path, "b.cpp")
        self.json("-fopenmp", a, b)
        self.assertEqual(self.printed, "384\n")  # 2 * 3 * 64
        self.json("-fopenmp", "--set", "BLOCKS=2", "--set", "threads=8", a, b)
        self.assertEqual(self.printed, "32\n")
        done = subprocess.run([TOOL, "run", "--set", "BLOCK=2", a], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean 'BLOCKS'", done.stderr)


if __name__ == "__main__":
    if not supported():
        raise SystemExit(77)
    unittest.main()
