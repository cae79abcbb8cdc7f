"""prove: kernels over the monoid of intervals. The monoid is written here once more, in Python, to
say what a wrong tree combines first; faulty kernels of the exercises are refuted, and solutions are
proved. With the argument `full`, every kernel of the textbook, and the pages that say so.
"""

import json
import os
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from solutions import EXERCISES, solution
from support import ToolTest

ROOT = Path(__file__).resolve().parents[2]
FEW = ("--sizes", "0,1,2,31,63,64,65,100,128,129,257,1000", "--seeds", "1", "--block", "64")
RIGHT = (
    "right for every associative operator at these sizes, on every schedule tried, free of races"
)

KERNEL = """
template <class T, int threads, class Op>
__global__ void scan_block(int n, T const* in, Op op, T* out) {
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  int const i = blockIdx.x * threads + t;
  tile[t] = i < n ? in[i] : op.identity();
  for (int stride = 1; stride < threads; stride *= 2) {
    __syncthreads();
    T sum = tile[t];
    if (t >= stride) sum = op(tile[t - stride], sum);
    __syncthreads();
    tile[t] = sum;
  }
  if (i < n) out[i] = tile[t];
}
int main() { return 0; }
"""


def joined(earlier, later):
    """Intervals as pairs; None is the identity. Raises an error with the two that do not meet."""
    if earlier is None or later is None:
        return later if earlier is None else earlier
    if earlier[1] != later[0]:
        raise ValueError("[{}, {}) and [{}, {})".format(*earlier, *later))
    return (earlier[0], later[1])


def halving_tree(n, tile):
    """The tree of exercise 12 over n elements."""
    x = [(i, i + 1) if i < n else None for i in range(tile)]
    while len(x) > 1:
        half = len(x) // 2
        x = [joined(x[t], x[t + half]) for t in range(half)]
    return x[0]


def first_refuted(tree):
    """The smallest n for which a tree combines what does not meet, and what that is."""
    for n in range(1, 1000):
        try:
            tree(n)
        except ValueError as error:
            return n, str(error)
    raise AssertionError("the tree is right")


