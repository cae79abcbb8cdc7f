/// The parts of the grader: rules, sizes and schedules, verdicts on what a checker said, files for
/// class graders.
#include <gtest/gtest.h>
#include <io/error.hpp>
#include <lab/compiler/process.hpp>
#include <lab/grading/class.hpp>
#include <lab/grading/exercise.hpp>
#include <lab/grading/grade.hpp>
#include <lab/grading/submission.hpp>
#include <support/message.hpp>

#include <fcntl.h>
#include <unistd.h>
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <set>
#include <string>

namespace upsweep::lab::grading {
namespace {

exercise simple() {
  return parse_exercise(R"({"name": "x", "title": "t", "tile": 64, "cases": ["a", "b"],
                            "sizes": [5, 640],
                            "floors": [{"counter": "applications", "at_least": -1,
                                        "at_least_per_element": 1, "why": "all are combined"}],
                            "not_allowed": {"cudaMemcpy*": "it stays there"}})",
                        "here");
}

TEST(rules, are_those_of_the_exercises_each_worth_points) {
  EXPECT_GE(known_exercises().size(), 24u);
  std::set<std::string> names;
  for (auto const& e : known_exercises()) {
    names.insert(e.name);
    EXPECT_NE(e.checker.find("check_run"), std::string::npos) << e.name;
    int of = 0;
    for (auto const& c : checks_of(e, 1)) {
      EXPECT_GT(c.points, 0) << e.name << c.title;
      EXPECT_FALSE(c.processes.empty()) << e.name << c.title;
      for (auto const& p : c.processes) EXPECT_FALSE(p.sizes.empty()) << e.name << c.title;
      EXPECT_TRUE(c.limit == nullptr || c.processes.size() == 1) << c.title;
      of += c.points;
    }
    EXPECT_GE(of, 6) << e.name;
    EXPECT_FALSE(e.floors.empty()) << e.name << ": work below the minimum must be refused";
    for (auto const& b : e.budgets)
      EXPECT_LE(b.at_least.at(b.n), b.at_most.at(b.n)) << e.name << b.title;
  }
  EXPECT_EQ(names.size(), known_exercises().size());
  EXPECT_EQ(find_exercise("02-missing-barrier")->cases.size(), 2u);
  EXPECT_EQ(find_exercise("02"), nullptr);
}

TEST(rules, that_are_invalid_are_reported_with_the_file) {
  for (auto const* const text : {"", "[]", "{}", R"({"name": 3})", "3"}) {
    std::string const said = test::message_of<io::data_error>(
        [&] { static_cast<void>(parse_exercise(text, "somewhere/exercise.json")); });
    EXPECT_NE(said.find("somewhere/exercise.json"), std::string::npos) << text << ": " << said;
  }
}

TEST(hidden_sizes, include_the_edges_and_depend_on_the_seed) {
  exercise e = simple();
  auto const sizes = hidden_sizes(e, 1);
  for (std::uint64_t const n : {0u, 1u, 31u, 33u, 63u, 64u, 65u, 129u, 451u})
    EXPECT_EQ(std::count(sizes.begin(), sizes.end(), n), 1) << n;
  EXPECT_EQ(hidden_sizes(e, 1), sizes);
  EXPECT_NE(hidden_sizes(e, 2), sizes);
  e.smallest = 2, e.largest = 100, e.more_sizes = {99, 101};
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    auto const limited = hidden_sizes(e, seed);
    EXPECT_GE(limited.front(), 2u);
    EXPECT_LE(limited.back(), 100u);
    EXPECT_EQ(std::count(limited.begin(), limited.end(), 99u), 1);
  }
}

TEST(schedules, are_all_those_of_the_emulator_for_every_case) {
  exercise const e = simple();
  std::multiset<sim::schedule> met;
  for (auto const& c : checks_of(e, 1))
    if (c.title == "other schedules")
      for (auto const& p : c.processes) met.insert(p.how);
  EXPECT_EQ(met.count(sim::schedule::adversarial), 8u);
  EXPECT_EQ(met.count(sim::schedule::random), 8u);
  EXPECT_EQ(met.count(sim::schedule::round_robin), 2u);
}

/// What a process reported that ran both sizes of `simple`, with one launch each.
program_outcome outcome(std::uint64_t applications = 640) {
  program_outcome got;
  for (int i = 0; i < 2; ++i) {
    got.notes.push_back({"run\t0", got.report.launches.size()});
    auto& launch = got.report.launches.emplace_back();
    launch.total.applications = applications;
    launch.total.barriers = 8;
    launch.buffers["counts"].atomics = 3;
    launch.buffers["shared:mine"].atomics = 50;
    got.notes.push_back({"end", got.report.launches.size()});
  }
  return got;
}

