/// The parts of the grader: rules, sizes and schedules, untrusted results, verdicts, files for
/// class graders.
#include <gtest/gtest.h>
#include <io/error.hpp>
#include <lab/grading/harness/elements.hpp>
#include <lab/grading/report.hpp>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <set>

namespace upsweep::lab::grading {
namespace {

exercise simple() {
  return parse_exercise(
      R"({"name": "x", "title": "t", "plan": "p", "kind": "inclusive scan", "threads": 64,
                            "elements": [{"op": "sum", "type": "i32"}], "sizes": [5]})",
      "here");
}

run_result with_values(std::vector<std::int32_t> const& values) {
  run_result r;
  r.values.resize(values.size() * sizeof(std::int32_t));
  std::memcpy(r.values.data(), values.data(), r.values.size());
  r.has_values = true;
  return r;
}

/// The verdict on a run whose five results are the right ones plus `error`.
verdict judged(std::int32_t error, run_result got = {}) {
  exercise const e = simple();
  check const c{"c", 1, {{.what = e.operators[0], .n = 5, .seed = 3}}, nullptr};
  std::vector<std::int32_t> sums;
  // Number i of the elements, by its definition in harness/elements.hpp, is drawn from -9 ... 9.
  std::int32_t sum = 0;
  for (std::uint64_t i = 0; i < 5; ++i)
    sums.push_back(
        sum += static_cast<std::int32_t>((upsweep::grading::random_number(3, i) >> 8) % 19) - 9);
  sums[2] += error;
  auto const findings = got.findings;
  got = with_values(sums);
  got.findings = findings;
  return judge(e, c, c.runs[0], got);
}

TEST(rules, are_those_of_fourteen_exercises_each_worth_points) {
  EXPECT_EQ(known_exercises().size(), 14u);
  std::set<std::string> names;
  for (auto const& e : known_exercises()) {
    names.insert(e.name);
    int of = 0;
    for (auto const& c : checks_of(e, 1)) {
      EXPECT_GT(c.points, 0) << e.name << c.title;
      EXPECT_FALSE(c.runs.empty()) << e.name << c.title;
      EXPECT_EQ(c.limit == nullptr || c.runs.size() == 1, true) << c.title;
      of += c.points;
    }
    EXPECT_GE(of, 8) << e.name;
  }
  EXPECT_EQ(names.size(), 14u);
  EXPECT_EQ(find_exercise("02-missing-barrier")->plan, "tree_reduce_plan");
  EXPECT_EQ(find_exercise("02"), nullptr);
}

TEST(rules, that_are_invalid_are_reported_with_the_file) {
  for (auto const* const text : {"", "[]", "{}", R"({"name": 3})"}) {
    try {
      static_cast<void>(parse_exercise(text, "somewhere/exercise.json"));
      ADD_FAILURE() << text;
    } catch (io::data_error const& e) {
      EXPECT_NE(std::string(e.what()).find("somewhere/exercise.json"), std::string::npos)
          << e.what();
    }
  }
}

TEST(hidden_sizes, include_the_edges_and_depend_on_the_seed) {
  exercise const e = simple();
  auto const sizes = hidden_sizes(e, 1);
  for (std::uint64_t const n : {0u, 1u, 31u, 33u, 63u, 64u, 65u, 129u, 451u})
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), n), 1) << n;
  EXPECT_EQ(hidden_sizes(e, 1), sizes);
  EXPECT_NE(hidden_sizes(e, 2), sizes);
}

TEST(schedules, are_all_those_of_the_emulator) {
  exercise const e = simple();
  std::multiset<std::string> met;
  for (auto const& c : checks_of(e, 1))
    if (c.title == "other schedules")
      for (auto const& run : c.runs) met.insert(run.schedule);
  EXPECT_EQ(met.count("adversarial"), 8u);
  EXPECT_EQ(met.count("random"), 8u);
  EXPECT_EQ(met.count("round-robin"), 2u);
}

TEST(results, are_parsed_run_by_run_without_the_unfinished_run) {
  std::string const text =
      std::string("values\t8\n") + std::string("\n\t\0ab\tcd", 8) +
      "finding\trace\tkernel.hpp\t7\t\t0\ta "
      "sentence\ncounter\tglobal_loads\t5\ncounter\tglobal_stores\t6\ndone\nfailure\tk\ts\n";
  auto const all = parse_results(text);
  ASSERT_EQ(all.size(), 1u);
  EXPECT_EQ(all[0].values.size(), 8u);
  ASSERT_EQ(all[0].findings.size(), 1u);
  EXPECT_EQ(all[0].findings[0].first.line, 7u);
  EXPECT_EQ(all[0].counters.at("global_accesses"), 11u);
}

TEST(results, of_arbitrary_bytes_are_handled) {
  for (auto const* const text : {"", "\n", "done", "values\t99999999999999\nx\ndone\n",
                                 "values\t-1\ndone\n", "finding\ndone\n", "counter\t\t\n\n\t\t\n"})
    EXPECT_LE(parse_results(text).size(), 1u) << text;
}

TEST(verdicts, name_the_first_difference_and_prefer_a_finding) {
  EXPECT_TRUE(judged(0).passed());
  verdict const wrong = judged(4);
  EXPECT_EQ(wrong.kind, "wrong result");
  EXPECT_NE(wrong.sentence.find("result 2 should be"), std::string::npos) << wrong.sentence;
  run_result raced;
  raced.findings.push_back(
      {"race in a block", "two threads", {"kernel.hpp", 3}, {"kernel.hpp", 4}});
  EXPECT_EQ(judged(4, raced).kind, "race in a block");
  EXPECT_EQ(judged(0, raced).places.size(), 2u);
  EXPECT_NE(judged(0, raced).advice, "");
  EXPECT_EQ(judged(0, raced).run, "n = 5, sum of i32, in order");
}

