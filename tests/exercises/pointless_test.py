"""Solutions that miss the point of an exercise lose points, and other right ones keep all: one
thread works for its block, every thread repeats the work of all, and the like.
"""

import re
import sys
import unittest

import solutions
from grading_support import GradeTest
from solutions import solution

# What every body begins with: the tile is loaded.
LOAD = """
  __shared__ T mine[{size}];
  int const t = threadIdx.x;
  int const first = blockIdx.x * {size};
  for (int k = t; k < {size}; k += threads)
    mine[k] = {load};
  __syncthreads();
"""
GUARDED = "first + k < n ? in[first + k] : op.identity()"
SHIFTED = "k > 0 && first + k < n ? in[first + k - 1] : op.identity()"

# A reduction of the tile `mine` to out[blockIdx.x].
POINTLESS_REDUCTIONS = {
    "one thread, shared memory": """
  if (t != 0) return;
  T sum = mine[0];
  for (int k = 1; k < {size}; ++k) sum = op(sum, mine[k]);
  {out}[blockIdx.x] = sum;
""",
    "one thread, global memory": """
  if (t != 0) return;
  T sum = op.identity();
  for (int k = 0; k < {size} && first + k < n; ++k) sum = op(sum, in[first + k]);
  {out}[blockIdx.x] = sum;
""",
    "one lane of each warp": """
  __shared__ T sums[threads / 32];
  constexpr int part = {size} / (threads / 32);
  if (t % 32 == 0) {{
    T sum = mine[t / 32 * part];
    for (int k = 1; k < part; ++k) sum = op(sum, mine[t / 32 * part + k]);
    sums[t / 32] = sum;
  }}
  __syncthreads();
  if (t != 0) return;
  T sum = sums[0];
  for (int w = 1; w < threads / 32; ++w) sum = op(sum, sums[w]);
  {out}[blockIdx.x] = sum;
""",
    "every thread repeats the work": """
  T sum = mine[0];
  for (int k = 1; k < {size}; ++k) sum = op(sum, mine[k]);
  if (t == 0) {out}[blockIdx.x] = sum;
""",
    "two threads": """
  __shared__ T half;
  T sum = op.identity();
  if (t < 2)
    for (int k = 0; k < {size} / 2; ++k) sum = op(sum, mine[t * ({size} / 2) + k]);
  if (t == 1) half = sum;
  __syncthreads();
  if (t == 0) {out}[blockIdx.x] = op(sum, half);
""",
}
# An inclusive scan of `mine` to out; an exclusive one after a shifted load.
POINTLESS_SCANS = {
    "one thread, shared memory": """
  if (t == 0)
    for (int k = 1; k < {size}; ++k) mine[k] = op(mine[k - 1], mine[k]);
  __syncthreads();
  for (int k = t; k < {size} && first + k < n; k += threads) out[first + k] = mine[k];
""",
    "one thread writes too": """
  if (t != 0) return;
  T sum = op.identity();
  for (int k = 0; k < {size} && first + k < n; ++k) out[first + k] = sum = op(sum, mine[k]);
""",
    "every thread from the beginning": """
  for (int k = t; k < {size} && first + k < n; k += threads) {{
    T sum = mine[0];
    for (int j = 1; j <= k; ++j) sum = op(sum, mine[j]);
    out[first + k] = sum;
  }}
""",
    "one lane of each warp": """
  constexpr int part = {size} / (threads / 32);
  if (t % 32 == 0)
    for (int k = 1; k < part; ++k)
      mine[t / 32 * part + k] = op(mine[t / 32 * part + k - 1], mine[t / 32 * part + k]);
  __syncthreads();
  for (int k = t; k < {size} && first + k < n; k += threads) {{
    T sum = mine[k];
    for (int w = k / part - 1; w >= 0; --w) sum = op(mine[w * part + part - 1], sum);
    out[first + k] = sum;
  }}
""",
    "two threads": """
  constexpr int half = {size} / 2;
  if (t < 2)
    for (int k = 1; k < half; ++k)
      mine[t * half + k] = op(mine[t * half + k - 1], mine[t * half + k]);
  __syncthreads();
  for (int k = t; k < {size} && first + k < n; k += threads)
    out[first + k] = k < half ? mine[k] : op(mine[half - 1], mine[k]);
""",
}
DOUBLE_BUFFER = """
  __shared__ T other[{size}];
  T *from = mine, *to = other;
  for (int stride = 1; stride < threads; stride *= 2) {{
    to[t] = t >= stride ? op(from[t - stride], from[t]) : from[t];
    T* const old = from;
    from = to, to = old;
    __syncthreads();
  }}
  if (first + t < n) out[first + t] = from[t];
"""
SHUFFLES = """
  __shared__ T sums[threads / 32];
  T sum = {size} == threads ? mine[t] : op(mine[2 * t], mine[(2 * t + 1) % ({size})]);
  for (int offset = 1; offset < 32; offset *= 2)
    sum = op(sum, __shfl_down_sync(0xffffffff, sum, offset));
  if (t % 32 == 0) sums[t / 32] = sum;
  __syncthreads();
  if (t >= 32) return;
  sum = t < threads / 32 ? sums[t] : op.identity();
  for (int offset = 1; offset < threads / 32; offset *= 2)
    sum = op(sum, __shfl_down_sync(0xffffffff, sum, offset));
  if (t == 0) {out}[blockIdx.x] = sum;
"""