verdict judged(program_outcome const& got, budget const* limit = nullptr) {
  exercise const e = simple();
  process_request const p{.which = "a", .sizes = {5, 640}, .count = true};
  return judge(e, {"c", 1, {p}, limit}, p, got, 5);
}

TEST(verdicts, of_right_runs_say_nothing) {
  EXPECT_TRUE(judged(outcome()).passed());
}

TEST(verdicts, name_the_run_and_prefer_a_finding_to_a_wrong_value) {
  auto got = outcome();
  got.notes.insert(got.notes.end() - 1,
                   {"wrong\t7\t640\tout[7] should be 1 but is 2\tlook there", 1});
  // The next array is wrong too, but the first mistake is what is told.
  got.notes.insert(got.notes.end() - 1, {"wrong\t1\t9\tcount[1] should be 3 but is 4\t", 1});
  verdict const wrong = judged(got);
  EXPECT_EQ(wrong.kind, "wrong result");
  EXPECT_EQ(wrong.sentence, "out[7] should be 1 but is 2");
  EXPECT_EQ(wrong.advice, "look there");
  EXPECT_EQ(wrong.run, "n = 640, a, in order");
  got.report.findings.push_back(
      {sim::finding_kind::race_in_block, "two threads", {"k.cu", 3}, {"k.cu", 4}});
  verdict const race = judged(got);
  EXPECT_EQ(race.kind, "race in a block");
  EXPECT_EQ(race.run, "n = 640, a, in order");
  EXPECT_EQ(race.places.size(), 2u);
  EXPECT_NE(race.advice, "");
}

TEST(verdicts, of_programs_that_ended_early_say_why) {
  auto got = outcome();
  got.notes.pop_back();
  EXPECT_EQ(judged(got).kind, "crash");
  EXPECT_NE(judged(got).sentence.find("before the checker had finished"), std::string::npos);
  got.printed = "hello\n";
  EXPECT_NE(judged(got).sentence.find("it printed: hello"), std::string::npos);
  got.stopped_by_limit = true;
  got.failure = "the program was stopped after 5 s, its time limit (--time-limit)";
  EXPECT_EQ(judged(got).kind, "time limit");
  got.failure = "the program was stopped: it used more than 1 MiB (--memory-limit)";
  EXPECT_EQ(judged(got).kind, "memory limit");
  got.notes.clear();
  got.report.launches.clear();
  EXPECT_EQ(judged(got).run, "n = 5, a, in order");
}

TEST(verdicts, require_the_work_to_be_done_by_a_kernel) {
  EXPECT_TRUE(judged(outcome(639)).passed());
  verdict const less = judged(outcome(638));
  EXPECT_EQ(less.kind, "too little work");
  EXPECT_EQ(less.sentence, "applications: 638, but at least 639 are needed: all are combined");
  auto none = outcome();
  none.report.launches.clear();
  for (auto& note : none.notes) note.launches = 0;
  EXPECT_NE(judged(none).sentence.find("launches: 0, but at least 1"), std::string::npos);
}

TEST(verdicts, compare_a_right_run_with_its_budget) {
  exercise const e = simple();
  process_request const p{.which = "a", .sizes = {5}, .count = true};
  budget limit{.title = "b", .counter = "barriers", .which = "a", .n = 5, .at_most = {5, 0.6}};
  auto const kind = [&] { return judge(e, {"c", 1, {p}, &limit}, p, outcome(), 5).kind; };
  EXPECT_EQ(limit.at_most.at(5), 8u);
  EXPECT_EQ(kind(), "");
  limit.at_most = {7, 0};
  EXPECT_EQ(kind(), "budget");
  limit.at_most = {8, 0}, limit.at_least = {9, 0};
  EXPECT_EQ(kind(), "too little work");
}

TEST(verdicts, blame_the_last_partial_block_only_if_nothing_else_is_wrong) {
  exercise const e = simple();
  auto const blames = [&](std::uint64_t n, char const* line) {
    program_outcome got;
    got.report.launches.emplace_back();
    got.notes = {{"run\t0", 0}, {line, 1}, {"end", 1}};
    process_request const p{.which = "a", .sizes = {n}};
    auto const v = judge(e, {"c", 1, {p}, nullptr}, p, got, 5);
    return v.advice.find("last, partial block") != std::string::npos;
  };
  EXPECT_TRUE(blames(200, "wrong\t192\t200\tx\t"));
  EXPECT_FALSE(blames(200, "wrong\t191\t200\tx\t"));
  EXPECT_FALSE(blames(200, "wrong\t192\t200\tx\tother advice"));
  EXPECT_TRUE(blames(200, "wrong\t3\t4\tx\t")) << "results of blocks";
  EXPECT_FALSE(blames(200, "wrong\t2\t4\tx\t"));
  EXPECT_FALSE(blames(192, "wrong\t191\t192\tx\t"));
  EXPECT_FALSE(blames(192, "wrong\t3\t4\tx\t")) << "no block is partial";
}