class Prove(ToolTest):
    def proofs(self, *args, status=0):
        out = self.text("prove", *args, "--json", status=status)
        return [json.loads(line) for line in out.splitlines()]

    def test_kernels_of_the_textbook_are_proved_at_the_sizes_that_are_printed(self):
        out = self.text("prove", "kogge_stone", "decoupled_lookback", *FEW)
        lines = out.splitlines()
        self.assertEqual(
            [line.split()[0] for line in lines[:2]], ["kogge_stone", "decoupled_lookback"]
        )
        for line in lines[:2]:
            self.assertTrue(line.endswith("runs  " + RIGHT), line)
        self.assertEqual(
            lines[3],
            "sizes: 0 to 2, 31, 63 to 65, 100, 128, 129, 257, 1000 in blocks of 64 threads",
        )
        self.assertRegex(lines[4], r"^schedules: in order, .*, random 0$")

    def test_every_form_is_run_on_every_schedule(self):
        (proof,) = self.proofs("blelloch", "--sizes", "5,70", "--seeds", "2", "--block", "64")
        self.assertEqual(len(proof["schedules"]), 8)
        self.assertEqual(proof["runs"] % (2 * 8), 0)

    def test_kernels_that_permute_are_proved_for_operators_that_commute(self):
        (proof,) = self.proofs("convergent", *FEW)
        self.assertTrue(proof["proved"])
        self.assertEqual(proof["operators"], "associative and commutative")
        n, apart = first_refuted(lambda n: halving_tree(n, 64))
        self.assertTrue(proof["why"].startswith(f"with n = {n}, "), proof["why"])
        self.assertIn(f"the combination of {apart}, which do not meet", proof["why"])

    def test_instructions_for_integers_are_refused(self):
        self.fails(2, "prove", "warp_reduce_sync", says="no elements but numbers")

    def test_usage_errors(self):
        self.fails(2, "prove", says="all")
        self.fails(2, "prove", "kogge_ston", says="did you mean 'kogge_stone'?")
        self.fails(2, "prove", "kogge_stone", "--block", "100", says="not compiled")
        self.fails(2, "prove", "kogge_stone", "--sizes", "40000", says="too many")
        self.fails(2, "prove", "kogge_stone", "--kernel", "scan", says="--kernel is for CUDA files")
        self.fails(2, "prove", str(EXERCISES / "17-transpose"), says="takes no operator")

    def refuted(self, path, *args):
        (proof,) = self.proofs(str(path), "--seeds", "1", *args, status=1)
        self.assertFalse(proof["proved"])
        return proof["n"], proof["failure"]

    def test_a_tree_that_permutes_its_operands_is_refuted_at_its_first_size(self):
        n, failure = self.refuted(EXERCISES / "12-tree-order")
        expected_n, apart = first_refuted(lambda n: halving_tree(n, 256))
        self.assertEqual(n, expected_n)
        self.assertIn(f"out[0] should be [0, {n}) but is the combination of {apart}", failure)

    def test_a_zero_in_place_of_the_identity_is_refuted(self):
        n, failure = self.refuted(EXERCISES / "11-wrong-identity")
        self.assertEqual(n, 0)
        self.assertIn("out[0] should be the identity but is", failure)
        self.assertIn("no element", failure)

    def test_solutions_are_proved(self):
        with tempfile.TemporaryDirectory() as folder:
            mine = Path(folder) / "12-tree-order"
            mine.mkdir()
            (mine / "kernel.cu").write_text(solution(mine.name))
            (proof,) = self.proofs(str(mine), "--seeds", "1")
        self.assertTrue(proof["proved"], proof)
        self.assertEqual(proof["operators"], "associative")

    def test_a_kernel_of_any_file_is_proved_and_its_race_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "scan.cu"
            file.write_text(KERNEL)
            how = ("--kernel", "scan_block<T, 64, Op>", "--block", "64")
            out = self.text("prove", str(file), *how, *FEW[:4])
            self.assertIn("runs  " + RIGHT, out)
            file.write_text(
                KERNEL.replace("    __syncthreads();\n    tile[t] = sum;", "    tile[t] = sum;")
            )
            _, failure = self.refuted(file, *how, "--sizes", "1,100")
            self.assertTrue(failure.startswith("race in a block: thread "), failure)
            other = Path(folder) / "it's;one.cu"
            other.write_text(file.read_text())
            (proof,) = self.proofs(str(other), *how, "--sizes", "100", "--seeds", "1", status=1)
            again = shlex.split(proof["again"])
            self.assertEqual(again[:3], ["upsweep", "prove", str(other)])
            self.assertIn(how[1], again)
            file.write_text("__global__ void twice(float* x) { x[0] *= 2; }\n")
            self.fails(2, "prove", str(file), says="not a template")


@unittest.skipUnless("full" in sys.argv, "takes minutes")
class ProveAll(ToolTest):
    def test_pages_say_what_is_proved(self):
        done = subprocess.run(
            [
                sys.executable,
                ROOT / "tools" / "algorithm_pages.py",
                "--proofs",
                "--check",
                "--tool",
                os.environ["UPSWEEP_TOOL"],
            ],
            capture_output=True,
            text=True,
            timeout=3000,
            check=False,
        )
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_exercises_with_faults_of_order_or_index_are_refuted_and_solutions_are_proved(self):
        right = {"13-bank-conflicts", "14-traffic"}  # slow, but right
        for folder in sorted(EXERCISES.iterdir()):
            check = folder / "check.cu"
            calls = ("run.elements(", "expect_tiles(")
            if not check.exists() or not any(c in check.read_text() for c in calls):
                continue
            with self.subTest(folder.name):
                status = 0 if folder.name in right else 1
                self.text("prove", str(folder), "--json", status=status)
                if folder.name in ("02-missing-barrier", "04-warp-lockstep"):
                    continue  # their solutions need an operator that commutes
                with tempfile.TemporaryDirectory() as copies:
                    mine = Path(copies) / folder.name
                    mine.mkdir()
                    (mine / "kernel.cu").write_text(solution(folder.name))
                    self.text("prove", str(mine), "--json")


if __name__ == "__main__":
    unittest.main(argv=[a for a in sys.argv if a != "full"])
