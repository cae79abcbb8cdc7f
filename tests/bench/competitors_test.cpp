/// Every competitor computes correct results, and the limits really move the memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <bench/contestants/competitors.hpp>
#include <bench/harness/measure.hpp>
#include <bench/rows/catalog.hpp>
#include <cstddef>
#include <numeric>
#include <stdexcept>
#include <string>
#include <support/build_kind.hpp>
#include <utility>
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

/// Runs all `competitors` on the works that they support; returns the number of runs of each.
std::vector<int> expect_correct(std::vector<work> const& works,
                                std::vector<competitor> const& competitors,
                                std::vector<std::size_t> const& sizes) {
  team t(2);
  arena memory(16u << 20);
  settings s;
  s.cache_bytes = 64u << 20;
  s.batch_seconds = 0;  // one call per round: only results matter
  s.cell_seconds = 0;
  s.least_rounds = s.most_rounds = 1;
  std::vector<int> taken(competitors.size());
  for (auto const& w : works)
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

/// The rows by name, of both verbs.
std::vector<work> every_work_by_name() {
  std::vector<work> all;
  for (auto const& row : catalog_rows())
    for (auto const v : {verb::reduce, verb::inclusive_scan}) {
      work w{v, row.op, row.type};
      w.by_name = true;
      all.push_back(w);
    }
  return all;
}

TEST(bench_competitors, upsweep_gives_the_results_of_a_serial_loop) {
  auto const ours = upsweep_competitors(2);
  for (int const taken : expect_correct(every_work(), ours, {1, 16, 1000, 140001}))
    EXPECT_GT(taken, 100);
}

TEST(bench_competitors, upsweep_and_the_loop_agree_for_every_operator_and_type_of_the_catalog) {
  auto all = upsweep_competitors(2);
  auto const loop = peers(benchmark::operators, {"loop"}, 2).competitors;
  all.insert(all.end(), loop.begin(), loop.end());
  auto const works = every_work_by_name();
  std::vector<std::size_t> const sizes{1, 16, 3001};
  auto const taken = expect_correct(works, all, sizes);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(taken[i], works.size() * sizes.size()) << all[i].name;
  auto const has_no_loop = std::count_if(works.begin(), works.end(), [](work const& w) {
    return w.op == operation::exact_sum;  // no plain loop is exact
  });
  EXPECT_EQ(taken[3], (works.size() - static_cast<std::size_t>(has_no_loop)) * sizes.size());
}

TEST(bench_competitors, numbers_of_threads_are_powers_of_two_and_all) {
  EXPECT_EQ(thread_counts(1), std::vector<int>{1});
  EXPECT_EQ(thread_counts(2), (std::vector<int>{1, 2}));
  EXPECT_EQ(thread_counts(6), (std::vector<int>{1, 2, 4, 6}));
  team t(2);
  arena memory(1u << 20);
  settings s;
  s.cache_bytes = 1u << 16;
  s.batch_seconds = s.cell_seconds = 0;
  work const scan{verb::inclusive_scan, operation::sum, element::f32};
  auto const c = measure(scan, 1000, competitors_by_threads(3), memory, t, s);
  std::string found;
  for (auto const& series : c.all) {
    EXPECT_TRUE(series.correct()) << series.name;
    found += series.name + std::to_string(series.threads) + ' ';
  }
  EXPECT_EQ(found, "copy1 stream1 upsweep1 copy2 stream2 upsweep2 copy3 stream3 upsweep3 ");
}

TEST(bench_competitors, every_peer_gives_the_results_of_a_serial_loop) {
  if (test::under_tsan)
    GTEST_SKIP()
        << "OpenMP's runtime is not instrumented, so its own synchronization looks like races";
  auto const all = peers(benchmark::operators, {"all"}, 2);
  for (auto const& a : all.absent) EXPECT_FALSE(a.reason.empty()) << a.name;
  auto const taken = expect_correct(every_work(), all.competitors, {16, 140001});
  for (std::size_t i = 0; i < taken.size(); ++i) EXPECT_GE(taken[i], 16) << all.competitors[i].name;
}

TEST(bench_competitors, the_loop_and_tbb_are_always_there) {
  auto const some = peers(benchmark::operators, {"loop", "tbb"}, 1);
  ASSERT_EQ(some.competitors.size(), 2u) << (some.absent.empty() ? "" : some.absent.front().reason);
  EXPECT_EQ(some.competitors[0].name, "loop");
  EXPECT_EQ(some.competitors[1].name, "tbb");
}

TEST(bench_competitors, an_unknown_peer_is_an_error_and_a_missing_python_no_peer) {
  EXPECT_THROW((void)peers(benchmark::operators, {"eigen"}, 1), std::invalid_argument);
  EXPECT_FALSE(python_competitor("numpy", "/no/such/python"));
  EXPECT_FALSE(python_competitor("numpy", "/bin/true"));
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

TEST(bench_limits, of_scans_with_results_of_another_size_write_all_of_them_and_no_more) {
  team t(3);
  std::vector<unsigned char> in(1u << 16), out(1u << 19);
  std::iota(in.begin(), in.end(), static_cast<unsigned char>(0));
  for (auto const& [op, type] : {std::pair{operation::sum, element::i8},
                                 std::pair{operation_of(catalog::id::any), element::f64}}) {
    std::size_t const n = 8000;
    work const w = *work_for_processor({verb::inclusive_scan, op, type});
    for (auto const& c : limit_competitors(t)) {
      auto const run = c.find(w, n);
      if (!run) continue;
      std::fill(out.begin(), out.end(), static_cast<unsigned char>(255));
      auto* const bytes = reinterpret_cast<std::byte*>(out.data());
      slots memory{reinterpret_cast<std::byte*>(in.data()), bytes, 0, 0};
      (void)run(memory, 1);
      std::size_t const end = n * result_bytes(w);
      EXPECT_EQ(std::count(out.begin() + static_cast<std::ptrdiff_t>(end), out.end(), 255),
                out.size() - end)
          << c.name;
      EXPECT_LT(std::count(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(end), 255),
                end / 100)
          << c.name;
    }
  }
}

}  // namespace
}  // namespace upsweep::bench
