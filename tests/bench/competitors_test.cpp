/// Every competitor and every participant computes correct results.
#include <bench/contestants/competitors.hpp>
#include <bench/contestants/ours.hpp>
#include <bench/harness/measure.hpp>
#include <bench/harness/verb_memory.hpp>
#include <bench/rows/catalog.hpp>
#include <support/sizes.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

// Every competitor computes correct results, and the limits really move the memory.

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

// `upsweep bench verbs`: every participant of every row has the expected results, and one that has
// others is not timed.

settings one_round() {
  settings s;
  s.cache_bytes = 1u << 20;
  s.batch_seconds = 0;
  s.cell_seconds = 0;
  s.least_rounds = s.most_rounds = 1;
  return s;
}

std::vector<competitor> everybody(team& t) {
  auto all = limit_competitors(t);
  auto const ours = upsweep_competitors(2);
  // Other libraries' runtimes are not instrumented, so their synchronization looks like races.
  std::vector<std::string> names{"all"};
  if (test::under_tsan) names = {"loop", "sliding", "std-serial"};
  auto const others = peers(benchmark::verbs, names, 2).competitors;
  all.insert(all.end(), ours.begin(), ours.end());
  all.insert(all.end(), others.begin(), others.end());
  std::erase_if(all, [](auto const& who) { return !who.find_verb; });
  return all;
}

TEST(bench_verbs, every_participant_has_the_results_of_the_reference) {
  team t(2);
  auto const all = everybody(t);
  std::set<std::string> taken;
  for (auto const& row : verb_rows())
    for (std::size_t const n : {1u, 1'000u, 120'001u}) {
      if (!row.takes(n)) continue;
      for (auto const& s : measure_verb(row, n, all, 2, one_round()).all) {
        EXPECT_TRUE(s.correct()) << s.name << ": " << row.title() << ", n = " << n << ": "
                                 << s.difference;
        taken.insert(s.name);
      }
    }
  for (auto const& who : all) EXPECT_TRUE(taken.contains(who.name)) << who.name;
}

TEST(bench_verbs, an_unknown_peer_is_an_error_and_an_absent_one_has_a_reason) {
  EXPECT_THROW((void)peers(benchmark::verbs, {"eigen"}, 1), std::invalid_argument);
  for (auto const& a : peers(benchmark::verbs, {"all"}, 1).absent)
    EXPECT_FALSE(a.reason.empty()) << a.name;
}

TEST(bench_verbs, results_are_the_same_in_every_copy_of_cold_memory) {
  team t(2);
  auto const all = everybody(t);
  auto s = one_round();
  s.cold_from = 1;
  for (auto const& row : verb_rows()) {
    if (!row.takes(5'000)) continue;
    verb_memory memory(row, 5'000, true, s.cache_bytes, 2);
    for (auto const& who : all) {
      auto const attempt = who.find_verb(row, 5'000, memory);
      if (!attempt.result) continue;
      (void)attempt.time(3);
      EXPECT_EQ(memory.difference(attempt.result()), "") << who.name << ": " << row.title();
    }
  }
}

TEST(bench_verbs, every_row_has_upsweep_and_a_peer_and_every_entry_a_row) {
  std::set<std::string> keys;
  auto const loops = peers(benchmark::verbs, {"loop", "std-serial"}, 1).competitors;
  verb_memory unused(verb_rows()[0], 100, false, 0, 1);
  for (auto const& row : verb_rows()) {
    keys.insert(row.key());
    EXPECT_TRUE(entry_for(our_verbs(), row, 0)) << row.title();
    EXPECT_TRUE(std::ranges::any_of(loops, [&](auto const& p) {
      return bool(p.find_verb(row, 100, unused).time);
    })) << row.title();
  }
  for (auto const& entry : our_verbs()) EXPECT_TRUE(keys.contains(entry.key)) << entry.key;
}

verb_row row_of(std::string const& key, std::size_t n = 100) {
  for (auto const& row : verb_rows())
    if (row.key() == key && row.takes(n)) return row;
  ADD_FAILURE() << "no row " << key;
  return {};
}

/// Makes Upsweep's call, then spoils its result.
template <int how>
void spoiled(call& c) {
  entry_for(our_verbs(), row_of("reduce_runs sum f32"), 0)->run(c);
  if (how == 0) --c.count;
  if (how == 1) static_cast<float*>(c.out)[c.count - 1] += 1;
  if (how == 2) static_cast<std::uint32_t*>(c.more)[0] += 1;
}

TEST(bench_verbs, a_participant_with_a_wrong_result_is_not_timed) {
  static constexpr verb_entry entries[][1] = {{{"reduce_runs sum f32", spoiled<0>}},
                                              {{"reduce_runs sum f32", spoiled<1>}},
                                              {{"reduce_runs sum f32", spoiled<2>}},
                                              {{"reduce_runs sum f32", spoiled<3>}}};
  std::vector<competitor> all;
  for (auto const& e : entries) all.push_back({"p", "p", role::peer, false, {}, timed_verbs(e)});
  auto const c = measure_verb(row_of("reduce_runs sum f32"), 100, all, 1, one_round());
  ASSERT_EQ(c.all.size(), 4u);
  EXPECT_EQ(c.all[0].difference, "it has 99 results instead of 100");
  EXPECT_EQ(c.all[1].difference, "result 99 is wrong");
  EXPECT_EQ(c.all[2].difference, "result 0 of the second output is wrong");
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(c.all[std::size_t(i)].seconds.empty()) << i;
  EXPECT_TRUE(c.all[3].correct());
  EXPECT_FALSE(c.all[3].seconds.empty());
}

/// Stores nothing: the memory has no result of an earlier call.
void idle(call& c) {
  c.count = c.n;
}

TEST(bench_verbs, a_result_must_be_stored_anew) {
  static constexpr verb_entry entries[] = {{"scan_segments sum f32", idle}};
  auto all = upsweep_competitors(1);
  all.push_back({"idle", "", role::peer, false, {}, timed_verbs(entries)});
  auto const c = measure_verb(row_of("scan_segments sum f32"), 100, all, 1, one_round());
  EXPECT_TRUE(c.all[0].correct());
  EXPECT_EQ(c.all[2].difference, "result 0 is wrong");
}

TEST(bench_verbs, traffic_counts_what_is_read_and_written) {
  auto const bytes = [](std::string const& key) {
    std::size_t const n = key.ends_with("pad f32") ? 5'000 : 100;
    return verb_memory(row_of(key, n), n, false, 0, 1).traffic();
  };
  EXPECT_EQ(bytes("sort u64"), 1600u);
  EXPECT_EQ(bytes("partition f64"), 1600u);
  EXPECT_EQ(bytes("count_indices u8"), 100u + 4 * 256);
  EXPECT_EQ(bytes("reduce_runs sum f32"), 800u + 800u);  // runs of 1
  EXPECT_EQ(bytes("reduce_segments sum f64"), 800u + 8 * 101 + 800u);
  EXPECT_EQ(bytes("partition three f32"), 800u);
  auto const flags = input_of(row_of("select flags f32"), 100).keys;
  auto const* const first = reinterpret_cast<std::uint8_t const*>(flags.data());
  auto const kept = static_cast<std::size_t>(std::count(first, first + 100, 1));
  EXPECT_EQ(bytes("select flags f32"), 400u + 100u + 4 * kept);
  EXPECT_EQ(bytes("pad f32"), 4u * 4u * (1000u + 1024u));  // 4 rows
  EXPECT_EQ(bytes("unpad f32"), 4u * 4u * (1000u + 1000u));
}

}  // namespace
}  // namespace upsweep::bench
