"""Solutions that are cheaper than is possible, or that evade the checker: each must fail with a
sentence that says why.
"""

import unittest

import solutions
from grading_support import GradeTest

HOST = "08-last-partial-block"
SCAN = "13-bank-conflicts"
CHAINED = "14-traffic"


class Cheats(GradeTest):
    def refused(self, name, kernel):
        """What the grader says about a text that is not allowed."""
        grade = self.grade(self.copy(name, "mine", kernel), status=1)
        self.assertEqual((grade["state"], grade["points"]), ("not allowed", 0))
        return grade["compiler"]

    def test_a_tile_in_the_hosts_memory_is_found(self):
        given = solutions.given(SCAN)
        failure = self.first_failure(
            SCAN, given.replace("__shared__ T tile[size];", "static T tile[size];")
        )
        self.assertEqual(failure["kind"], "too little work")
        self.assertIn("shared accesses: 0", failure["explanation"])
        failure = self.first_failure(
            "14-traffic",
            self.changed("14-traffic", "__shared__ T totals[", "static T totals["),
        )
        self.assertIn(failure["kind"], {"race between blocks", "missing fence"})

    def test_a_tile_in_global_memory_is_too_little_work_in_shared_memory(self):
        given = solutions.given(SCAN)
        given = given.replace(
            "  __shared__ T tile[size];\n", "  T* const tile = storage[blockIdx.x];\n"
        )
        given = given.replace("// op(e", "__device__ int storage[64][size];\n\n// op(e")
        failure = self.first_failure(SCAN, given)
        self.assertEqual(failure["kind"], "too little work")
        self.assertIn("shared accesses: 0", failure["explanation"])

    def test_results_computed_on_the_host_are_too_little_work(self):
        begin = "  T result = op.identity();\n"
        loop = """  std::vector<T> x(n);
  cudaMemcpy(x.data(), in, n * sizeof(T), cudaMemcpyDeviceToHost);
  T sum = op.identity();
  for (T const value : x) sum = op(sum, value);
"""
        failure = self.first_failure(
            HOST, self.changed(HOST, begin, loop + "  return sum;\n" + begin)
        )
        self.assertEqual(failure["kind"], "too little work")
        self.assertIn("launches: 0, but at least 1 are needed", failure["explanation"])
        alibi = """  T* some = nullptr;
  cudaMalloc(&some, sizeof(T));
  totals_of_blocks<<<1, threads>>>(in, some, n, op);
  return sum;
"""
        failure = self.first_failure(HOST, self.changed(HOST, begin, loop + alibi + begin))
        self.assertEqual(failure["kind"], "too little work")
        self.assertIn("global bytes: ", failure["explanation"])
        copied = """  T* some = nullptr;
  cudaMalloc(&some, n * sizeof(T));
  read_all<<<1, threads>>>(in, some, n);
  return sum;
"""
        kernel = """template <class T>
__global__ void read_all(T const* in, T* out, int n) {
  for (int i = threadIdx.x; i < n; i += threads) out[i] = in[i];
}

// The reduction of"""
        text = self.changed(HOST, begin, loop + copied + begin)
        failure = self.first_failure(HOST, text.replace("// The reduction of", kernel))
        self.assertEqual(failure["kind"], "too little work")
        self.assertIn("combined with another one by op", failure["explanation"])

    def test_copies_to_the_host_are_refused_where_nothing_needs_them(self):
        loop = "  T first;\n  cudaMemcpy(&first, in, sizeof(T), cudaMemcpyDeviceToHost);\n"
        begin = "  if (n == 0) return;\n"
        said = self.refused(CHAINED, self.changed(CHAINED, begin, begin + loop))
        self.assertRegex(said, r"^kernel.cu:\d+: 'cudaMemcpy' is not allowed: the elements stay")
        said = self.refused(
            CHAINED, "#define COPY cudaMemcpy\n" + self.changed(CHAINED, begin, begin)
        )
        self.assertIn("kernel.cu:1: 'cudaMemcpy' is not allowed", said)
        said = self.refused(
            CHAINED, "#define COPY cuda##Memcpy\n" + self.changed(CHAINED, begin, begin)
        )
        self.assertIn("'##' is not allowed", said)

    def test_the_host_may_not_read_device_memory_directly(self):
        begin = "  if (n == 0) return;\n"
        failure = self.first_failure(
            CHAINED, self.changed(CHAINED, begin, begin + "  T volatile first = in[0];\n")
        )
        self.assertIn("host", failure["explanation"])

    def fails_requests_only(self, name, kernel):
        grade = self.grade(self.copy(name, "mine", kernel), status=1)
        titles = [c["title"] for c in self.failed(grade) if "steps of any warp" not in c["title"]]
        self.assertEqual([title.endswith("requests") for title in titles], [True])

    def test_one_thread_that_works_for_its_block_takes_too_many_requests(self):
        given = solutions.given("21-radix-split")
        body = """{
  if (threadIdx.x != 0) return;
  __shared__ unsigned tile[threads];
  int const first = blockIdx.x * threads, end = n - first < threads ? n - first : threads;
  for (int i = 0; i < end; ++i) tile[i] = in[first + i];
  int place = first;
  for (unsigned side = 0; side < 2; ++side)
    for (int i = 0; i < end; ++i)
      if ((tile[i] >> bit & 1) == side) out[place++] = tile[i];
}"""
        # The budget of barriers wants at least one.
        text = given.replace("int bit) {}", "int bit) " + body).replace(
            "  if (threadIdx.x != 0) return;\n",
            "  __syncthreads();\n  if (threadIdx.x != 0) return;\n",
        )
        self.fails_requests_only("21-radix-split", text)
        given = solutions.given("15-compact-ballots")
        body = """  if (threadIdx.x != 0) return;
  __shared__ int kept[threads];
  int many = 0;
  for (int i = blockIdx.x * threads; i < n && i < (blockIdx.x + 1) * threads; ++i) {
    int const x = in[i];
    if (is_kept(x)) kept[many++] = x;
  }
  int const place = atomicAdd(count, many);
  for (int i = 0; i < many; ++i) out[place + i] = kept[i];
}
"""
        begin = given.index("  int const i = blockIdx.x")
        self.fails_requests_only("15-compact-ballots", given[:begin] + body)

    def test_a_struct_of_all_neighbors_takes_too_many_requests(self):
        given = solutions.given("18-convolution")
        begin = given.index("// out[i] is the sum")
        body = """struct window {
  int of[2 * radius + 1];
};

__global__ void convolve(int const* in, int* out, int n, weights w) {
  int const i = blockIdx.x * threads + threadIdx.x;
  if (i >= n) return;
  window near;
  if (i >= radius && i + radius < n)
    near = *reinterpret_cast<window const*>(in + i - radius);
  else
    for (int k = 0; k <= 2 * radius; ++k) {
      int const at = i + k - radius;
      near.of[k] = at >= 0 && at < n ? in[at] : 0;
    }
  int sum = 0;
  for (int k = 0; k <= 2 * radius; ++k) sum += w.of[k] * near.of[k];
  out[i] = sum;
}
"""
        self.fails_requests_only("18-convolution", given[:begin] + body)

    def test_results_for_known_sizes_only_fail_at_hidden_ones(self):
        begin = "  int const i = blockIdx.x * threads + t;\n"
        text = self.changed(
            "01-in-place-race",
            begin,
            "  if (n != 100 && n != 128 && n != 1000) return;\n" + begin,
        )
        failure = self.first_failure("01-in-place-race", text)
        self.assertIn("hidden sizes", failure["title"])

    def test_a_program_that_ends_early_does_not_pass(self):
        begin = "  if (n == 0) return;\n"
        for words, says in [
            ("exit(0);", "'exit' is not allowed"),
            ("std::quick_exit(0);", "'quick_exit' is not allowed"),
            ('system("true");', "'system' is not allowed"),
        ]:
            self.assertIn(
                says, self.refused(CHAINED, self.changed(CHAINED, begin, f"  {words}\n" + begin))
            )
        failure = self.first_failure(
            CHAINED, self.changed(CHAINED, begin, "  __builtin_exit(0);\n" + begin)
        )
        self.assertEqual(failure["kind"], "crash")
        self.assertIn("before the checker had finished", failure["explanation"])

    def test_the_checker_cannot_be_changed(self):
        solution = self.changed("01-in-place-race", "op.identity();", "op.identity();")
        for code, says in [
            ("#define expect_tiles(...)", "the checker uses the word 'expect_tiles'"),
            ("#define threads 64", "the checker uses the word 'threads'"),
            ("int main() { return 0; }", "'main' is not allowed"),
            ("namespace check {}", "'check' is not allowed"),
            ('extern "C" int upsweep_check_say(char const*);', "'upsweep_check_say'"),
            ("#include <unistd.h>", "may not include 'unistd.h'"),
            ("#include <upsweep_check.h>", "may not include 'upsweep_check.h'"),
            ("__attribute__((constructor)) void early() {}", "'constructor'"),
        ]:
            self.assertIn(says, self.refused("01-in-place-race", solution + "\n" + code + "\n"))

    def test_comments_and_strings_may_contain_any_word(self):
        text = self.changed("01-in-place-race", "constexpr int threads", "constexpr int threads")
        self.grade(
            self.copy("01-in-place-race", "mine", "// exit, main and check::run\n" + text), status=0
        )


if __name__ == "__main__":
    unittest.main()
