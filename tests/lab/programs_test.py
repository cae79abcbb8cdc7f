"""Programs compiled by clang in WebAssembly (`make lab-editor`) have the findings and counters of
the tool: threads wait in loops, in called functions, with parameters that they have changed.

programs_test.py full compares every example of a finding and every exercise.
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from in_node import BUILD, FULL, WASM, Lab, main

# Each prints what a plain loop would give; `expected` is that.
SUSPENDED = """#include <cstdio>
#include <cstdlib>
struct walk { int at; int const* in; };
__device__ __noinline__ int after_barriers(int depth, int x) {
  __syncthreads();
  int const more = depth == 0 ? x : after_barriers(depth - 1, x + depth);
  __syncthreads();
  return more;
}
__global__ void by_value(walk w, int* out) {
  for (int i = 0; i < 3; ++i) {
    w.at += i;
    __syncthreads();
  }
  out[threadIdx.x] = w.in[w.at + threadIdx.x];
}
__global__ void recursive(int* out) { out[threadIdx.x] = after_barriers(4, threadIdx.x); }
__global__ void shuffled(int* out) {
  int x = threadIdx.x;
  for (int d = 1; d < 32; d *= 2) {
    int const y = __shfl_up_sync(~0u, x, d);
    if (threadIdx.x >= d) x += y;
  }
  out[threadIdx.x] = x;
}
int total(int const* x) {
  int sum = 0;
  for (int i = 0; i < 32; ++i) sum += x[i];
  return sum;
}
int main(int argc, char** argv) {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, 32 * sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i * i;
  by_value<<<1, 32>>>(walk{1, in}, out);
  cudaDeviceSynchronize();
  std::printf("%d ", total(out));
  recursive<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d ", total(out));
  shuffled<<<1, 32>>>(out);
  cudaDeviceSynchronize();
  std::printf("%d %d\\n", total(out), argc);
  std::exit(argc > 1 ? std::atoi(argv[1]) : 0);
}
"""


def expected():
    by_value = sum((4 + t) ** 2 for t in range(32))
    recursive = sum(t + 10 for t in range(32))
    shuffled = sum(t * (t + 1) // 2 for t in range(32))
    return f"{by_value} {recursive} {shuffled}"


class Programs(unittest.TestCase):
    def answers(self, text, *requests):
        with tempfile.TemporaryDirectory() as folder, Lab("run_program.mjs", BUILD) as lab:
            file = Path(folder) / "program.cu"
            file.write_text(text)
            return [lab.ask(file=file, **request) for request in requests]

    def test_threads_go_on_where_they_waited_with_their_variables(self):
        schedules = ("in-order", "round-robin", "random", "adversarial")
        for how, answer in zip(
            schedules, self.answers(SUSPENDED, *({"schedule": s, "seed": 3} for s in schedules))
        ):
            self.assertEqual(answer.get("error"), None, how)
            self.assertEqual(answer["printed"], f"{expected()} 1\n", how)
            self.assertEqual(answer["findings"], [], how)
            names = [launch["name"] for launch in answer["launches"]]
            self.assertEqual(names, ["by_value", "recursive", "shuffled"])

    def test_exit_ends_the_program_with_its_status(self):
        [answer] = self.answers(SUSPENDED, {"arguments": ["program", "7"]})
        self.assertEqual(answer["printed"], f"{expected()} 2\n")
        self.assertEqual(answer["status"], 7)
        self.assertEqual(answer["failure"], "the program ended with status 7")

    def test_what_a_browser_lacks_is_named(self):
        [answer] = self.answers(
            '#include <cstdlib>\nint main() { return std::system("ls"); }\n', {}
        )
        self.assertIn("'system'", answer["error"])

    def test_an_error_of_the_compiler_has_its_line(self):
        [answer] = self.answers("int main() {\n  return y;\n}\n", {})
        self.assertIn("program.cu:2:10: error: ", answer["error"])

    def test_an_empty_loop_is_found(self):
        """Its basic block has a hook, although nothing is computed in it."""
        [answer] = self.answers(
            """__global__ void k(int* o) {
  if (threadIdx.x == 3)
    for (;;) {
    }
  o[threadIdx.x] = 1;
}
int main() {
  int* o;
  cudaMalloc(&o, 4 * sizeof(int));
  k<<<1, 4>>>(o);
  return cudaDeviceSynchronize() != cudaSuccess ? 0 : 1;
}
""",
            {"step_limit": 1 << 12},
        )
        self.assertEqual([f["kind"] for f in answer["findings"]], ["no progress"])
        self.assertEqual(answer["status"], 0)

    def test_a_program_knows_the_headers_that_it_includes_and_no_others(self):
        """The compiler keeps what it knows after some headers, for later programs."""
        main = 'int main() { std::printf("%d\\n", N); }\n'
        begins = {
            "1": ("#include <map>\n#include <cstdio>\n#define N std::map<int, int>{{1, 1}}[1]\n"),
            "2": (
                "// A comment\n/* #include <no> */\n\n#include <cstdio>  // printf\n#define N 2\n"
            ),
            "3": ("#define N 3\n#include <cstdio>\n"),
            "4": (
                "#include <cstdio>\n#include <set>\nconst int N = std::set<int>{4}.count(4) * 4;\n"
            ),
            "5": ("#include <cstdio>\n#ifndef assert\n#include <cassert>\n#endif\n#define N 5\n"),
        }
        without = "#include <cstdio>\n#define N std::map<int, int>{{1, 1}}[1]\n"
        absent = "#include <cstdio>\n#include <absent.h>\n#define N 1\n"
        with tempfile.TemporaryDirectory() as folder, Lab("run_program.mjs", BUILD) as lab:

            def answer(name, begin):
                file = Path(folder) / f"{name}.cu"
                file.write_text(begin + main)
                return lab.ask(file=file)

            for turn in range(2):  # more of them than are kept
                for name, begin in begins.items():
                    self.assertEqual(answer(f"{turn}{name}", begin).get("printed"), f"{name}\n")
            self.assertIn(
                "without.cu:3:34: error: no member named 'map' in namespace 'std'",
                answer("without", without)["error"],
            )
            self.assertIn(
                "absent.cu:2:10: fatal error: 'absent.h' file not found",
                answer("absent", absent)["error"],
            )

    def test_programs_have_the_findings_and_counters_of_the_tool(self):
        words = (
            []
            if FULL
            else ["--quick", "--only=program ", "--only=deadlock", "--only=race_in", "--only=02-"]
        )
        done = subprocess.run(
            [
                sys.executable,
                WASM / "compare_programs.py",
                BUILD,
                "--tool",
                os.environ["UPSWEEP_TOOL"],
                *words,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


main()
