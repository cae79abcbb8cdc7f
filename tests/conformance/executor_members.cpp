/// The optional members of an executor: each is asked for by its signature, and an executor with
/// none of them runs every verb but cumulative_distribution, with the same bits.
#include <conformance/mutants.hpp>
#include <support/bits.hpp>
#include <support/varied.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/order_statistics.hpp>
#include <upsweep/sort.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using five = model<right>;

/// Every optional member, by the signatures of executor.hpp.
struct every_member : five {
  void reduce_segments(auto const&, auto const&, std::size_t, auto const&) const {}
  template <scan_kind>
  void scan_segments(auto const&, auto const&, std::size_t, auto const&) const {}
  std::size_t reduce_runs(auto const&, auto const&, auto const&, auto const&, std::size_t) const {
    return 0;
  }
  template <scan_kind>
  void scan_runs(auto const&, auto const&, auto const&, auto const&) const {}
  template <class A>
  void windows(auto const&, auto const&, std::size_t, std::size_t, auto const&, A const*) const {}
  void histogram(auto const&, std::size_t, auto const&, std::size_t, auto const&,
                 auto const&) const {}
  void count_indices(auto const&, std::size_t, auto const&, std::size_t) const {}
  void weighted_histogram(auto const&, auto const&, std::size_t, auto const&, std::size_t,
                          auto const&, auto const&, auto const&) const {}
  void sort(auto*, std::size_t, auto const&) const {}
  template <class A>
  bool reduce_lines(auto const&, bool, auto const&, A const*) const {
    return true;
  }
  template <scan_kind, class A>
  bool scan_lines(auto const&, bool, auto const&, A const*, A const*) const {
    return true;
  }
  void summed_area_table(auto const&, auto const&) const {}
  template <class T>
  void resize_rows(auto const&, std::size_t, std::size_t, std::size_t, T const*) const {}
  template <class... Outputs>
  detail::selected_counts<sizeof...(Outputs)> select(auto const&, std::size_t,
                                                     Outputs const&...) const {
    return {};
  }
  void cumulative_distribution(auto const&, auto const&) const {}
  template <class A>
  void expect_accepted(auto const&, A const&, A const*) const {}
  void sort_numbers(auto const*, std::size_t, auto*, auto) const {}
  void sort_pairs(auto const&, std::size_t) const {}
  int width(std::size_t) const { return 3; }
  void in_rounds(std::size_t, std::size_t, auto const&) const {}
  struct kernels {
    static void add(auto const*, std::size_t, std::size_t, std::size_t, auto*, auto*) {}
    static bool offsets_ascend(auto const*, std::size_t, std::size_t) { return true; }
    static void order(auto const*, std::size_t, auto*, auto) {}
    static void find_even_bins(auto const*, std::size_t, detail::even_line const&, std::uint32_t*) {
    }
    template <class Source>
    static void sum_segments(Source const&, std::size_t, std::uint32_t const*, std::size_t,
                             typename Source::accumulator*) {}
    template <scan_kind>
    static void scan_segments(auto const&, std::size_t, std::uint32_t const*, std::size_t,
                              auto const&) {}
  };
};

using numbers = source<float const*, detail::as_is, plus, false>;
using sums = call<numbers, plus>;
using to = sink<float*, plus, false>;
using counts = detail::selected_counts<1>;
using marks = detail::marks_of_runs<float const*, same>;
using output = detail::value_output<float const*, float*>;
constexpr auto inclusive = scan_kind::inclusive;

/// Which of the members `E` has, in the order of the table in executor.hpp.
template <class E>
std::vector<bool> members() {
  using namespace detail;
  using bins = even_levels;
  using lines = line_matrices<float const, float>;
  return {has_segments<E, sums, std::size_t const*, to>,
          has_run_reductions<E, int, float*, sums, to>,
          has_run_scans<E, inclusive, int, float const*, sums, to>,
          has_windows<E, numbers, to, plus, float>,
          has_histogram<E, float const*, std::uint64_t*, bins, histogram_options>,
          has_count_indices<E, int const*, std::uint64_t*>,
          has_weighted_histogram<E, float const*, float const*, to, bins, plus, histogram_options>,
          has_sort<E, ascending>,
          has_number_sort<E, key_map<std::uint64_t>>,
          has_pair_sort<E, keyed_blocks<std::uint64_t>>,
          has_line_reductions<E, lines, plus, float>,
          has_line_scans<E, inclusive, lines, plus, float>,
          has_summed_area<E, matrices<float const>, matrices<float>>,
          has_resize_rows<E, float*, float>,
          has_select<E, counts, marks, output>,
          has_distribution<E, sums, to>,
          has_expect_accepted<
              E, call<source<float const*, detail::as_is, checked_plus<>, false>, checked_plus<>>>,
          threads_for(E{}, 1000) == 3,
          has_window_kernels<E>,
          has_ascending_offsets<E, std::uint64_t const*>,
          has_segment_sums<E, numbers>,
          has_segment_scans<E, inclusive, sums, to>,
          has_even_bins<E, even_line>};
}

TEST(executor_members, are_found_by_their_signatures) {
  auto const all = members<every_member>();
  for (std::size_t k = 0; k < all.size(); ++k) EXPECT_TRUE(all[k]) << "row " << k;
  auto const none = members<five>();
  for (std::size_t k = 0; k < none.size(); ++k) EXPECT_FALSE(none[k]) << "row " << k;
}

