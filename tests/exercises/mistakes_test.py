"""Faulty submissions: kernels that do not compile, hang, crash, write out of bounds, or do only
half of the work.
"""

import unittest

from grading_support import EXERCISES, ROOT, GradeTest

REDUCE = "02-missing-barrier"
LAUNCH = "    reduce_by_levels<T>("


class Mistakes(GradeTest):
    def first_failure(self, kernel, *args, name=REDUCE):
        grade = self.grade(self.copy(name, "mine", kernel), *args, status=1)
        return self.failed(grade)[0]

    def test_first_error_of_the_compiler_is_shown_with_its_line(self):
        text = self.changed(
            REDUCE,
            "if (t == 0) out[blockIdx.x] = tile[0];",
            "if (t == 0) out[blockIdx.x] = tiles[0];",
        )
        line = text[: text.index("tiles[0]")].count("\n") + 1
        out = self.text("grade", self.copy(REDUCE, "mine", text), status=3)
        self.assertIn("does not compile", out)
        self.assertRegex(out, rf"\n    kernel.hpp:{line}:\d+: error: .*tiles")
        self.assertIn("0 of 13 points", out)

    def test_missing_plan_and_missing_include_do_not_compile(self):
        for text, says in [
            ("#pragma once\n", "upsweep::exercise"),
            ('#include "nowhere.hpp"\n', "nowhere.hpp"),
        ]:
            grade = self.grade(self.copy(REDUCE, "mine", text), status=3)
            self.assertEqual((grade["state"], grade["points"]), ("does not compile", 0))
            self.assertIn(says, grade["compiler"])

    def test_writing_out_of_bounds_is_found_with_its_line(self):
        failure = self.first_failure(
            self.changed(REDUCE, "out[blockIdx.x] = tile[0];", "out[blockIdx.x + 1] = tile[0];")
        )
        self.assertEqual(failure["kind"], "out of bounds")
        self.assertIn("buffer 'out'", failure["explanation"])
        self.assertEqual(failure["at"][0]["file"], "kernel.hpp")

    def test_plain_shared_arrays_do_not_compile_and_the_error_says_what_to_write(self):
        for old, new in [
            ("__shared__ shared<T, threads> tile;", "__shared__ T tile[threads];"),
            (
                "__shared__ shared<T, threads> tile;",
                "__shared__ shared<T, threads> tile;\n  __shared__ int sum;",
            ),
        ]:
            text = self.changed(REDUCE, old, new)
            line = text[: text.index(new)].count("\n") + new.count("\n") + 1
            grade = self.grade(self.copy(REDUCE, "mine", text), status=3)
            self.assertRegex(grade["compiler"], rf"^kernel.hpp:{line}:")
            self.assertIn(
                "shared memory is declared as `__shared__ shared<float, 64> x;`", grade["compiler"]
            )
        conflicting = (EXERCISES / "13-bank-conflicts" / "kernel.hpp").read_text()
        self.assertEqual(conflicting.count("__shared__ shared<T, 2 * threads> tile;"), 1)
        conflicting = conflicting.replace(
            "__shared__ shared<T, 2 * threads> tile;", "__shared__ T tile[2 * threads];"
        )
        self.assertIn(
            "`__shared__ shared<float, 64> x;`",
            self.grade(self.copy("13-bank-conflicts", "mine", conflicting), status=3)["compiler"],
        )

    def test_elements_in_auto_variables_do_not_compile_and_the_error_says_what_to_write(self):
        for code in [
            "auto x = tile[0]; tile[0] = tile[1]; tile[1] = x;",
            "auto x = tile[0]; x = tile[1];",
            "auto x = tile[0]; T y = x; tile[1] = y;",
        ]:
            text = self.changed(REDUCE, "  if (t == 0) out", f"  {code}\n  if (t == 0) out")
            line = text[: text.index(code)].count("\n") + 1
            grade = self.grade(self.copy(REDUCE, "mine", text), status=3)
            self.assertIn(f"kernel.hpp:{line}:", grade["compiler"])
            self.assertIn("write its type, as in `int x = tile[i];`", grade["compiler"])

    def test_empty_loop_of_a_kernel_is_reported_with_its_last_line(self):
        text = self.changed(REDUCE, "  if (t == 0) out", "  while (true) {\n  }\n  if (t == 0) out")
        failure = self.first_failure(text)
        self.assertEqual(failure["kind"], "no progress")
        self.assertIn(
            "is in an empty loop of 'tree_reduce' after kernel.hpp:", failure["explanation"]
        )
        self.assertEqual(failure["at"][0]["file"], "kernel.hpp")

    def test_null_pointer_of_a_kernel_is_not_blamed_on_the_host_plan(self):
        text = self.changed(
            REDUCE,
            "  if (t == 0) out",
            "  int* volatile nowhere = nullptr;\n  *nowhere = 1;\n  if (t == 0) out",
        )
        failure = self.first_failure(text)
        self.assertEqual(failure["kind"], "crash")
        self.assertRegex(
            failure["explanation"],
            r"thread \d+ of block 0 of 'tree_reduce' was killed by signal 11 after kernel.hpp:\d+",
        )
        self.assertIn("pointer of the kernel", failure["advice"])
        self.assertEqual(failure["at"][0]["file"], "kernel.hpp")

    def test_a_plan_that_computes_on_the_host_is_below_the_least_work(self):
        on_the_host = """    std::vector<T> x = machine.to_host(in, n);
    T sum = identity_of<T>(op);
    for (T const& value : x) sum = op(sum, value);
"""
        back = "    machine.to_device(out, std::span<T const>(&sum, 1));\n    if (n > 0) return;\n"
        failure = self.first_failure(self.changed(REDUCE, LAUNCH, on_the_host + back + LAUNCH))
        self.assertEqual(failure["kind"], "budget")
        self.assertIn("launches: 0, but at least 1 are needed", failure["explanation"])
        alibi = (
            '    machine.launch(free_blocks("tree_reduce", 1, threads), tree_reduce<T, threads, '
            "Op>, in, out, n, op);\n"
        )
        failure = self.first_failure(
            self.changed(REDUCE, LAUNCH, on_the_host + alibi + back + LAUNCH)
        )
        self.assertEqual(
            (failure["kind"], failure["run"]), ("budget", "n = 1000, sum of i32, in order")
        )
        self.assertIn("global bytes: ", failure["explanation"])

    def test_loop_of_a_kernel_that_never_ends_is_stopped(self):
        idle = self.first_failure(
            self.changed(
                REDUCE,
                "  if (t == 0) out",
                "  while (T(in[0]) == T(in[0])) {\n  }\n  if (t == 0) out",
            )
        )
        self.assertEqual(idle["kind"], "no progress")
        busy = self.first_failure(
            self.changed(
                REDUCE,
                "  if (t == 0) out",
                "  for (;;) atomicAdd(&tile[t], T(1));\n  if (t == 0) out",
            ),
            "--limit",
            "1",
        )
        self.assertEqual(busy["kind"], "time limit")
        self.assertIn("after 1 s", busy["explanation"])

    def test_loop_of_a_host_plan_that_never_ends_is_stopped(self):
        failure = self.first_failure(
            self.changed(REDUCE, LAUNCH, "    while (n < 4096) {\n    }\n" + LAUNCH), "--limit", "1"
        )
        self.assertEqual(failure["kind"], "time limit")

    def test_a_crash_is_reported_with_the_programs_output(self):
        failure = self.first_failure(
            self.changed(
                REDUCE,
                LAUNCH,
                '    std::fputs("got here", stderr);\n    __builtin_trap();\n' + LAUNCH,
            )
        )
        self.assertEqual(failure["kind"], "crash")
        self.assertIn("got here", failure["explanation"])
        failure = self.first_failure(self.changed(REDUCE, LAUNCH, "    std::exit(0);\n" + LAUNCH))
        self.assertEqual((failure["kind"], "status 0" in failure["explanation"]), ("crash", True))

    def test_excessive_memory_is_refused(self):
        failure = self.first_failure(
            self.changed(
                REDUCE,
                LAUNCH,
                (
                    "    std::vector<T> many(std::size_t{1} << 40);\n    out = machine.template "
                    'allocate<T>(many.size(), "x");\n'
                )
                + LAUNCH,
            )
        )
        self.assertIn(failure["kind"], ("exception", "crash"))

    def test_an_exception_of_the_plan_is_reported(self):
        failure = self.first_failure(
            self.changed(
                REDUCE,
                'free_blocks("tree_reduce", tiles, threads)',
                'free_blocks("tree_reduce", tiles, 2000)',
            )
        )
        self.assertEqual(failure["kind"], "exception")
        self.assertIn("1 to 1024 threads", failure["explanation"])

    def test_a_plan_that_does_nothing_leaves_unwritten_results(self):
        failure = self.first_failure(
            self.changed(REDUCE, LAUNCH, "    if (n > 0) return;\n" + LAUNCH)
        )
        self.assertEqual(failure["kind"], "wrong result")
        self.assertIn("as if it had never been written", failure["explanation"])

    def test_a_serial_solution_is_over_the_budget(self):
        serial = self.changed(
            "01-in-place-race",
            "  for (unsigned stride = 1; stride < threads; stride *= 2) {",
            """  __syncthreads();
  if (t == 0)
    for (unsigned k = 1; k < threads; ++k) tile[k] = op(tile[k - 1], tile[k]);
  __syncthreads();
  for (unsigned stride = threads; stride < threads; stride *= 2) {""",
        )
        failure = self.first_failure(serial, name="01-in-place-race")
        self.assertEqual((failure["kind"], failure["title"]), ("budget", "log2 T steps"))

    def test_three_accesses_per_element_get_the_points_for_three(self):
        text = (ROOT / "upsweep/textbook/scan/device/reduce_scan_scan.hpp").read_text()
        text = text.replace(
            "namespace upsweep::textbook {",
            "namespace upsweep::exercise {\nusing namespace textbook;",
        ).replace("reduce_scan_scan_plan", "frugal_scan_plan")
        grade = self.grade(self.copy("14-traffic", "mine", text), status=1)
        self.assertEqual([c["title"][:2] for c in self.failed(grade)], ["2N"])

    def test_alternative_solutions_pass(self):
        double = (ROOT / "upsweep/textbook/scan/block/kogge_stone_double.hpp").read_text()
        double = double.replace(
            "namespace upsweep::textbook {",
            "namespace upsweep::exercise {\nusing namespace textbook;",
        ).replace("kogge_stone_double_plan", "in_place_scan_plan")
        self.grade(self.copy("01-in-place-race", "double", double), status=0)
        narrow = (EXERCISES / "05-shuffle-mask" / "kernel.hpp").read_text()
        head, tail = narrow.split("if (t < warps)")
        tail = tail.replace(
            "simt::shuffle_down(all_lanes, value, offset)",
            "simt::shuffle_down((1u << warps) - 1, value, offset, warps)",
        )
        self.grade(self.copy("05-shuffle-mask", "narrow", head + "if (t < warps)" + tail), status=0)


if __name__ == "__main__":
    unittest.main()
