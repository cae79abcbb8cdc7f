/// The JSON of a run has every round, and the page contains it unchanged.
#include <gtest/gtest.h>

#include <bench/harness/report.hpp>
#include <bench/page/figure.hpp>
#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

run sample_run() {
  run r;
  r.date = "2026-01-02T03:04:05Z";
  r.command = "upsweep bench </script> \"quoted\"";
  r.where = this_machine();
  r.what = this_build();
  r.threads = 2;
  r.competitors = {{"upsweep", "Upsweep", role::upsweep, false, {}},
                   {"read", "read loop", role::limit, false, {}}};
  r.absent = {{"numpy", "not there"}};
  cell c{{verb::reduce, operation::sum, element::f64}, 1024, false};
  c.all = {{"upsweep", role::upsweep, 10, {1.23456e-6, 2e-6}},
           {"read", role::limit, 12, {1e-6, 1e-6}}};
  r.cells = {c, {{verb::inclusive_scan, operation::affine, element::f32, true}, 1u << 24, true}};
  return r;
}

TEST(bench_report, is_json_with_every_round_of_every_competitor) {
  auto const j = nlohmann::json::parse(as_json(sample_run()));
  EXPECT_EQ(j.at("format"), report_format);
  EXPECT_EQ(j.at("date"), "2026-01-02T03:04:05Z");
  EXPECT_EQ(j.at("threads"), 2);
  EXPECT_EQ(j.at("competitors").at(1).at("role"), "limit");
  EXPECT_EQ(j.at("absent").at(0).at("name"), "numpy");
  auto const& c = j.at("cells").at(0);
  EXPECT_EQ(c.at("verb"), "reduce");
  EXPECT_EQ(c.at("op"), "sum");
  EXPECT_EQ(c.at("type"), "f64");
  EXPECT_EQ(c.at("in_place"), false);
  EXPECT_EQ(c.at("n"), 1024);
  EXPECT_EQ(c.at("cold"), false);
  EXPECT_EQ(c.at("traffic"), 8192);
  auto const& first = c.at("all").at(0);
  EXPECT_EQ(first.at("name"), "upsweep");
  EXPECT_EQ(first.at("correct"), true);
  EXPECT_EQ(first.at("repeats"), 10);
  EXPECT_EQ(first.at("seconds"), (std::vector<double>{1.235e-6, 2e-6}))
      << "four significant digits";
  EXPECT_EQ(j.at("cells").at(1).at("all").size(), 0u);
  EXPECT_EQ(j.at("cells").at(1).at("traffic"), std::size_t{1} << 28);
  for (char const* key : {"gpu", "skipped", "by_threads"}) EXPECT_FALSE(j.contains(key)) << key;
  EXPECT_FALSE(c.contains("launch"));
}

TEST(bench_report, has_comparisons_of_numbers_of_threads_apart_from_the_cells) {
  run r = sample_run();
  r.by_threads = {
      {{verb::reduce, operation::sum, element::f32},
       1024,
       false,
       {{"read", role::limit, 5, {1e-6}, {}, 1}, {"read", role::limit, 5, {2e-6}, {}, 4}}}};
  auto const j = nlohmann::json::parse(as_json(r));
  EXPECT_EQ(j.at("cells").size(), 2u);
  EXPECT_FALSE(j.at("cells").at(0).at("all").at(0).contains("threads"));
  auto const& all = j.at("by_threads").at(0).at("all");
  EXPECT_EQ(all.at(0).at("threads"), 1);
  EXPECT_EQ(all.at(1).at("threads"), 4);
  EXPECT_EQ(all.at(1).at("seconds"), (std::vector<double>{2e-6}));
}

TEST(bench_report, of_a_gpu_says_which_how_calls_were_launched_and_what_is_missing) {
  run r = sample_run();
  r.gpu = gpu_description{0, "Sample GPU", 90, 132, 1u << 30, 1u << 25, "13.0", "580.1"};
  work const w{verb::reduce, operation::join, element::struct16};
  r.skipped = {{{w, 4096}, "no memory"}};
  r.cells = {{w, 1024, true, {{"upsweep", role::upsweep, 1, {}, "the total is wrong"}}, "graph"}};
  auto const j = nlohmann::json::parse(as_json(r));
  EXPECT_EQ(j.at("gpu").at("name"), "Sample GPU");
  EXPECT_EQ(j.at("gpu").at("capability"), 90);
  EXPECT_EQ(j.at("gpu").at("driver"), "580.1");
  auto const& skipped = j.at("skipped").at(0);
  EXPECT_EQ(skipped.at("type"), "struct16");
  EXPECT_EQ(skipped.at("n"), 4096);
  EXPECT_EQ(skipped.at("reason"), "no memory");
  auto const& c = j.at("cells").at(0);
  EXPECT_EQ(c.at("launch"), "graph");
  EXPECT_EQ(c.at("all").at(0).at("correct"), false);
  EXPECT_EQ(c.at("all").at(0).at("difference"), "the total is wrong");
}

TEST(bench_report, says_what_the_machine_and_the_build_are) {
  auto const j = nlohmann::json::parse(as_json(sample_run()));
  auto const& m = j.at("machine");
  EXPECT_GE(m.at("online"), m.at("affinity"));
  EXPECT_GE(m.at("affinity"), m.at("threads"));
  EXPECT_GE(m.at("threads"), 1);
  EXPECT_GT(m.at("memory"), std::size_t{1} << 20);
  EXPECT_FALSE(m.at("simd").get<std::string>().empty());
  for (char const* key : {"version", "revision", "compiler", "type", "flags", "peer_flags"})
    EXPECT_TRUE(j.at("build").contains(key)) << key;
}

TEST(bench_page, contains_the_library_the_program_and_the_report_and_nothing_from_elsewhere) {
  std::string const page = figure(as_json(sample_run()));
  EXPECT_NE(page.find("Chart.js v3.9.1"), std::string::npos);
  EXPECT_NE(page.find("Okabe"), std::string::npos);
  EXPECT_NE(page.find("upsweep bench \\u003c/script>"), std::string::npos)
      << "a report cannot close its script element";
  for (char const* mark :
       {"/*{chart.js}*/", "/*{figure.js}*/", "{report}", "src=", "<link", "@import"})
    EXPECT_EQ(page.find(mark), std::string::npos) << mark;
}

}  // namespace
}  // namespace upsweep::bench
