/// Sizes, schedules and points of the checks; sentences and advice of verdicts; refused strings.
#include <gtest/gtest.h>
#include <io/error.hpp>
#include <lab/grading/exercise.hpp>
#include <lab/grading/grade.hpp>
#include <lab/grading/submission.hpp>
#include <lab/source/module_cache.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::lab::grading {
namespace {

using sizes = std::vector<std::uint64_t>;

exercise plain() {
  exercise e;
  e.name = "x", e.cases = {"a", "b"}, e.sizes = {5, 640}, e.tile = 64;
  e.checker = "#include \"kernel.cu\"\nvoid check_run() { run(); }\n";
  return e;
}

TEST(hidden_sizes, draw_three_from_the_seed_above_the_least) {
  exercise e = plain();
  e.smallest = 40;
  sizes const fixed{63, 64, 65, 128, 129, 451};
  std::set<std::uint64_t> drawn;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    auto const all = hidden_sizes(e, seed);
    EXPECT_TRUE(std::includes(all.begin(), all.end(), fixed.begin(), fixed.end()));
    EXPECT_LE(all.size(), fixed.size() + 3);
    std::set_difference(all.begin(), all.end(), fixed.begin(), fixed.end(),
                        std::inserter(drawn, drawn.end()));
  }
  EXPECT_GE(*drawn.begin(), 43u);             // 40 + 3
  EXPECT_LT(*drawn.rbegin(), 43u + 12 * 64);  // twelve tiles
  EXPECT_GT(*drawn.rbegin(), 11u * 64);       // most of them are reached
  EXPECT_GT(drawn.size(), 200u);              // 300 draws from 768 numbers
}

TEST(checks, of_given_sizes_count_and_those_of_hidden_sizes_do_not) {
  exercise e = plain();
  e.points_sizes = 4, e.points_hidden = 5, e.points_schedules = 6;
  e.budgets = {
      {.title = "cheap", .counter = "steps", .which = "b", .n = 99, .at_most = {}, .points = 7}};
  auto const all = checks_of(e, 11);
  std::vector<std::string> titles;
  std::vector<int> points;
  for (auto const& c : all) titles.push_back(c.title), points.push_back(c.points);
  EXPECT_EQ(titles, (std::vector<std::string>{"a, sizes of the task", "b, sizes of the task",
                                              "a, hidden sizes", "b, hidden sizes",
                                              "other schedules", "cheap"}));
  EXPECT_EQ(points, (std::vector{4, 4, 5, 5, 6, 7}));
  auto const one = [](check const& c) { return c.processes.at(0); };
  EXPECT_EQ(one(all[0]).sizes, e.sizes);
  EXPECT_TRUE(one(all[0]).count);
  EXPECT_EQ(one(all[3]).which, "b");
  EXPECT_EQ(one(all[3]).sizes, hidden_sizes(e, 11));
  EXPECT_FALSE(one(all[3]).count);
  EXPECT_EQ(all[4].limit, nullptr);
  EXPECT_EQ(one(all[5]).sizes, sizes{99});
  EXPECT_TRUE(one(all[5]).count);
  EXPECT_EQ(one(all[5]).which, "b");
  EXPECT_EQ(all[5].limit, e.budgets.data());
  for (auto const& c : all)
    for (auto const& p : c.processes) EXPECT_EQ(p.seed, 11u);
}

