/// The checks of the verbs on scan pass on right executors and fail on wrong ones.
#include <conformance/backends.hpp>
#include <conformance/by_key_contract.hpp>
#include <conformance/histogram_contract.hpp>
#include <conformance/padding_contract.hpp>
#include <conformance/segments_contract.hpp>
#include <conformance/selection_contract.hpp>
#include <conformance/sorting_contract.hpp>
#include <conformance/verb_mutants.hpp>
#include <conformance/weighted_histogram_contract.hpp>
#include <conformance/windowed_contract.hpp>

#include <gtest/gtest-spi.h>

#include <cstdint>
#include <exception>

namespace upsweep::test {

// The suites themselves run elsewhere; here their checks are called one by one.
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(by_key_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(histogram_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(padding_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(segments_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(selection_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(sorting_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(weighted_histogram_contract);
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(windowed_contract);

namespace {

/// Whether `check` reports a failure, which is then none of the test that asks, or throws.
template <class F>
bool fails(F const& check) {
  testing::TestPartResultArray results;
  try {
    testing::ScopedFakeTestPartResultReporter const here(&results);
    check();
  } catch (std::exception const&) {
    return true;
  }
  for (int i = 0; i < results.size(); ++i)
    if (results.GetTestPartResult(i).failed()) return true;
  return false;
}

template <class Defect>
bool fails_selections() {
  return fails([] {
    expect_selection(selecting<Defect>{}, few_values<std::int32_t>(100'001), less_than<int>{3});
  });
}
template <class Defect>
bool fails_three_parts() {
  return fails([] { expect_three_parts(selecting<Defect>{}, 100'001); });
}
/// Runs of 7, and of 8, which begin where tiles do.
template <class Defect>
bool fails_runs() {
  return fails([] {
    for (int const length : {7, 8})
      expect_runs(selecting<Defect>{}, keys_by(9'001, [&](std::size_t) { return length; }), same{});
  });
}
template <class Defect>
bool fails_by_key() {
  return fails([] {
    for (int const length : {7, 8})
      expect_by_key<float>(selecting<Defect>{}, keys_by(9'001, [&](std::size_t) { return length; }),
                           uneven_numbers<float>(9'001), plus{});
  });
}
template <class Defect>
bool fails_to_call_once() {
  return fails([] { expect_each_called_once(selecting<Defect>{}, 10); });
}
template <class Defect>
bool fails_to_throw() {
  return fails([] { expect_first_exception(selecting<Defect>{}, 10, 5); });
}
template <class Defect>
bool fails_sorts() {
  return fails([] {
    for (auto const& x : samples<float>(5'000)) expect_sorted(sorting<Defect>{}, x);
  });
}
template <class Defect>
bool fails_top() {
  std::vector<std::pair<int, int>> x;
  for (int i = 0; i < 300; ++i) x.emplace_back(i * 7919 % 301, i);
  return fails([&] { expect_top(sorting<Defect>{}, x); });
}
template <class Defect>
bool fails_quantiles() {
  std::vector<float> x{3, 1, 2, 4};
  return fails([&] { EXPECT_EQ(upsweep::quantile(sorting<Defect>{}, x, 0.5), 2.5); });
}
template <class Defect>
bool fails_histograms() {
  std::vector<double> borders;
  for (int b = 0; b <= 10; ++b) borders.push_back(b / 10.0);
  return fails([&] {
    expect_histogram(counting<Defect>{}, numbers_around<double>(borders, 3'001), borders, borders);
  });
}
template <class Defect>
bool fails_weighted_histograms() {
  return fails([] {
    for (std::size_t n = 3'001; n < 3'011; ++n)
      expect_weighted<float>(counting<Defect>{}, uneven_numbers<float>(n), 10, plus{});
  });
}
template <class Defect>
bool fails_index_counts() {
  return fails([] { expect_index_counts<int>(counting<Defect>{}, 3'001); });
}
template <class Defect>
bool fails_segments() {
  return fails([] {
    for (auto const& offsets : shapes(3'001))
      expect_segments<float>(in_segments<Defect>{}, uneven_numbers<float>(3'001), offsets, plus{});
  });
}
template <class Defect>
bool fails_windows() {
  return fails([] {
    expect_windows<float>(with_memory<Defect>{}, uneven_numbers<float>(1'001), 29, plus{});
  });
}
template <class Defect>
bool fails_padding() {
  return fails([] { expect_padding<std::uint16_t>(with_memory<Defect>{}, 17, 7, 9); });
}

TEST(verb_mutants, right_executors_pass_every_check) {
  EXPECT_FALSE(fails_selections<none>());
  EXPECT_FALSE(fails_three_parts<none>());
  EXPECT_FALSE(fails_runs<none>());
  EXPECT_FALSE(fails_by_key<none>());
  EXPECT_FALSE(fails_to_call_once<none>());
  EXPECT_FALSE(fails_to_throw<none>());
  EXPECT_FALSE(fails_sorts<none>());
  EXPECT_FALSE(fails_top<none>());
  EXPECT_FALSE(fails_quantiles<none>());
  EXPECT_FALSE(fails_histograms<none>());
  EXPECT_FALSE(fails_weighted_histograms<none>());
  EXPECT_FALSE(fails_index_counts<none>());
  EXPECT_FALSE(fails_segments<none>());
  EXPECT_FALSE(fails_windows<none>());
  EXPECT_FALSE(fails_padding<none>());
}

TEST(verb_mutants, selections_that_lose_move_or_add_elements_are_caught) {
  EXPECT_TRUE(fails_selections<last_lost>());
  EXPECT_TRUE(fails_selections<order_lost>());
  EXPECT_TRUE(fails_selections<one_too_many>());
  EXPECT_TRUE(fails_selections<tile_begins_run>());
  EXPECT_TRUE(fails_selections<tile_begins_late>());
  EXPECT_TRUE(fails_three_parts<last_lost>());
  EXPECT_TRUE(fails_three_parts<order_lost>());
  EXPECT_TRUE(fails_three_parts<tile_begins_late>());
}

TEST(verb_mutants, runs_that_are_lost_divided_or_joined_are_caught) {
  EXPECT_TRUE(fails_runs<last_lost>());
  EXPECT_TRUE(fails_runs<order_lost>());
  EXPECT_TRUE(fails_runs<tile_begins_run>());
  EXPECT_TRUE(fails_runs<tile_begins_late>());
  EXPECT_TRUE(fails_by_key<last_lost>());
  EXPECT_TRUE(fails_by_key<tile_begins_run>());
  EXPECT_TRUE(fails_by_key<tile_begins_late>());
}

TEST(verb_mutants, predicates_called_twice_and_lost_exceptions_are_caught) {
  EXPECT_TRUE(fails_to_call_once<calls_twice>());
  EXPECT_TRUE(fails_to_throw<marks_backwards>());
  EXPECT_TRUE(fails_to_throw<exception_lost>());
}

TEST(verb_mutants, elements_in_a_wrong_order_are_caught) {
  EXPECT_TRUE(fails_sorts<unstable>());
  EXPECT_TRUE(fails_sorts<last_unsorted>());
  EXPECT_TRUE(fails_sorts<nan_first>());
  EXPECT_TRUE(fails_top<last_unsorted>());
  EXPECT_TRUE(fails_quantiles<last_unsorted>());
}

TEST(verb_mutants, elements_in_wrong_bins_are_caught) {
  EXPECT_TRUE(fails_histograms<border_below>());
  EXPECT_TRUE(fails_histograms<nan_above>());
  EXPECT_TRUE(fails_histograms<quotient_decides>());
  EXPECT_TRUE(fails_histograms<last_not_stored>());
  EXPECT_TRUE(fails_weighted_histograms<border_below>());
  EXPECT_TRUE(fails_weighted_histograms<nan_above>());
  EXPECT_TRUE(fails_weighted_histograms<last_not_stored>());
  EXPECT_TRUE(fails_weighted_histograms<not_anchored>());
  EXPECT_TRUE(fails_weighted_histograms<by_a_loop>());
  EXPECT_TRUE(fails_index_counts<last_not_stored>());
  EXPECT_TRUE(fails_index_counts<stored_before_checked>());
}

TEST(verb_mutants, results_of_another_grouping_or_place_are_caught) {
  EXPECT_TRUE(fails_segments<not_anchored>());
  EXPECT_TRUE(fails_segments<by_a_loop>());
  EXPECT_TRUE(fails_segments<empty_not_stored>());
  EXPECT_TRUE(fails_segments<last_not_stored>());
  EXPECT_TRUE(fails_windows<not_anchored>());
  EXPECT_TRUE(fails_windows<by_a_loop>());
  EXPECT_TRUE(fails_windows<last_not_stored>());
}

TEST(verb_mutants, rows_that_overwrite_others_are_caught) {
  EXPECT_TRUE(fails_padding<rows_overwritten>());
  EXPECT_TRUE(fails_padding<last_row_not_filled>());
}

}  // namespace
}  // namespace upsweep::test