TEST(executor_members, are_these_of_each_executor) {
  // Whole verbs, then threads and kernels.
  std::vector<bool> const processor{false, false, false, false, false, false, false, false,
                                    true,  true,  false, false, false, false, true,  true,
                                    false, false, true,  true,  true,  true,  true};
  EXPECT_EQ(members<serial>(), processor);
  EXPECT_EQ(members<cpu>(), processor);
  // Without nvcc; select compiles there for what the library has only, and is not asked here.
  static_assert(detail::has_segments<gpu, sums, std::size_t const*, to>);
  static_assert(detail::has_histogram<gpu, float const*, std::uint64_t*, detail::even_levels,
                                      histogram_options>);
  static_assert(detail::has_sort<gpu, ascending>);
  static_assert(detail::has_resize_rows<gpu, float*, float>);
}

/// Sizes around those of blocks, and a few runs, segments and bins.
class five_members : public testing::TestWithParam<std::size_t> {
 protected:
  std::size_t const n = GetParam();
  std::vector<float> const x = floats(n);
  std::vector<int> const keys = [this] {
    std::vector<int> k(n);
    for (std::size_t i = 0; i < n; ++i) k[i] = static_cast<int>(i * i / 7 % 5);
    return k;
  }();
  five const on{};

  /// f(executor, output) on both; the outputs have `size` elements.
  template <class T, class F>
  void expect_same(std::size_t size, F const& f) const {
    std::vector<T> a(size), b(size);
    f(on, a);
    f(serial{}, b);
    for (std::size_t i = 0; i < size; ++i) ASSERT_TRUE(same_bits(a[i], b[i])) << i;
  }

 private:
  static std::vector<float> floats(std::size_t n) {
    std::vector<float> x(n);
    std::uint32_t state = 12345;
    for (auto& v : x) {
      state = state * 1664525 + 1013904223;
      v = static_cast<float>(static_cast<std::int32_t>(state)) * 0x1p-24f;
    }
    return x;
  }
};

TEST_P(five_members, segments_and_runs) {
  std::vector<std::size_t> const offsets{0, n / 7, n / 7, n / 2, n};
  expect_same<float>(4, [&](auto e, auto& out) { reduce_segments(e, x, offsets, out); });
  expect_same<float>(n, [&](auto e, auto& out) { inclusive_scan_segments(e, x, offsets, out); });
  expect_same<float>(n, [&](auto e, auto& out) { exclusive_scan_segments(e, x, offsets, out); });
  std::vector<int> found(n);
  expect_same<float>(n, [&](auto e, auto& out) {
    out.resize(reduce_runs(e, keys, x, found, out));
    out.resize(n);
  });
  expect_same<float>(n, [&](auto e, auto& out) { inclusive_scan_runs(e, keys, x, out); });
  expect_same<float>(n, [&](auto e, auto& out) { exclusive_scan_runs(e, keys, x, out); });
}

TEST_P(five_members, windows_and_rows) {
  for (std::size_t width : {std::size_t{1}, std::size_t{5}, n / 2 + 1})
    expect_same<float>(n < width ? 0 : n - width + 1,
                       [&](auto e, auto& out) { windowed(e, x, width, out); });
  expect_same<float>(n * 3, [&](auto e, auto& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i];
    pad(e, out, n, 1, 3, 2.5f);
  });
}

TEST_P(five_members, histograms) {
  even const bins{-64, 64};
  expect_same<std::uint64_t>(10, [&](auto e, auto& out) { histogram(e, x, out, bins); });
  expect_same<float>(10, [&](auto e, auto& out) { weighted_histogram(e, x, x, out, bins); });
  expect_same<std::int64_t>(10,
                            [&](auto e, auto& out) { weighted_histogram(e, x, keys, out, bins); });
  expect_same<std::uint64_t>(5, [&](auto e, auto& out) { count_indices(e, keys, out); });
}

TEST_P(five_members, sorts) {
  auto const sorted = [&](auto e, auto& out) {
    for (std::size_t i = 0; i < n; ++i) out[i] = x[i];
    sort(e, out);
  };
  expect_same<float>(n, sorted);
  expect_same<int>(n, [&](auto e, auto& out) {
    out = keys;
    std::vector<int> order(n);
    std::iota(order.begin(), order.end(), 0);
    sort_by_key(e, out, order, descending{});
    out = order;
  });
  expect_same<std::uint32_t>(n, [&](auto e, auto& out) { argsort(e, x, out); });
  expect_same<float>(n / 3, [&](auto e, auto& out) { top(e, x, out); });
  if (n > 0) {
    EXPECT_EQ(quantile(on, x, 0.3), quantile(serial{}, x, 0.3));
  }
  std::vector<std::string> words;
  for (float v : x) words.push_back(std::to_string(v));
  auto others = words;
  sort(on, words);
  sort(serial{}, others);
  EXPECT_EQ(words, others);
}

TEST_P(five_members, selections) {
  auto const positive = [](float v) { return v > 0; };
  expect_same<float>(n, [&](auto e, auto& out) { select(e, x, out, positive); });
  expect_same<float>(n, [&](auto e, auto& out) {
    std::vector<float> rest(n);
    partition(e, x, out, rest, positive);
    for (std::size_t i = 0; i < n; ++i) out[i] += 3 * rest[i];
  });
  expect_same<int>(n, [&](auto e, auto& out) {
    out = keys;  // in place
    out.resize(unique(e, out, out));
    out.resize(n);
  });
  expect_same<std::uint32_t>(n, [&](auto e, auto& out) {
    std::vector<int> values(n);
    runs(e, keys, values, out);
  });
}

INSTANTIATE_TEST_SUITE_P(sizes, five_members, testing::Values(0, 1, 2, 31, 257, 4099, 70'001));

}  // namespace
}  // namespace upsweep::test
