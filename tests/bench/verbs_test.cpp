/// `upsweep bench verbs`: every participant of every row has the expected results, and one that has
/// others is not timed.
#include <gtest/gtest.h>

#include <algorithm>
#include <bench/contestants/competitors.hpp>
#include <bench/contestants/ours.hpp>
#include <bench/harness/measure.hpp>
#include <bench/harness/verb_memory.hpp>
#include <cstdint>
#include <cstring>
#include <set>
#include <stdexcept>
#include <string>
#include <support/build_kind.hpp>
#include <vector>

namespace upsweep::bench {
namespace {

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