TEST(verdicts, of_any_text_are_given) {
  for (auto const* const line : {"", "\t", "run", "end\t\t", "wrong", "wrong\tx\ty", "done"}) {
    program_outcome got;
    got.notes = {{line, 9}, {"run", 3}, {line, 7}, {"end", 2}};
    (void)judged(got);
  }
}

TEST(counters, of_atomics_on_global_memory_leave_out_shared_arrays) {
  auto const got = outcome();
  EXPECT_EQ(counted("global_atomics", got.report.launches), 6u);
  EXPECT_EQ(counted("launches", got.report.launches), 2u);
  EXPECT_EQ(counted("barriers", got.report.launches), 16u);
}

TEST(restrictions, name_the_line_and_the_reason) {
  exercise e = simple();
  e.checker = "void check_run() { expect(threads); }";
  EXPECT_EQ(refusal(e, "__global__ void k() { int exits; x.main(); p->exit(); }", "k.cu"), "");
  EXPECT_EQ(refusal(e, "// exit\nchar const* s = \"main\";", "k.cu"), "");
  EXPECT_EQ(refusal(e, "\ncudaMemcpyAsync(a);", "k.cu"),
            "k.cu:2: 'cudaMemcpyAsync' is not allowed: it stays there");
  EXPECT_NE(refusal(e, "int main() {}", "k.cu"), "");
  EXPECT_NE(refusal(e, "#define threads 3", "k.cu"), "");
  EXPECT_EQ(refusal(e, "#define mine 3\n#include <cuda/atomic>\n#if 1\n#endif", "k.cu"), "");
  EXPECT_NE(refusal(e, "#include \"other.cu\"", "k.cu").find("'other.cu'"), std::string::npos);
  EXPECT_NE(refusal(e, "#include <fstream>", "k.cu"), "");
}

grade sample() {
  grade g;
  g.what.task = simple();
  g.what.file = "a \"b\" <c> & \x01\xff";
  g.checks.push_back({"one", 2, 2, {}});
  g.checks.push_back(
      {"two", 0, 3, {"crash", "printed </failure> & \"\x02\xc3\xa9\n", "", {}, "n = 1"}});
  return g;
}

TEST(files_for_graders, hold_any_text) {
  grade const g = sample();
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

TEST(reports_of_classes, hold_any_text_and_the_best_of_several_submissions) {
  auto const exercises = json_of({sample(), sample()})["exercises"];
  nlohmann::ordered_json graded{{"seed", 3}, {"students", nlohmann::ordered_json::array()}};
  graded["students"].push_back(
      {{"name", "a, \"b\" <i>"}, {"points", 2}, {"of", 5}, {"exercises", exercises}});
  graded["students"][0]["exercises"][1]["points"] = 4;
  EXPECT_NE(table_of_class(graded).find("4/5"), std::string::npos) << table_of_class(graded);
  auto const csv = csv_of_class(graded);
  EXPECT_EQ(std::count(csv.begin(), csv.end(), '\n'), 3) << csv;
  EXPECT_NE(csv.find("\"a, \"\"b\"\" <i>\",x,failed,2,5,"), std::string::npos) << csv;
  auto const page = page_of_class(graded);
  EXPECT_NE(page.find("a, &quot;b&quot; &lt;i&gt;"), std::string::npos);
  EXPECT_EQ(page.find("<i>"), std::string::npos);
}

TEST(compilers, are_logged_where_standard_descriptors_are_closed) {
  std::string const log = testing::TempDir() + "upsweep_log_" + std::to_string(getpid());
  int kept[3];
  for (int const each : {0, 1, 2}) {
    kept[each] = ::fcntl(each, F_DUPFD_CLOEXEC, 3);
    ::close(each);
  }
  auto const end = run_process({"sh", "-c", "cat && echo said && echo wrong >&2"}, ".", log, {});
  for (int const each : {0, 1, 2}) {
    ::dup2(kept[each], each);
    ::close(kept[each]);
  }
  EXPECT_EQ(end.status, 0);
  std::ifstream file(log);
  std::string const text{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(text, "said\nwrong\n");
  std::remove(log.c_str());
}

}  // namespace
}  // namespace upsweep::lab::grading
