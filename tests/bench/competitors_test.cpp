/// Every competitor computes correct results, and the limits really move the memory.
#include <gtest/gtest.h>

#include <bench/baselines/competitors.hpp>
#include <bench/baselines/limits.hpp>
#include <bench/harness/measure.hpp>
#include <numeric>
#include <support/build_kind.hpp>
#include <vector>

namespace upsweep::bench {
namespace {

std::vector<work> every_work() {
  std::vector<work> all;
  for (auto const v : {verb::reduce, verb::inclusive_scan, verb::exclusive_scan})
    for (auto const op : {operation::sum, operation::max, operation::affine, operation::exact_sum,
                          operation::user, operation::squares})
      for (auto const type : {element::i32, element::i64, element::f32, element::f64})
        for (bool const in_place : {false, true})
          if (!in_place || v == verb::inclusive_scan) all.push_back({v, op, type, in_place});
  return all;
}

/// libstdc++ 12 begins an exclusive scan of floating-point numbers under par_unseq with 0, whatever
/// the initial value. The benchmark's verification detects this and leaves it out.
bool is_known_defect(std::string const& name, work const& w) {
  bool const is_float = w.type == element::f32 || w.type == element::f64;
  return name == "std" && w.verb == verb::exclusive_scan && w.op == operation::max && is_float;
}

/// Runs all `competitors` on every work that they support; returns the number of runs of each.
std::vector<int> expect_correct(std::vector<competitor> const& competitors,
                                std::vector<std::size_t> const& sizes) {
  team t(2);
  arena memory(16u << 20);
  settings s;
  s.cache_bytes = 64u << 20;
  s.batch_seconds = 0;  // one call per round: only results matter
  s.cell_seconds = 0;
  s.least_rounds = s.most_rounds = 1;
  std::vector<int> taken(competitors.size());
  for (auto const& w : every_work())
    for (auto const n : sizes) {
      auto const c = measure(w, n, competitors, memory, t, s);
      for (auto const& series : c.all) {
        EXPECT_TRUE(series.correct() || is_known_defect(series.name, w))
            << series.name << ": " << title_of(w) << ", n = " << n;
        for (std::size_t i = 0; i < competitors.size(); ++i)
          taken[i] += competitors[i].name == series.name;
      }
    }
  return taken;
}

TEST(bench_competitors, upsweep_gives_the_results_of_a_serial_loop) {
  auto const ours = upsweep_competitors(2);
  for (int const taken : expect_correct(ours, {1, 16, 1000, 140001})) EXPECT_GT(taken, 100);
}

TEST(bench_competitors, every_peer_gives_the_results_of_a_serial_loop) {
  if (test::under_tsan)
    GTEST_SKIP()
        << "OpenMP's runtime is not instrumented, so its own synchronisation looks like races";
  auto const all = peers({"all"}, 2);
  for (auto const& a : all.absent) EXPECT_FALSE(a.reason.empty()) << a.name;
  auto const taken = expect_correct(all.competitors, {16, 140001});
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_GE(taken[i], 16) << all.competitors[i].name;
}

TEST(bench_competitors, the_loop_and_tbb_are_always_there) {
  auto const some = peers({"loop", "tbb"}, 1);
  ASSERT_EQ(some.competitors.size(), 2u) << (some.absent.empty() ? "" : some.absent.front().reason);
  EXPECT_EQ(some.competitors[0].name, "loop");
  EXPECT_EQ(some.competitors[1].name, "tbb");
}

TEST(bench_competitors, an_unknown_peer_is_an_error_and_a_missing_python_no_peer) {
  EXPECT_THROW((void)peers({"eigen"}, 1), std::invalid_argument);
  EXPECT_TRUE(numpy_competitors("/no/such/python").empty());
  EXPECT_TRUE(numpy_competitors("/bin/true").empty());
}

TEST(bench_limits, the_read_loop_reads_everything_once) {
  for (std::size_t words : {1u, 7u, 8u, 63u, 64u, 65u, 1000u, 4099u}) {
    std::vector<unsigned long long> x(words);
    std::iota(x.begin(), x.end(), 1ull);
    EXPECT_EQ(read_loop(x.data(), words * 8), words * (words + 1) / 2) << words << " words";
  }
}

TEST(bench_limits, copies_copy_and_updates_update_every_byte_alone_and_together) {
  team t(3);
  std::size_t const words = 3 * 4096 + 6;
  std::vector<unsigned long long> in(words), out(words);
  std::iota(in.begin(), in.end(), 7ull);
  auto const bytes = words * 8;
  auto expect_copied = [&](char const* how) {
    EXPECT_EQ(out, in) << how;
    out.assign(words, 0);
  };
  cached_copy(in.data(), out.data(), bytes);
  expect_copied("cached");
  streaming_copy(in.data(), out.data(), bytes);
  expect_copied("streaming");
  cached_copy(t, in.data(), out.data(), bytes);
  expect_copied("cached, team");
  streaming_copy(t, in.data(), out.data(), bytes);
  expect_copied("streaming, team");
  update_loop(out.data(), bytes);
  update_loop(t, out.data(), bytes);
  EXPECT_EQ(out, std::vector<unsigned long long>(words, 2));
}

TEST(bench_limits, each_work_has_limits_of_its_own_kind) {
  team t(2);
  auto names = [&](work const& w) {
    std::vector<std::string> found;
    for (auto const& c : limit_competitors(t))
      if (c.find(w, 1000)) found.push_back(c.name);
    return found;
  };
  using list = std::vector<std::string>;
  EXPECT_EQ(names({verb::reduce, operation::max, element::i64}), (list{"read", "read-all"}));
  EXPECT_EQ(names({verb::exclusive_scan, operation::sum, element::f32}),
            (list{"copy", "copy-all", "stream-all"}));
  EXPECT_EQ(names({verb::inclusive_scan, operation::sum, element::f32, true}),
            (list{"update", "update-all"}));
}

}  // namespace
}  // namespace upsweep::bench
