/// What a run of the benchmark is asked for, and what it reports.
#include <bench/harness/measure.hpp>
#include <bench/harness/report.hpp>
#include <bench/page/figure.hpp>
#include <bench/rows/tables.hpp>
#include <support/message.hpp>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

// Parsing of sizes, and the plan stays within the available memory.

using sizes = std::vector<std::size_t>;

TEST(bench_sizes, are_exponents_up_to_40_and_counts_above) {
  EXPECT_EQ(sizes_from("4..6"), (sizes{16, 32, 64}));
  EXPECT_EQ(sizes_from("4..10:3"), (sizes{16, 128, 1024}));
  EXPECT_EQ(sizes_from("20,4,1000"), (sizes{16, 1000, 1048576})) << "in order";
  EXPECT_EQ(sizes_from("4,4..5"), (sizes{16, 32})) << "each once";
}

TEST(bench_sizes, that_make_no_sense_are_refused_with_the_text_that_was_given) {
  for (std::string text :
       {"", "x", "4..", "..4", "6..4", "4..99", "0", "-3", "4,,5", "4..6:0", "4..6:x", "1e3"}) {
    try {
      (void)sizes_from(text);
      ADD_FAILURE() << "'" << text << "' was accepted";
    } catch (std::invalid_argument const& e) {
      EXPECT_NE(std::string(e.what()).find(text), std::string::npos) << e.what();
    }
  }
}

TEST(bench_plan, the_whole_table_has_every_row_that_the_goals_name) {
  for (bool quick : {false, true}) {
    auto const rows = whole_table(quick);
    auto has = [&](work const& w, std::size_t n) {
      for (auto const& r : rows)
        if (r.work == w && std::find(r.sizes.begin(), r.sizes.end(), n) != r.sizes.end())
          return true;
      return false;
    };
    for (int e : {4, 10, 16, 18, 20, 24}) {
      EXPECT_TRUE(has({verb::reduce, operation::sum, element::f32}, std::size_t{1} << e))
          << "2^" << e;
      EXPECT_TRUE(has({verb::inclusive_scan, operation::sum, element::f32}, std::size_t{1} << e))
          << "2^" << e;
    }
    EXPECT_TRUE(has({verb::inclusive_scan, operation::sum, element::f64}, 1u << 24));
    EXPECT_TRUE(has({verb::inclusive_scan, operation::affine, element::f32}, 1u << 24));
    EXPECT_TRUE(has({verb::reduce, operation::exact_sum, element::f64}, 1u << 24));
    EXPECT_TRUE(has({verb::inclusive_scan, operation::sum, element::f32, true}, 1u << 24));
  }
}

TEST(bench_plan, leaves_out_what_does_not_fit_and_tells_each_cell_that_does) {
  team t(1);
  competitor const any{"any", "any", role::limit, false, [](work const&, std::size_t) -> timed_run {
                         return [](slots&, std::size_t) { return 1.0; };
                       }};
  std::vector<std::size_t> before, after;
  settings s;
  s.cache_bytes = 1u << 16;
  measure_all(
      short_table({16, 1024, 1u << 20}), {any}, t, s, 1, 1u << 14,
      [&](std::size_t done, std::size_t total, work const&, std::size_t n) {
        EXPECT_EQ(done, before.size());
        EXPECT_EQ(total, 4u);
        before.push_back(n);
        return true;
      },
      [&](cell const& c) { after.push_back(c.n); });
  EXPECT_EQ(before, (std::vector<std::size_t>{16, 1024, 16, 1024}));
  EXPECT_EQ(after, before);
}

TEST(bench_plan, never_asks_for_more_than_a_third_of_the_memory) {
  EXPECT_EQ(largest_footprint(3u << 20), 1u << 20);
  EXPECT_EQ(largest_footprint(std::size_t{64} << 30), std::size_t{2} << 30);
}

TEST(bench_work, names_are_read_back_and_unknown_ones_are_answered_with_a_list) {
  for (operation const op : all_operations) EXPECT_EQ(operation_named(name_of(op)), op);
  for (element const type : all_elements) EXPECT_EQ(element_named(name_of(type)), type);
  EXPECT_EQ(test::message_of<std::invalid_argument>([] { (void)element_named("f23"); }),
            "bench: there is no type 'f23' in the benchmark; choose one of i8, u8, i16, u16, "
            "i32, u32, i64, u64, f16, bf16, f32, f64, complex_f32, struct16");
}

TEST(bench_work, of_the_processor_is_what_its_peers_have) {
  EXPECT_TRUE(is_for_processor({verb::exclusive_scan, operation::max, element::i64}));
  EXPECT_TRUE(is_for_processor({verb::inclusive_scan, operation::affine, element::f32}));
  EXPECT_TRUE(is_for_processor({verb::reduce, operation::exact_sum, element::f64}));
  EXPECT_TRUE(is_for_processor({verb::exclusive_scan, operation::user, element::i32}));
  EXPECT_TRUE(is_for_processor({verb::reduce, operation::squares, element::f32}));
  EXPECT_FALSE(is_for_processor({verb::inclusive_scan, operation::squares, element::f32}));
  EXPECT_FALSE(is_for_processor({verb::reduce, operation::affine, element::f32}));
  EXPECT_FALSE(is_for_processor({verb::inclusive_scan, operation::exact_sum, element::f32}));
  EXPECT_FALSE(is_for_processor({verb::inclusive_scan, operation::affine, element::i32}));
  EXPECT_FALSE(is_for_processor({verb::reduce, operation::product, element::f32}));
  EXPECT_FALSE(is_for_processor({verb::reduce, operation::sum, element::bf16}));
}

TEST(bench_work, with_peers_is_preferred_to_one_by_name) {
  work const sum{verb::inclusive_scan, operation::sum, element::i32};
  EXPECT_EQ(work_for_processor(sum), sum);
  work by_name{verb::inclusive_scan, operation::sum, element::i8};
  auto const found = work_for_processor(by_name);
  by_name.by_name = true;
  ASSERT_EQ(found, by_name);
  EXPECT_EQ(traffic(*found, 1000), 9000u) << "sums of i8 are i64";
  for (work const& missing : {work{verb::exclusive_scan, operation::product, element::f32},
                              work{verb::inclusive_scan, operation::product, element::f32, true},
                              work{verb::reduce, operation_of(catalog::id::gcd), element::f32},
                              work{verb::reduce, operation_of(catalog::id::concat), element::f32},
                              work{verb::reduce, operation_of(catalog::id::first), element::f32},
                              work{verb::reduce, operation_of(catalog::id::last), element::f32}})
    EXPECT_EQ(work_for_processor(missing), std::nullopt) << title_of(missing);
}

TEST(bench_work, has_the_traffic_of_its_elements) {
  EXPECT_EQ(traffic({verb::reduce, operation::sum, element::u8}, 1000), 1000u);
  EXPECT_EQ(traffic({verb::inclusive_scan, operation::affine, element::f64}, 1000), 32000u);
  EXPECT_EQ(traffic({verb::inclusive_scan, operation::join, element::struct16}, 1000), 32000u);
  EXPECT_EQ(footprint({verb::inclusive_scan, operation::sum, element::bf16, true}, 1000), 2000u);
}

// The JSON of a run has every round, and the page contains it unchanged.

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