TEST(verdicts, compare_a_right_run_with_its_budget) {
  budget const b{
      .title = "b", .counter = "barriers", .n = 10, .at_most = 2, .per_element = 0.5, .points = 1};
  EXPECT_EQ(b.limit(), 7u);
  exercise e = simple();
  e.scan = false;
  check const c{"c", 1, {{.what = e.operators[0], .n = 0}}, &b};
  run_result got = with_values({0});
  got.counters["barriers"] = 7;
  EXPECT_TRUE(judge(e, c, c.runs[0], got).passed());
  got.counters["barriers"] = 8;
  EXPECT_EQ(judge(e, c, c.runs[0], got).kind, "budget");
  EXPECT_NE(judge(e, c, c.runs[0], got).sentence.find("8, but at most 7"), std::string::npos);
}

/// The verdict on the exercise `simple`, with blocks of 64 threads, at n elements: all results are
/// right except number `wrong`.
verdict judged_at(std::uint64_t n, std::optional<std::size_t> wrong, run_result got = {},
                  bool count = false) {
  exercise const e = simple();
  check const c{"c", 1, {{.what = e.operators[0], .n = n, .seed = 3, .count = count}}, nullptr};
  auto sums = upsweep::grading::elements<std::int32_t>("sum", n, 3);
  std::partial_sum(sums.begin(), sums.end(), sums.begin());
  if (wrong) ++sums[*wrong];
  run_result result = with_values(sums);
  result.counters = got.counters;
  result.findings = got.findings;
  return judge(e, c, c.runs[0], result);
}

TEST(verdicts, blame_the_partial_block_only_if_it_differs) {
  auto const blames = [](verdict const& v) {
    return v.advice.find("last, partial block") != std::string::npos;
  };
  EXPECT_FALSE(blames(judged_at(200, 7)));
  EXPECT_FALSE(blames(judged_at(200, 128)));
  EXPECT_TRUE(blames(judged_at(200, 192)));
  EXPECT_TRUE(blames(judged_at(200, 199)));
  EXPECT_FALSE(blames(judged_at(192, 191)));

  exercise e = simple();
  e.scan = false;
  auto const x = upsweep::grading::elements<std::int32_t>("sum", 200, 3);
  auto const reduced = [&](std::int32_t got) {
    check const c{"c", 1, {{.what = e.operators[0], .n = 200, .seed = 3}}, nullptr};
    return judge(e, c, c.runs[0], with_values({got}));
  };
  EXPECT_TRUE(blames(reduced(std::accumulate(x.begin(), x.begin() + 192, 0))));
  EXPECT_FALSE(blames(reduced(std::accumulate(x.begin(), x.end(), 1000))));
}

TEST(verdicts, require_the_work_to_be_done_by_a_kernel) {
  run_result got;
  got.counters = {{"launches", 1}, {"global_bytes", 8 * 640}, {"applications", 640 - 20 - 1}};
  EXPECT_TRUE(judged_at(640, {}, got, true).passed());
  for (auto const& [counter, words] :
       {std::pair{"launches", "launches: 0, but at least 1 are needed: a kernel must"},
        std::pair{"global_bytes",
                  "global bytes: 5119, but at least 5120 are needed: every element must be read"},
        std::pair{"applications", "applications: 618, but at least 619 are needed"}}) {
    run_result less = got;
    --less.counters[counter];
    verdict const v = judged_at(640, {}, less, true);
    EXPECT_EQ(v.kind, "budget");
    EXPECT_NE(v.sentence.find(words), std::string::npos) << v.sentence;
  }
  got.counters = {{"launches", 1}};
  EXPECT_TRUE(judged_at(640, {}, got, false).passed()) << "nothing was counted";
  EXPECT_TRUE(judged_at(5, {}, {}, true).passed()) << "below one block the host may do the work";
}

TEST(verdicts, advise_atomics_where_updates_are_lost) {
  run_result raced;
  raced.findings.push_back({"race in a block",
                            "both update the element: use atomicAdd()",
                            {"kernel.hpp", 3},
                            {"kernel.hpp", 3}});
  EXPECT_NE(judged(0, raced).advice.find("atomic function"), std::string::npos);
  raced.findings[0].sentence = "nothing orders the two accesses";
  EXPECT_EQ(judged(0, raced).advice.find("atomic"), std::string::npos);
}

TEST(files_for_graders, hold_any_text) {
  grade g;
  g.what.task = simple();
  g.what.folder = "a \"b\" <c> & \x01\xff";
  g.compiled.good = true;
  g.checks.push_back({"one", 2, 2, {}});
  g.checks.push_back(
      {"two", 0, 3, {"crash", "printed </failure> & \"\x02\xc3\xa9\n", "", {}, "n = 1"}});
  EXPECT_EQ((g.points() * 10) + g.of(), 25);
  EXPECT_FALSE(g.passed());
  std::string const xml = junit_of({g});
  EXPECT_EQ(xml.find('\x02'), std::string::npos);
  EXPECT_NE(xml.find("printed &lt;/failure&gt; &amp; &quot;"), std::string::npos) << xml;
  EXPECT_NE(xml.find("tests=\"3\" failures=\"1\" errors=\"0\""), std::string::npos) << xml;
  auto const json = json_of({g});
  EXPECT_EQ(json["exercises"][0]["state"], "failed");
  EXPECT_EQ(json["exercises"][0]["checks"][1]["kind"], "crash");
  EXPECT_EQ(json["points"], 2);
}

}  // namespace
}  // namespace upsweep::lab::grading
