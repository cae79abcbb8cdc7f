/// Parsing of sizes, and the plan stays within the available memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <bench/harness/measure.hpp>
#include <bench/rows/tables.hpp>
#include <cstddef>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::bench {
namespace {

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
  try {
    (void)element_named("f23");
    ADD_FAILURE();
  } catch (std::invalid_argument const& e) {
    EXPECT_STREQ(e.what(),
                 "bench: there is no type 'f23' in the benchmark; choose one of i8, u8, i16, u16, "
                 "i32, u32, i64, u64, f16, bf16, f32, f64, complex_f32, struct16");
  }
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

}  // namespace
}  // namespace upsweep::bench