TEST(checks, of_schedules_run_one_tile_and_many_with_few_blocks_and_with_many) {
  exercise e = plain();
  e.cases = {"a"};
  auto const found = [&](std::uint64_t seed) { return checks_of(e, seed).at(2).processes; };
  std::set<std::uint64_t> seeds, variants, resident;
  for (auto const& p : found(1)) {
    EXPECT_EQ(p.sizes, (sizes{64, 583}));  // nine tiles and a part
    EXPECT_FALSE(p.count) << "counts need one schedule only, and time";
    if (p.how == sim::schedule::random) seeds.insert(p.schedule_seed);
    if (p.how == sim::schedule::adversarial) variants.insert(p.schedule_seed);
    resident.insert(p.resident);
  }
  EXPECT_EQ(variants, (std::set<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(seeds.size(), 4u);
  for (auto const& p : found(2)) {
    bool const again = p.how == sim::schedule::random && seeds.contains(p.schedule_seed);
    EXPECT_FALSE(again) << "another seed, other schedules";
  }
  EXPECT_EQ(*resident.begin(), 1u);
  EXPECT_GT(*resident.rbegin(), 9u) << "all blocks at once";
  e.largest = 300;
  EXPECT_EQ(found(1).at(0).sizes, (sizes{64, 300}));
}

TEST(counters, have_the_name_and_the_value_of_the_emulators) {
  sim::launch_report launch;
  launch.longest_warp = 79, launch.exposed_copy_bytes = 83;
  auto& c = launch.total;
  c = {.steps = 2, .divergent_steps = 3, .shared_wavefronts = 5, .shared_conflicts = 7};
  c.shared_loads = 11, c.shared_stores = 13, c.global_requests = 17, c.sectors_loaded = 19;
  c.sectors_stored = 23, c.global_loads = 29, c.global_stores = 31, c.atomics = 37;
  c.atomic_requests = 41, c.atomic_rounds = 43, c.shuffles = 47, c.votes = 53;
  c.warp_syncs = 59, c.barriers = 61, c.fences = 67, c.applications = 71, c.span = 73;
  std::pair<char const*, std::uint64_t> const values[] = {{"steps", 2},
                                                          {"divergent_steps", 3},
                                                          {"shared_wavefronts", 5},
                                                          {"shared_conflicts", 7},
                                                          {"shared_loads", 11},
                                                          {"shared_stores", 13},
                                                          {"global_requests", 17},
                                                          {"sectors_loaded", 19},
                                                          {"sectors_stored", 23},
                                                          {"global_loads", 29},
                                                          {"global_stores", 31},
                                                          {"atomics", 37},
                                                          {"atomic_requests", 41},
                                                          {"atomic_rounds", 43},
                                                          {"shuffles", 47},
                                                          {"votes", 53},
                                                          {"warp_syncs", 59},
                                                          {"barriers", 61},
                                                          {"fences", 67},
                                                          {"applications", 71},
                                                          {"span", 73},
                                                          {"shared_accesses", 24},
                                                          {"global_accesses", 60},
                                                          {"global_bytes", 32 * 42},
                                                          {"launches", 1},
                                                          {"longest_warp", 79},
                                                          {"exposed_copy_bytes", 83},
                                                          {"global_atomics", 0}};
  std::set<std::string> names;
  for (auto const& [name, value] : values) {
    names.insert(name);
    EXPECT_EQ(counted(name, {&launch, 1}), value) << name;
    sim::launch_report const twice[] = {launch, launch};
    EXPECT_EQ(counted(name, twice), 2 * value) << name;
  }
  auto const& known = counter_names();
  EXPECT_EQ(names, (std::set<std::string>(known.begin(), known.end())));
  EXPECT_EQ(counted("nothing", {&launch, 1}), 0u);
}

/// The verdict on one run of n elements that began, said `line`, and ended if `ends`.
verdict of_one_run(process_request const& p, char const* line, exercise const& e = plain(),
                   std::uint64_t applications = 0) {
  program_outcome got;
  got.report.launches.emplace_back().total.applications = applications;
  got.notes = {{"run\t0", 0}, {line, 1}, {"end", 1}};
  return judge(e, {"c", 1, {p}, nullptr}, p, got, 5);
}

TEST(verdicts, name_the_schedule_and_the_blocks_at_a_time) {
  process_request p{.which = "a", .sizes = {7}, .seed = 1};
  auto const run = [&] { return of_one_run(p, "wrong\t1\t7\tbad\t").run; };
  EXPECT_EQ(run(), "n = 7, a, in order");
  p.how = sim::schedule::round_robin, p.schedule_seed = 3;
  EXPECT_EQ(run(), "n = 7, a, round-robin schedule 3");
  p.how = sim::schedule::random, p.resident = 2;
  EXPECT_EQ(run(), "n = 7, a, random schedule 3, 2 blocks at a time");
  p.how = sim::schedule::adversarial, p.resident = 1;
  EXPECT_EQ(run(), "n = 7, a, adversarial schedule 3, 1 block at a time");
}

TEST(verdicts, compare_floors_from_a_whole_tile_on_where_counts_exist) {
  exercise e = plain();
  e.floors = {{"applications", "all are combined", {-1, 1}}};
  process_request p{.which = "a", .sizes = {64}, .count = true};
  EXPECT_TRUE(of_one_run(p, "", e, 63).passed());
  EXPECT_FALSE(of_one_run(p, "", e, 62).passed());
  p.count = false;
  EXPECT_TRUE(of_one_run(p, "", e, 0).passed());
  p.count = true, p.sizes = {63};
  EXPECT_TRUE(of_one_run(p, "", e, 0).passed());
}

TEST(verdicts, of_programs_that_were_stopped_or_crashed_give_advice) {
  process_request const p{.which = "a", .sizes = {7}};
  program_outcome got;
  auto const said = [&] { return judge(plain(), {"c", 1, {p}, nullptr}, p, got, 2.5); };
  got.failure = "thread 3 of block 0 divides by zero";
  EXPECT_EQ(said().sentence, got.failure);
  EXPECT_EQ(said().advice, "Is there a division by zero, or a call through a null pointer?");
  got.failure = "the program ended with signal 11";
  EXPECT_NE(said().advice.find("look at the host's code"), std::string::npos);
  got.stopped_by_limit = true, got.failure = "stopped at its time limit", got.printed = "\n\n";
  EXPECT_EQ(said().sentence, "the program was stopped after 2.5 s, its time limit");
  EXPECT_NE(said().advice.find("every loop end"), std::string::npos);
  got.failure = "too much memory", got.printed = "a\nb\n\n";
  EXPECT_EQ(said().sentence, "the program was stopped: it used too much memory; it printed: a\nb");
  EXPECT_NE(said().advice.find("How large are the arrays"), std::string::npos);
}

TEST(advice, is_given_on_every_mistake_of_a_student_and_on_lost_updates) {
  std::set<std::string> texts;
  for (int kind = 0; kind <= static_cast<int>(sim::finding_kind::stack_overflow); ++kind)
    texts.insert(advice_on({static_cast<sim::finding_kind>(kind), "x", {}, {}}));
  EXPECT_EQ(texts.count(""), 1u);
  EXPECT_EQ(texts.size(),
            1u + 14);  // all but a broken promise, a trap and a misuse, which explain themselves
  auto const race = advice_on({sim::finding_kind::race_in_block, "x", {}, {}});
  EXPECT_NE(race.find("__syncthreads()"), std::string::npos);
  auto const lost = advice_on({sim::finding_kind::race_in_block, "an atomicAdd() would", {}, {}});
  EXPECT_NE(lost.find("indivisibly"), std::string::npos);
}

TEST(grades, add_points_and_name_the_first_failure) {
  grade g{{plain(), "k.cu"}, {}, {{"a", 2, 2, {}}, {"b", 3, 3, {}}}, 0};
  EXPECT_EQ(g.points(), 5);
  EXPECT_EQ(g.of(), 5);
  EXPECT_TRUE(g.passed());
  EXPECT_EQ(g.failure(), nullptr);
  g.checks.push_back({"c", 0, 4, {"k", "s", {}, {}, {}}});
  g.checks.push_back({"d", 0, 1, {"k", "s", {}, {}, {}}});
  EXPECT_EQ(g.points(), 5);
  EXPECT_EQ(g.of(), 10);
  EXPECT_FALSE(g.passed());
  EXPECT_EQ(g.failure()->title, "c");
}

TEST(compiling, refuses_a_text_without_kernel_or_with_forbidden_words_before_it_compiles) {
  auto const file = std::filesystem::path(testing::TempDir()) / "upsweep_compiled.cu";
  source::module_cache cache;
  auto const said = [&](char const* text) {
    std::ofstream(file) << text;
    return compile({plain(), file.string()}, "no compiler", cache);
  };
  auto const none = said("int f();\n");
  EXPECT_EQ(none.error, "upsweep_compiled.cu has no kernel, a function marked __global__\n");
  EXPECT_TRUE(none.is_allowed);
  EXPECT_FALSE(none.good());
  auto const refused = said("__global__ void k() {}\nint f() { exit(0); }\n");
  EXPECT_EQ(refused.error,
            "upsweep_compiled.cu:2: 'exit' is not allowed: the checker has to run to its end\n");
  EXPECT_FALSE(refused.is_allowed);
  std::filesystem::remove(file);
  EXPECT_THROW(static_cast<void>(compile({plain(), file.string()}, "", cache)), io::io_error);
}

TEST(compiling, names_the_line_that_is_wrong_without_its_folder) {
  namespace fs = std::filesystem;
  fs::path const folder = testing::TempDir(), before = fs::current_path();
  std::string const name = "upsweep_broken.cu";
  std::ofstream(folder / name) << "\n__global__ void k( {\n";
  fs::current_path(folder);
  source::module_cache cache;
  for (auto const& path : {name, (folder / name).string()}) {
    auto const made = compile({plain(), path}, "", cache);
    EXPECT_TRUE(made.is_allowed);
    EXPECT_NE(made.error.find(name + ":2:"), std::string::npos) << made.error;
    EXPECT_EQ(made.error.find((folder / name).string()), std::string::npos) << made.error;
  }
  fs::current_path(before);
  fs::remove(folder / name);
}

TEST(grades, of_a_text_that_is_refused_have_every_check_without_points) {
  auto const file = std::filesystem::path(testing::TempDir()) / "upsweep_refused.cu";
  source::module_cache cache;
  for (auto const& [text, kind] :
       {std::pair{"int f();\n", "does not compile"},
        std::pair{"__global__ void k() {}\nint f() { exit(0); }\n", "not allowed"}}) {
    std::ofstream(file) << text;
    auto const g = grade_submission({plain(), file.string()}, {.compiler = {}, .seed = 3}, cache);
    auto const all = checks_of(plain(), 3);
    ASSERT_EQ(g.checks.size(), all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_EQ(g.checks[i].title, all[i].title);
      EXPECT_EQ(g.checks[i].points, 0);
      EXPECT_EQ(g.checks[i].of, all[i].points);
      EXPECT_EQ(g.checks[i].failure.kind, kind);
      EXPECT_EQ(g.checks[i].failure.sentence, g.compiled.error);
    }
    EXPECT_FALSE(g.passed());
  }
  std::filesystem::remove(file);
}

TEST(restrictions, concern_words_headers_and_macros_but_not_members) {
  exercise e = plain();
  e.checker = "void check_run() { expect(threads); }";
  e.not_allowed = {{"cudaMemcpy*", "it stays"}, {"sort", "write it"}};
  auto const allows = [&](std::string const& text) { return refusal(e, text, "k.cu").empty(); };
  for (auto const* const word :
       {"upsweep_say", "check_run", "check", "_exit", "_Exit", "atexit", "at_quick_exit", "popen",
        "fork", "vfork", "dlopen", "dlsym", "syscall", "constructor", "destructor", "sort",
        "cudaMemcpy", "cudaMemcpyAsync"}) {
    EXPECT_FALSE(allows(std::string("int x = ") + word + ";")) << word;
    EXPECT_FALSE(allows(std::string("#define y ") + word)) << word;
    EXPECT_TRUE(allows(std::string("int x = a.") + word + ", y = b->" + word + ";")) << word;
    EXPECT_TRUE(allows(std::string("int my_") + word + ";")) << word;
  }
  EXPECT_TRUE(allows("int sorted, checks, cudaMem, upsweep, mains;"));
  EXPECT_EQ(refusal(e, "int a;\n\nint fork;", "k.cu"),
            "k.cu:3: 'fork' is not allowed: a solution starts no process");
  for (auto const* const line : {"#include <vector>", "#include  < cmath >", "#include <mma.h>",
                                 "#include <cooperative_groups/reduce.h>", "#define run_it 3"})
    EXPECT_TRUE(allows(line)) << line;
  for (auto const* const line :
       {"#include <thread>", "#include \"vector.h\"", "#define expect(x)", "#undef threads",
        "# define threads 3", "#define a b##c", "#include <cmat>"})
    EXPECT_FALSE(allows(line)) << line;
  EXPECT_EQ(refusal(e, "#define threads 64", "k.cu"),
            "k.cu:1: the checker uses the word 'threads', so a macro may not have this name; write "
            "a constant or a function");
  EXPECT_EQ(refusal(e, "\n#include <thread>", "k.cu"),
            "k.cu:2: a solution may not include 'thread'; CUDA's headers and the common ones of "
            "C++ are allowed");
}

TEST(rules, are_read_with_their_defaults_and_limits) {
  auto const read = [](std::string const& more) {
    return parse_exercise(
        R"({"name": "x", "title": "t", "cases": ["a", "b"], "sizes": [4194304])" + more + "}",
        "here");
  };
  auto const e = read(R"(, "more_sizes": [3], "smallest": 2, "largest": 9, "tile": 1,
      "budgets": [{"title": "b", "counter": "steps", "n": 4194304, "at_most": 5,
                   "at_most_per_element": 0.5, "at_least": 1, "at_least_per_element": 0.25},
                  {"title": "c", "counter": "steps", "n": 1, "case": "b", "points": 9}],
      "points": {"sizes": 4, "hidden": 5, "schedules": 6})");
  EXPECT_EQ(e.more_sizes, sizes{3});
  EXPECT_EQ((sizes{e.smallest, e.largest, e.tile}), (sizes{2, 9, 1}));
  EXPECT_EQ(e.points_sizes * 100 + e.points_hidden * 10 + e.points_schedules, 456);
  ASSERT_EQ(e.budgets.size(), 2u);
  EXPECT_EQ(e.budgets[0].which, "a");
  EXPECT_EQ(e.budgets[0].at_most.at(8), 9u);
  EXPECT_EQ(e.budgets[0].at_least.at(8), 3u);
  EXPECT_EQ(e.budgets[1].which, "b");
  EXPECT_EQ(e.budgets[1].points, 9);
  auto const usual = read("");
  EXPECT_EQ(usual.tile, 128u);
  EXPECT_EQ(usual.points_sizes * 100 + usual.points_hidden * 10 + usual.points_schedules, 123);
  for (auto const* const more :
       {R"(, "sizes": [4194305])", R"(, "tile": 0)", R"(, "color": 1)", R"(, "points": {"x": 1})",
        R"(, "budgets": [{"title": "b", "counter": "steps", "n": 4194305}])",
        R"(, "budgets": [{"title": "b", "counter": "stepz", "n": 1}])",
        R"(, "budgets": [{"title": "b", "counter": "steps", "n": 1, "case": "c"}])",
        R"(, "floors": [{"counter": "steps", "at_most": 1, "why": ""}])"})
    EXPECT_THROW(static_cast<void>(read(more)), io::data_error) << more;
}

}  // namespace
}  // namespace upsweep::lab::grading