# Exercise: the kernel, the elements of a tile, the load, and the result.
REDUCTIONS = {
    "02-missing-barrier": ("tree_reduce", "2 * threads", GUARDED, "out"),
    "04-warp-lockstep": ("last_warp_reduce", "2 * threads", GUARDED, "out"),
    "05-shuffle-mask": ("warp_totals_reduce", "threads", GUARDED, "out"),
    "08-last-partial-block": ("totals_of_blocks", "threads", GUARDED, "totals"),
}
SCANS = {
    "01-in-place-race": ("in_place_scan", "threads", GUARDED),
    "03-barrier-in-branch": ("branching_scan", "threads", GUARDED),
    "09-negative-index": ("shifted_scan", "threads", SHIFTED),
    "10-non-associative": ("scan_steps", "threads", GUARDED),
    "13-bank-conflicts": ("conflicting_scan", "size", SHIFTED),
}
# block_scan() of the chained scans.
CHAINED = ["06-missing-fence", "07-static-block-id", "14-traffic"]
POINTLESS_BLOCK_SCANS = {
    "one thread": """
  if (t == 0)
    for (int k = 1; k < threads; ++k) tile[k] = op(tile[k - 1], tile[k]);
  __syncthreads();
  return tile[t];
""",
    "every thread from the beginning": """
  T sum = tile[0];
  for (int k = 1; k <= t; ++k) sum = op(sum, tile[k]);
  return sum;
""",
    "every thread to the end": """
  T sum = tile[0], result = sum;
  for (int k = 1; k < threads; ++k) {
    sum = op(sum, tile[k]);
    if (k == t) result = sum;
  }
  return result;
""",
    "one lane of each warp": """
  if (t % 32 == 0)
    for (int k = 1; k < 32; ++k) tile[t + k] = op(tile[t + k - 1], tile[t + k]);
  __syncthreads();
  T sum = tile[t];
  for (int w = t / 32 - 1; w >= 0; --w) sum = op(tile[32 * w + 31], sum);
  return sum;
""",
    "two threads": """
  if (t < 2)
    for (int k = 1; k < threads / 2; ++k)
      tile[t * threads / 2 + k] = op(tile[t * threads / 2 + k - 1], tile[t * threads / 2 + k]);
  __syncthreads();
  return t < threads / 2 ? tile[t] : op(tile[threads / 2 - 1], tile[t]);
""",
}


def with_body(text, function, body):
    """The text with another body of the function."""
    begin = text.index("{", text.index(f" {function}("))
    end = text.index("\n}\n", begin)
    return text[:begin] + "{" + body + text[end + 1 :]


class Pointless(GradeTest):
    def loses_points(self, name, what, kernel):
        with self.subTest(name, pointless=what):
            grade = self.grade(self.copy(name, "mine", kernel), status=1)
            self.assertIn(grade["state"], {"failed", "not allowed"}, grade)
            kinds = {c["kind"] for c in self.failed(grade)}
            self.assertLessEqual(kinds, {"budget", "too little work", "not allowed"}, kinds)

    def keeps_points(self, name, what, kernel):
        with self.subTest(name, right=what):
            grade = self.grade(self.copy(name, "mine", kernel), status=0)
            self.assertEqual(grade["points"], grade["of"])

    def bodies(self, name, kernel, size, load, out, bodies, judge):
        text = solution(name)
        for what, body in bodies.items():
            own = LOAD if "global memory" not in what else LOAD.split("  for")[0]
            whole = (own + body).format(size=size, load=load, out=out)
            if name == "05-shuffle-mask":
                whole = whole.replace("0xffffffff", "all_lanes")
            judge(name, what, with_body(text, kernel, whole))

    def test_reductions(self):
        for name, (kernel, size, load, out) in REDUCTIONS.items():
            self.bodies(name, kernel, size, load, out, POINTLESS_REDUCTIONS, self.loses_points)
            right = {"shuffles": SHUFFLES}
            if name != "05-shuffle-mask":  # it counts the shuffles of the idle lanes too
                self.bodies(name, kernel, size, load, out, right, self.keeps_points)

    def test_scans(self):
        for name, (kernel, size, load) in SCANS.items():
            self.bodies(name, kernel, size, load, "out", POINTLESS_SCANS, self.loses_points)
            if size == "threads":
                right = {"two buffers": DOUBLE_BUFFER}
                self.bodies(name, kernel, size, load, "out", right, self.keeps_points)

    def test_chained_scans(self):
        begin = """
  __shared__ T tile[threads];
  int const t = threadIdx.x;
  tile[t] = mine;
  __syncthreads();
"""
        for name in CHAINED:
            for what, body in POINTLESS_BLOCK_SCANS.items():
                text = with_body(solution(name), "block_scan", begin + body)
                self.loses_points(name, what, text)
            text = solution(name)
            block = text.replace(
                "__threadfence();  // acquire", "__threadfence_block();  // acquire"
            )
            self.loses_points(name, "a fence of the block", block)

    def test_solutions_in_other_words_keep_all_points(self):
        for name in solutions.names():
            text = solution(name)
            unrolled = re.sub(
                r"\n( *)for \(int stride", r"\n#pragma unroll\n\1for (int stride", text
            )
            self.keeps_points(name, "unrolled", "#include <cstdint>\n" + unrolled)
            renamed = re.sub(r"\bint const t = threadIdx\.x", "const int t = threadIdx.x", text)
            self.keeps_points(name, "const before int", renamed)

    def test_words_that_an_exercise_is_about(self):
        text = solution("05-shuffle-mask")
        self.loses_points(
            "05-shuffle-mask",
            "the lanes that happen to be there",
            re.sub(r"__shfl_down_sync\(\w+", "__shfl_down_sync(__activemask()", text),
        )
        text = solution("24-async-pipeline").replace(
            "__pipeline_memcpy_async(&stage[half][t], &in[tile * threads + t], sizeof(int));",
            "stage[half][t] = in[tile * threads + t];",
        )
        self.loses_points("24-async-pipeline", "no asynchronous copy", text)


if __name__ == "__main__":
    unittest.main(argv=sys.argv)
