"""Faulty submissions: kernels that do not compile, hang, crash, write out of bounds, or do only
half of the work.
"""

import unittest

import solutions
from grading_support import GradeTest

REDUCE = "02-missing-barrier"
LAST = "  if (t == 0) out[blockIdx.x] = tile[0];"
HOST = "08-last-partial-block"  # its solution contains host code
HOST_BEGIN = "  T result = op.identity();\n"


class Mistakes(GradeTest):
    def host(self, code):
        return self.changed(HOST, HOST_BEGIN, code + HOST_BEGIN)

    def kernel(self, code):
        return self.changed(REDUCE, LAST, code + LAST)

    def test_first_error_of_the_compiler_is_shown_with_its_line(self):
        text = self.changed(REDUCE, LAST, LAST.replace("tile[0]", "tiles[0]"))
        line = text[: text.index("tiles[0]")].count("\n") + 1
        out = self.text("grade", self.copy(REDUCE, "mine", text), status=3)
        self.assertIn("does not compile", out)
        self.assertRegex(out, rf"\n    kernel.cu:{line}:\d+: error: .*tiles")
        self.assertIn("0 of 15 points", out)

    def test_a_missing_kernel_is_explained_by_what_the_checker_needs(self):
        grade = self.grade(self.copy(REDUCE, "mine", "constexpr int threads = 128;\n"), status=3)
        self.assertEqual((grade["state"], grade["points"]), ("does not compile", 0))
        self.assertIn("kernel.cu has no kernel", grade["compiler"])
        renamed = self.changed(REDUCE, "void tree_reduce(", "void reduce_tree(")
        grade = self.grade(self.copy(REDUCE, "mine", renamed), status=3)
        self.assertIn("tree_reduce", grade["compiler"])
        self.assertIn("keep its names, parameters", grade["compiler"])

    def test_writing_out_of_bounds_is_found_with_its_line(self):
        text = self.changed(REDUCE, LAST, LAST.replace("blockIdx.x]", "blockIdx.x + 1]"))
        failure = self.first_failure(REDUCE, text)
        self.assertEqual(failure["kind"], "out of bounds")
        self.assertIn("buffer 'out'", failure["explanation"])
        self.assertEqual(failure["at"][0]["file"], "kernel.cu")
        self.assertIn("out[blockIdx.x + 1]", failure["at"][0]["text"])

    def test_plain_arrays_and_scalars_in_shared_memory_are_checked(self):
        failure = self.first_failure(
            REDUCE,
            self.kernel(
                "  __shared__ int sum;\n  if (t == 0) sum = 0;\n  __syncthreads();\n  sum += 1;\n"
            ),
        )
        self.assertEqual(failure["kind"], "race in a block")
        self.assertIn("'sum'", failure["explanation"])

    def test_lost_updates_are_told_about_atomics(self):
        text = """constexpr int threads = 128, grid = 4, bins = 64;
__global__ void histogram(unsigned char const* in, int* counts, int n) {
  __shared__ int mine[bins];
  int const t = threadIdx.x;
  if (t < bins) mine[t] = 0;
  __syncthreads();
  for (int i = blockIdx.x * threads + t; i < n; i += grid * threads) mine[in[i]]++;
  __syncthreads();
  if (t < bins) atomicAdd(&counts[t], mine[t]);
}
"""
        failure = self.first_failure("16-private-histogram", text)
        self.assertEqual(failure["kind"], "race in a block")
        self.assertIn("An atomic function", failure["advice"])

    def test_null_pointer_of_a_kernel_is_not_blamed_on_the_host(self):
        failure = self.first_failure(
            REDUCE, self.kernel("  int* volatile nowhere = nullptr;\n  *nowhere = 1;\n")
        )
        self.assertEqual(failure["kind"], "out of bounds")
        self.assertIn("null pointer", failure["explanation"])
        self.assertEqual(failure["at"][0]["file"], "kernel.cu")

    def test_a_crash_of_a_kernel_is_not_blamed_on_the_host(self):
        failure = self.first_failure(
            REDUCE, self.kernel("  tile[t] = tile[t];\n  if (t == 3) __builtin_trap();\n")
        )
        self.assertEqual(failure["kind"], "crash")
        self.assertRegex(
            failure["explanation"],
            r"thread 3 of block 0 of 'tree_reduce' crashed after kernel.cu:\d+: Illegal",
        )
        self.assertNotIn("host", failure["advice"])

    def test_loops_of_a_kernel_that_never_end_are_stopped(self):
        for code in [
            "  while (true) {\n  }\n",
            "  int volatile local = 0;\n  while (local == 0) {\n  }\n",
            "  while (in[0] == in[0]) {\n  }\n",
            "  for (;;) atomicAdd(&tile[t], T(1));\n",
        ]:
            failure = self.first_failure(REDUCE, self.kernel(code), "--limit", "2")
            self.assertIn(failure["kind"], {"no progress", "time limit"}, code)
            self.assertNotEqual(failure["advice"], "")

    def test_a_loop_of_the_host_that_never_ends_is_stopped(self):
        failure = self.first_failure(HOST, self.host("  while (n < 4096) {\n  }\n"), "--limit", "1")
        self.assertEqual(failure["kind"], "time limit")
        self.assertIn("after 1 s", failure["explanation"])

    def test_a_crash_is_reported_with_the_programs_output(self):
        failure = self.first_failure(
            HOST, self.host('  printf("got here");\n  __builtin_trap();\n')
        )
        self.assertEqual(failure["kind"], "crash")
        self.assertIn("got here", failure["explanation"])
        failure = self.first_failure(HOST, self.host("  throw 3;\n"))
        self.assertEqual(failure["kind"], "crash")

    def test_a_crash_or_endless_output_does_not_fill_the_disk_or_the_memory(self):
        failure = self.first_failure(
            HOST,
            self.host('  for (;;) printf("x%%1000d", 1);\n'.replace("%%", "%")),
            "--limit",
            "2",
        )
        self.assertIn(failure["kind"], {"crash", "time limit"})
        failure = self.first_failure(
            HOST, self.host("  std::vector<char> many(std::size_t{1} << 42);\n")
        )
        self.assertIn(failure["kind"], {"wrong result", "crash", "memory limit"})

    def test_an_exception_of_the_host_is_reported(self):
        failure = self.first_failure(HOST, self.host("  std::vector<int>().at(n);\n"))
        self.assertEqual(failure["kind"], "wrong result")
        self.assertIn("an exception was thrown", failure["explanation"])

    def test_a_launch_that_a_gpu_refuses_is_a_finding(self):
        failure = self.first_failure(
            HOST, self.changed(HOST, "<<<blocks, threads>>>", "<<<blocks, 2000>>>")
        )
        self.assertIn("2000", failure["explanation"])

    def test_work_that_is_not_done_leaves_unwritten_results(self):
        failure = self.first_failure(REDUCE, self.changed(REDUCE, LAST, ""))
        self.assertEqual(failure["kind"], "wrong result")
        self.assertIn("as if it had never been written", failure["explanation"])

    def test_a_serial_solution_is_over_the_budget(self):
        serial = solutions.given("01-in-place-race")
        head, tail = serial.split("  for (int stride")
        serial = (
            head
            + """  __syncthreads();
  if (t == 0)
    for (int k = 1; k < threads; ++k) tile[k] = op(tile[k - 1], tile[k]);
  __syncthreads();
"""
            + tail[tail.index("  if (i < n)") :]
        )
        failure = self.first_failure("01-in-place-race", serial)
        self.assertEqual((failure["kind"], failure["title"]), ("budget", "log2 T steps"))

    def test_alternative_solutions_pass(self):
        double = self.changed("01-in-place-race", "  __shared__ T tile[threads];\n", "")
        head, tail = double.split("  tile[t] = i < n")
        double = (
            head
            + """  __shared__ T buffers[2][threads];
  T *from = buffers[0], *to = buffers[1];
  to[t] = i < n ? in[i] : op.identity();
  for (int stride = 1; stride < threads; stride *= 2) {
    T* const old = from;
    from = to, to = old;
    __syncthreads();
    to[t] = t >= stride ? op(from[t - stride], from[t]) : from[t];
  }
  if (i < n) out[i] = to[t];
}
"""
        )
        self.grade(self.copy("01-in-place-race", "double", double), status=0)
        narrow = solutions.given("05-shuffle-mask")
        head, tail = narrow.split("if (t < warps)")
        tail = tail.replace(
            "__shfl_down_sync(all_lanes, value, offset)",
            "__shfl_down_sync((1u << warps) - 1, value, offset, warps)",
        )
        self.grade(self.copy("05-shuffle-mask", "narrow", head + "if (t < warps)" + tail), status=0)
        swizzled = solutions.given("17-transpose")
        swizzled = swizzled.replace("tile[r][threadIdx.x] =", "tile[r][threadIdx.x ^ r] =").replace(
            "tile[threadIdx.x][r]", "tile[threadIdx.x][r ^ threadIdx.x]"
        )
        self.grade(self.copy("17-transpose", "swizzled", swizzled), status=0)


if __name__ == "__main__":
    unittest.main()
