/// Golden counts and results of known kernels: closed forms from the literature, and bank conflicts
/// from an independent model.
#include "sim/kernels.hpp"

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

extern "C" [[gnu::weak]] void __asan_init();

namespace upsweep::sim_test {
namespace {

static_assert(simt::runs_kernels<sim::machine>);

using sum_of_ints = sim::operation<int>;
sum_of_ints const sum{plus{}};

struct run {
  std::vector<int> values;
  sim::report report;

  [[nodiscard]] sim::counters const& counts() const { return report.launches.back().total; }
};

using scan_kernel = void (*)(int const*, int*, sum_of_ints);
using tree_kernel = void (*)(int*, int*, sum_of_ints);

run run_blocks(scan_kernel kernel, unsigned blocks, unsigned threads, std::size_t n,
               std::size_t outputs, sim::options const& how = {}) {
  sim::machine machine{how};
  auto const in = machine.allocate<int>(n, "in"), out = machine.allocate<int>(outputs, "out");
  machine.to_device(in, iota(n));
  machine.launch({.name = "kernel", .blocks = {blocks}, .threads = {threads}}, kernel, in, out,
                 sum);
  return {machine.to_host(out, outputs), machine.result()};
}

run run_tree(tree_kernel kernel) {
  sim::machine machine{{}};
  auto const data = machine.allocate<int>(256, "data"), out = machine.allocate<int>(1, "out");
  machine.to_device(data, iota(256));
  machine.launch({.name = "tree", .blocks = {1}, .threads = {128}}, kernel, data, out, sum);
  return {machine.to_host(out, 1), machine.result()};
}

/// One load and one store that copy the result; the rest is the tree.
constexpr std::uint64_t copy = 1;

TEST(golden, kogge_stone_takes_n_log_n_applications_in_log_n_steps_with_two_barriers_each) {
  run const r = run_blocks(kogge_stone<int, 1024, sum_of_ints>, 4, 1024, 4096, 4096);
  for (std::size_t b = 0; b < 4; ++b)
    for (std::size_t i = 0; i < 1024; ++i)
      ASSERT_EQ(r.values[1024 * b + i],
                static_cast<int>(1024 * b * (i + 1) + (i + 1) * (i + 2) / 2));
  EXPECT_EQ(r.counts().applications, 4u * 9217);
  EXPECT_EQ(r.counts().span, 10u);
  EXPECT_EQ(r.counts().barriers, 4u * 21);
  EXPECT_EQ(r.counts().global_loads, 4096u);
  EXPECT_EQ(r.counts().global_stores, 4096u);
  EXPECT_EQ(r.report.launches[0].blocks[2].applications, 9217u);
  EXPECT_TRUE(r.report.findings.empty());
}

TEST(golden, two_buffers_save_half_of_the_barriers_of_kogge_stone) {
  run const r = run_blocks(kogge_stone_double<int, 1024, sum_of_ints>, 1, 1024, 1024, 1024);
  EXPECT_EQ(r.values.back(), 1024 * 1025 / 2);
  EXPECT_EQ(r.counts().applications, 9217u);
  EXPECT_EQ(r.counts().span, 10u);
  EXPECT_EQ(r.counts().barriers, 11u);
}

TEST(golden, brent_kung_takes_two_n_applications_and_its_strides_conflict_in_the_banks) {
  run const r = run_blocks(brent_kung<int, 512, sum_of_ints>, 1, 512, 1024, 1024);
  EXPECT_EQ(r.values.back(), 1024 * 1025 / 2);
  EXPECT_EQ(r.values[500], 501 * 502 / 2);
  EXPECT_EQ(r.counts().applications, 2036u);
  EXPECT_EQ(r.counts().span, 19u);
  EXPECT_EQ(r.counts().shared_requests, 277u);
  EXPECT_EQ(r.counts().shared_wavefronts, 1192u);
  EXPECT_EQ(r.counts().shared_conflicts, 915u);
}

TEST(golden, blelloch_conflicts_without_padding_and_not_with_it_up_to_1024_elements) {
  run const plain = run_blocks(blelloch<int, 512, 0, sum_of_ints>, 1, 512, 1024, 1024);
  EXPECT_EQ(plain.values.back(), 1023 * 1024 / 2);
  EXPECT_EQ(plain.counts().applications, 2046u);
  EXPECT_EQ(plain.counts().shared_requests, 353u);
  EXPECT_EQ(plain.counts().shared_wavefronts, 1593u);
  run const padded = run_blocks(blelloch<int, 512, 1, sum_of_ints>, 1, 512, 1024, 1024);
  EXPECT_EQ(padded.values, plain.values);
  EXPECT_EQ(padded.counts().shared_wavefronts, 353u);
  EXPECT_EQ(padded.counts().shared_conflicts, 0u);
}

TEST(golden, padding_by_one_level_is_not_enough_for_2048_elements) {
  run const plain = run_blocks(blelloch<int, 1024, 0, sum_of_ints>, 1, 1024, 2048, 2048);
  EXPECT_EQ(plain.counts().shared_requests, 673u);
  EXPECT_EQ(plain.counts().shared_wavefronts, 3193u);
  run const padded = run_blocks(blelloch<int, 1024, 1, sum_of_ints>, 1, 1024, 2048, 2048);
  EXPECT_EQ(padded.counts().shared_wavefronts, 713u);
}

TEST(golden, interleaved_tree_keeps_warps_active_that_a_convergent_tree_retires) {
  run const apart = run_tree(interleaved<int, 128, sum_of_ints>),
            together = run_tree(convergent<int, 128, sum_of_ints>);
  EXPECT_EQ(apart.values[0], 256 * 257 / 2);
  EXPECT_EQ(together.values[0], 256 * 257 / 2);
  EXPECT_EQ(apart.counts().applications, 255u);
  EXPECT_EQ(together.counts().applications, 255u);
  EXPECT_EQ(32 * apart.counts().operator_steps, 864u);
  EXPECT_EQ(32 * together.counts().operator_steps, 384u);
  EXPECT_EQ(apart.counts().lines_loaded + apart.counts().lines_stored - 2 * copy, 141u);
  EXPECT_EQ(together.counts().lines_loaded + together.counts().lines_stored - 2 * copy, 36u);
}

TEST(golden, shuffles_need_one_barrier_and_five_instructions_per_warp) {
  run const r = run_blocks(shuffle_reduce<int, 128, sum_of_ints>, 3, 128, 384, 3);
  EXPECT_EQ(std::accumulate(r.values.begin(), r.values.end(), 0), 384 * 385 / 2);
  EXPECT_EQ(r.counts().barriers, 3u);
  EXPECT_EQ(r.counts().shuffles, 3u * 25);
  EXPECT_EQ(r.counts().applications, 3u * 800);
  EXPECT_EQ(r.counts().span, 10u);
}

TEST(memory, emulation_takes_at_most_64_bytes_per_element_and_16_KiB_per_thread) {
  if (__asan_init != nullptr) GTEST_SKIP() << "AddressSanitizer keeps freed memory";
  constexpr std::size_t n = std::size_t{1} << 18, threads = 1024;
  auto const most_ever = [] {  // bytes
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return static_cast<std::size_t>(used.ru_maxrss) * 1024;
  };
  std::size_t const before = most_ever();
  run const r = run_blocks(kogge_stone<int, threads, sum_of_ints>, n / threads, threads, n, n);
  EXPECT_TRUE(r.report.findings.empty());
  EXPECT_LE(most_ever() - before, 64 * n + (std::size_t{16} << 10) * threads);
}

TEST(golden, counts_do_not_depend_on_the_schedule) {
  run const expected = run_blocks(kogge_stone<int, 128, sum_of_ints>, 5, 128, 640, 640);
  for (auto const how :
       {sim::schedule::round_robin, sim::schedule::random, sim::schedule::adversarial})
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      run const r = run_blocks(kogge_stone<int, 128, sum_of_ints>, 5, 128, 640, 640,
                               {.how = how, .seed = seed});
      EXPECT_EQ(r.values, expected.values);
      EXPECT_EQ(r.counts(), expected.counts());
      EXPECT_TRUE(r.report.findings.empty());
    }
}

}  // namespace
}  // namespace upsweep::sim_test
