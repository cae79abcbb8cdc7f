"""reduce and scan --on cpu, serial or cuda: the same bytes, or a sentence that says why not."""

import unittest

from gpu_test import HAS_CUDA, GpuTest
from support import lines, npy, numbers, raw

COMMANDS = [("reduce",), ("scan",), ("scan", "--exclusive")]


class Everywhere(GpuTest):
    def test_serial_has_the_bytes_of_cpu(self):
        x = numbers(30000)
        self.file("x.npy", npy("f64", x))
        for command in COMMANDS + [("scan", "--reverse"), ("scan", "--op", "ema:0.1")]:
            for more in ([], ["--threads", "0"], ["--threads", "1"], ["--mode", "fast"]):
                want = self.run_tool(*command, "--on", "cpu", *more, "x.npy")
                self.assertEqual(self.run_tool(*command, *more, "x.npy"), want)
                self.assertEqual(
                    self.run_tool(*command, "--on", "serial", *more, "x.npy"), want, command
                )
        text = lines(x)
        self.assertEqual(
            self.run_tool("scan", "--on", "serial", stdin=text), self.run_tool("scan", stdin=text)
        )
        self.file("y.npy", npy("f64", x, (300, 100)))
        for axis in ("0", "1"):
            self.assertEqual(
                self.run_tool("scan", "--axis", axis, "--on", "serial", "y.npy"),
                self.run_tool("scan", "--axis", axis, "y.npy"),
            )

    def test_wrong_use_is_status_2_whether_there_is_a_gpu_or_not(self):
        for command in COMMANDS:
            self.fails(2, *command, "--on", "gpu", says=["--on", "'gpu'", "cuda"])
            self.fails(
                2, *command, "--on", "serial", "--threads", "2", stdin="1", says="has one thread"
            )
            for op in ("gcd", "mean", "argmax", "exact-sum", "ema:0.5", "last", "any"):
                name = op.split(":")[0]
                self.fails(
                    2,
                    *command,
                    "--on",
                    "cuda",
                    "--op",
                    op,
                    stdin="1\n",
                    says=[
                        f"--on cuda does not support {name} over ",
                        "sum over i8, i16, i32, i64, u8, u16, u32, u64, bf16, f32, f64; "
                        "product over i32, i64, f32, f64; min over i32, i64, f32, f64; "
                        "max over i32, i64, f32, f64; affine over f32, f64",
                    ],
                )
        self.file("u.npy", npy("u64", [1, 2]))
        self.fails(
            2, "reduce", "--on", "cuda", "--op", "max", "u.npy", says="not support max over u64"
        )
        self.fails(
            2,
            "reduce",
            "--on",
            "cuda",
            "--op",
            "concat",
            "--column",
            "1",
            stdin="a\n",
            says="not support concat over text",
        )


class WithoutOne(GpuTest):
    def setUp(self):
        super().setUp()
        self.need_gpu(False)

    def test_it_is_status_5_and_says_what_is_missing(self):
        self.file("x.npy", npy("f32", [1, 2], (1, 2)))
        missing = (
            "--on cuda: no GPU: " if HAS_CUDA else "--on cuda: this tool was built without CUDA"
        )
        for command in COMMANDS + [("scan", "--reverse"), ("scan", "--monotone")]:
            self.fails(5, *command, "--on", "cuda", stdin="1\n2\n", says=missing)
            self.fails(5, *command, "--on", "cuda", "x.npy", says=missing)
        for verb in ("reduce", "scan"):
            self.fails(5, verb, "--on", "cuda", "--axis", "1", "x.npy", says=missing)
            self.fails(
                5,
                verb,
                "--on",
                "cuda",
                "--op",
                "affine",
                "-c",
                "1,2",
                stdin="1.5 2.5\n",
                says=missing,
            )


@unittest.skipUnless(HAS_CUDA, "the tool is built without CUDA")
class WithOne(GpuTest):
    def setUp(self):
        super().setUp()
        self.need_gpu(True)

    def same_on_both(self, *args, stdin=""):
        got = self.run_tool(*args, "--on", "cuda", stdin=stdin)
        self.assertEqual(got, self.run_tool(*args, "--on", "cpu", stdin=stdin), args)

    def test_every_operator_and_form_of_input_has_the_bytes_of_the_processor(self):
        floats = numbers(300000)
        integers = [(i * 2654435761) % 2**31 - 2**30 for i in range(300000)]
        self.file("f64.npy", npy("f64", floats))
        self.file("i32.npy", npy("i32", integers))
        self.file("f32.raw", raw("f32", [x % 1 for x in floats]))
        for command in COMMANDS + [("scan", "--reverse")]:
            for op in ("sum", "product", "min", "max", "minmax,sum"):
                for init in ([], ["--init", "3"]):
                    asked = [*command, "--op", op, *init]
                    self.same_on_both(*asked, "--to", "text", "f64.npy")
                    self.same_on_both(*asked, "--to", "text", "i32.npy")
                    self.same_on_both(*asked, "--to", "text", "--dtype", "f32", "f32.raw")
            self.same_on_both(*command, stdin=lines(floats))
            self.same_on_both(*command, stdin=lines(integers[:1000] + floats[:1000]))

    def test_columns_groups_lines_and_recurrences(self):
        x = numbers(6000, spread=2)
        rows = "".join(f"{i // 700},{a!r},{a / 2!r}\n" for i, a in enumerate(x))
        table = "k,a,b\n" + rows
        for command in COMMANDS:
            self.same_on_both(*command, "--column", "a,b", "--op", "sum,max", stdin=table)
            self.same_on_both(*command, "--column", "a,b", "--by", "k", stdin=table)
            self.same_on_both(*command, "--column", "a,b", "--op", "affine", stdin=table)
            self.same_on_both(
                *command, "--column", "a,b", "--op", "affine", "--init", "7", stdin=table
            )
        self.file("x.npy", npy("f32", x, (20, 300)))
        for axis in ("0", "1"):
            self.same_on_both("reduce", "--axis", axis, "x.npy")
            self.same_on_both("scan", "--axis", axis, "x.npy")
            self.same_on_both("scan", "--axis", axis, "--reverse", "x.npy")
        self.same_on_both("scan", "--monotone", stdin=lines(abs(a) for a in x))


if __name__ == "__main__":
    unittest.main()
