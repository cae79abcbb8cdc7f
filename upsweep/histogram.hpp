/// histogram, weighted_histogram and count_indices: how many elements lie in each bin.
#pragma once

#include <upsweep/scan.hpp>
#include <upsweep/segments.hpp>
#include <upsweep/sort.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

namespace upsweep {

/// Bins of equal width from `low` to `high`. Border b of k bins is low + b * ((high - low) / k),
/// the last one `high`, as numpy.linspace computes them.
struct even {
  double low, high;
};

struct histogram_options {
  bool closed_right = false;  ///< the last bin includes its upper border, as numpy.histogram's does
};

/// The elements that lie in no bin.
struct outside_counts {
  std::size_t below = 0, above = 0, nan = 0;
  friend bool operator==(outside_counts const&, outside_counts const&) = default;
};

namespace detail {

/// Finds how many of the borders an element has reached. Borders are kept in a type that holds
/// every element exactly: double, or integers of 64 bits, of which those that no element can reach
/// are left out.
template <class T>
class bin_search {
 public:
  using border = std::conditional_t<is_float<T>, double,
                                    std::conditional_t<has_sign<T>, std::int64_t, std::uint64_t>>;

  bin_search(std::vector<double> const& levels, bool closed_right) {
    for (std::size_t b = 0; b < levels.size(); ++b) {
      bool const includes = closed_right && b + 1 == levels.size();
      if constexpr (is_float<T>) {
        if (includes && levels[b] == infinity) break;
        borders_.push_back(includes ? std::nextafter(levels[b], infinity) : levels[b]);
      } else {
        double const first = includes ? std::floor(levels[b]) + 1 : std::ceil(levels[b]);
        if (first >= above_all) break;
        borders_.push_back(first > static_cast<double>(least) ? static_cast<border>(first) : least);
      }
    }
  }

  /// By the borders of `even`, a guess tells where to search.
  void expect_even(double low, double high, std::size_t bins) {
    low_ = low;
    scale_ = static_cast<double>(bins) / (high - low);
    guesses_ = true;
  }

  /// 0 for elements below the bins, b + 1 in bin b, `bins` + 1 above.
  [[nodiscard]] std::size_t reached_by(T value) const {
    auto const x = static_cast<border>(value);
    std::size_t const most = borders_.size();
    if (!guesses_) return by_bisection(x);
    double const guess = (static_cast<double>(x) - low_) * scale_ + 1;
    double const last = static_cast<double>(most);
    auto reached = static_cast<std::size_t>(guess > 0 ? (guess < last ? guess : last) : 0);
    while (reached > 0 && borders_[reached - 1] > x) --reached;
    while (reached < most && borders_[reached] <= x) ++reached;
    return reached;
  }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr border least = std::numeric_limits<border>::lowest();
  /// The smallest double above all integers of type `border`.
  static constexpr double above_all = std::is_signed_v<border> ? 0x1p63 : 0x1p64;

  [[nodiscard]] std::size_t by_bisection(border x) const {
    border const* first = borders_.data();
    std::size_t left = borders_.size();
    while (left > 0) {
      std::size_t const half = (left + 1) / 2;
      first += half * static_cast<std::size_t>(first[half - 1] <= x);
      left -= half;
    }
    return static_cast<std::size_t>(first - borders_.data());
  }

  std::vector<border> borders_;
  double low_ = 0, scale_ = 0;
  bool guesses_ = false;
};

/// Counts of the indices 0, 1, ... bins - 1 in one share of the elements. Four tables, if they are
/// small, so that equal indices in a row do not wait for each other.
class share_counts {
 public:
  static constexpr std::size_t block = 256;

  explicit share_counts(std::size_t bins)
      : bins_(bins), tables_(bins <= 4096 ? 4 : 1), counts_(new std::uint32_t[tables_ * bins]()) {}

  /// Counts the indices of a block of n.
  void add(std::uint32_t const* indices, std::size_t n) {
    bool same = n == block;
    for (std::size_t i = 0; i < block && same; i += 32) {
      std::uint32_t difference = 0;
      for (std::size_t j = 0; j < 32; ++j) difference |= indices[i + j] ^ indices[0];
      same = difference == 0;
    }
    if (same) {
      counts_[indices[0]] += block;
      return;
    }
    std::uint32_t* const first = counts_.get();
    std::size_t const next = tables_ == 4 ? bins_ : 0;
    std::size_t i = 0;
    for (; i + 4 <= n; i += 4)
      for (std::size_t j = 0; j < 4; ++j) ++first[j * next + indices[i + j]];
    for (; i < n; ++i) ++first[indices[i]];
  }
  [[nodiscard]] std::size_t of(std::size_t index) const {
    std::size_t sum = 0;
    for (std::size_t t = 0; t < tables_; ++t) sum += counts_[t * bins_ + index];
    return sum;
  }

 private:
  std::size_t bins_, tables_;
  std::unique_ptr<std::uint32_t[]> counts_;
};

/// counts[b] = how often index_of(i) is b, for i < n and b < `bins`.
template <class E, class Index>
std::vector<std::size_t> counts_of(E const& on, std::size_t n, std::size_t bins,
                                   Index const& index_of) {
  constexpr std::size_t most = std::size_t{1} << 31;  // elements of a share, for counts of 32 bits
  auto const threads = static_cast<std::size_t>(on.width(n));
  std::size_t const worth_sharing = at_most(2 * threads, n / (4 * bins + 4096) + 1),
                    shares = threads == 1 ? n / most + 1 : worth_sharing + n / most;
  std::vector<std::unique_ptr<share_counts>> parts(shares);
  on.for_each_line(shares, n / shares, [&](std::size_t share, auto const&) {
    auto mine = std::make_unique<share_counts>(bins);
    auto const begin = [&](std::size_t s) { return n / shares * s + at_most(s, n % shares); };
    std::uint32_t indices[share_counts::block];
    for (std::size_t i = begin(share), end = begin(share + 1); i < end;) {
      std::size_t const size = at_most(share_counts::block, end - i);
      for (std::size_t j = 0; j < size; ++j)
        indices[j] = static_cast<std::uint32_t>(index_of(i + j));
      mine->add(indices, size);
      i += size;
    }
    parts[share] = std::move(mine);
  });
  std::vector<std::size_t> counts(bins);
  for_each_part(on, bins, [&](std::size_t begin, std::size_t end) {
    for (auto const& part : parts)
      for (std::size_t b = begin; b < end; ++b) counts[b] += part->of(b);
  });
  return counts;
}

/// The same for bytes: index_of_value(v) is the index of all bytes that are v.
template <class E, class T, class Index>
std::vector<std::size_t> counts_of_bytes(E const& on, T const* x, std::size_t n, std::size_t bins,
                                         Index const& index_of_value) {
  auto const byte_at = [x](std::size_t i) { return std::bit_cast<std::uint8_t>(x[i]); };
  auto const of_values = counts_of(on, n, 256, byte_at);
  std::vector<std::size_t> counts(bins);
  for (std::size_t v = 0; v < 256; ++v)
    if (of_values[v] > 0)
      counts[index_of_value(std::bit_cast<T>(static_cast<std::uint8_t>(v)))] += of_values[v];
  return counts;
}

/// Stores counts[0 .. size) in `out`, if all of them fit its integers.
template <class Out>
void store_counts(char const* verb, std::size_t const* counts, Out& out) {
  using T = std::ranges::range_value_t<Out>;
  static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool>,
                "upsweep: counts are stored in an output of integers");
  std::size_t const size = std::ranges::size(out);
  for (std::size_t b = 0; b < size; ++b)
    if (counts[b] > static_cast<std::uintmax_t>(std::numeric_limits<T>::max()))
      fail_count(verb, counts[b], b, 8 * sizeof(T));
  auto to = std::ranges::begin(out);
  for (std::size_t b = 0; b < size; ++b, ++to) *to = static_cast<T>(counts[b]);
}

/// The borders of `bins` even bins, or those of a range.
inline std::vector<double> levels_of(even const& e, std::size_t bins) {
  double const width = e.high - e.low;
  expects(e.low < e.high && std::isfinite(width),
          "histogram: the upper end of the bins must be above the lower, and both finite");
  std::vector<double> levels;
  for (std::size_t b = 0; b < bins; ++b)
    levels.push_back(e.low + static_cast<double>(b) * (width / static_cast<double>(bins)));
  levels.push_back(e.high);
  return levels;
}
template <elements Levels>
std::vector<double> levels_of(Levels const& given, std::size_t bins) {
  if (std::ranges::size(given) != bins + 1)
    fail("histogram: there are %zu levels, but %zu bins have one more level than bins",
         std::ranges::size(given), bins);
  std::vector<double> levels;
  for (std::size_t b = 0; b <= bins; ++b)
    levels.push_back(static_cast<double>(element_at(first_of(given), b)));
  return levels;
}

/// Where the elements of `x` lie: 0 below the bins, b + 1 in bin b, bins + 1 above, bins + 2 NaN.
template <class T, class Bins>
auto index_search(Bins const& given, std::size_t bins, histogram_options const& o) {
  static_assert(number_key<T> && !std::is_same_v<T, bool>,
                "upsweep: histogram takes numbers of at most 8 bytes");
  auto const levels = levels_of(given, bins);
  for (std::size_t b = 0; b < bins; ++b)
    if (!(levels[b] < levels[b + 1]))
      fail("histogram: level %zu of %zu is not above the one in front of it", b + 1, bins + 1);
  bin_search<T> search(levels, o.closed_right);
  if constexpr (std::is_same_v<Bins, even>) search.expect_even(given.low, given.high, bins);
  return [search = std::move(search), bins](T x) -> std::size_t {
    if constexpr (is_float<T>)
      if (x != x) return bins + 2;
    return search.reached_by(x);
  };
}

template <class Bins>
concept bins_of_numbers = std::is_same_v<Bins, even> || elements<Bins>;

inline void expect_bins(std::size_t bins) {
  expects(bins > 0, "histogram: there are no bins; the output has one element for each");
  expects(bins < std::size_t{1} << 31, "histogram: at most 2147483647 bins are supported");
}

}  // namespace detail

/// Stores in counts[b] how many of the n >= 0 numbers of `x` lie in bin b: border b <= x < border
/// b + 1. `bins` is `even{low, high}`, or a range of borders in ascending order, one more than
/// `counts` has elements; a comparison with the borders decides, whatever rounding does. Returns
/// how many numbers lie below and above the bins, and how many are NaN. Throws precondition_error
/// for borders that do not ascend, for sizes that do not fit, and for counts that do not fit the
/// integers of `counts`. Runs on the executors of the processor.
template <executor E, elements X, elements Counts, detail::bins_of_numbers Bins>
outside_counts histogram(E const& on, X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  float_environment const ieee;
  std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
  expect_bins(size);
  auto const search = index_search<T>(bins, size, o);
  auto const first = first_of(x);
  auto const found = [&] {
    if constexpr (sizeof(T) == 1 && std::contiguous_iterator<decltype(first)>)
      return counts_of_bytes(on, first, n, size + 3, search);
    else
      return counts_of(on, n, size + 3,
                       [&](std::size_t i) { return search(element_at(first, i)); });
  }();
  store_counts("histogram", found.data() + 1, counts);
  return {.below = found[0], .above = found[size + 1], .nan = found[size + 2]};
}
template <elements X, elements Counts, detail::bins_of_numbers Bins>
outside_counts histogram(X const& x, Counts&& counts, Bins const& bins,
                         histogram_options const& o = {}) {
  return upsweep::histogram(detail::default_executor_t<X>{}, x, counts, bins, o);
}

/// Stores in results[b] the reduction by `op` (by default the sum) of those `weights` whose element
/// of `x` lies in bin b, with the bits of reduce over these weights in input order. `bins`, the
/// result and errors as for histogram; an empty bin has the identity of `op`. Sorts the weights by
/// their bins, which takes memory for n of them twice.
template <executor E, elements X, elements Weights, elements Results, detail::bins_of_numbers Bins,
          class Op = plus>
outside_counts weighted_histogram(E const& on, X const& x, Weights const& weights,
                                  Results&& results, Bins const& bins, Op const& op = {},
                                  histogram_options const& o = {}) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  using W = std::ranges::range_value_t<Weights>;
  std::size_t const n = std::ranges::size(x), size = std::ranges::size(results);
  if (n != std::ranges::size(weights))
    fail_inputs("weighted_histogram", n, std::ranges::size(weights));
  expect_bins(size);
  auto const search = index_search<T>(bins, size, o);
  auto const first = first_of(x);
  std::vector<std::uint32_t> bin_of(n);
  std::vector<W> sorted(std::ranges::begin(weights), std::ranges::end(weights));
  for_each_part(on, n, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      bin_of[i] = static_cast<std::uint32_t>(search(element_at(first, i)));
  });
  auto const found = counts_of(on, n, size + 3, [&](std::size_t i) { return bin_of[i]; });
  upsweep::sort_by_key(on, bin_of, sorted);
  std::vector<std::size_t> offsets(size + 1);
  upsweep::inclusive_scan(on, std::span(found).subspan(1, size), std::span(offsets).subspan(1));
  upsweep::reduce_segments(on, std::span(sorted).subspan(found[0], offsets.back()), offsets,
                           results, op);
  return {.below = found[0], .above = found[size + 1], .nan = found[size + 2]};
}
template <elements X, elements Weights, elements Results, detail::bins_of_numbers Bins,
          class Op = plus>
outside_counts weighted_histogram(X const& x, Weights const& weights, Results&& results,
                                  Bins const& bins, Op const& op = {},
                                  histogram_options const& o = {}) {
  return upsweep::weighted_histogram(detail::default_executor_t<X>{}, x, weights, results, bins, op,
                                     o);
}

/// Stores in counts[k] how many of the integers of `x` are k. Throws precondition_error for an
/// integer that is negative or not below the size of `counts`, with the position of the first, and
/// for counts that do not fit the integers of `counts`; then `counts` is as it was. Runs on the
/// executors of the processor.
template <executor E, elements X, elements Counts>
void count_indices(E const& on, X const& x, Counts&& counts) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  static_assert(std::is_integral_v<T>, "upsweep: count_indices counts integers");
  std::size_t const n = std::ranges::size(x), size = std::ranges::size(counts);
  expects(size < std::size_t{1} << 31, "count_indices: at most 2147483647 counts are supported");
  auto const first = first_of(x);
  // A negative number converts to a larger one than any size.
  auto const index = [size](T value) { return at_most(static_cast<std::size_t>(value), size); };
  auto const found = [&] {
    if constexpr (sizeof(T) == 1 && std::contiguous_iterator<decltype(first)>)
      return counts_of_bytes(on, first, n, size + 1, index);
    else
      return counts_of(on, n, size + 1, [&](std::size_t i) { return index(element_at(first, i)); });
  }();
  if (found[size] > 0) {
    std::size_t i = 0;
    while (index(element_at(first, i)) < size) ++i;
    fail("count_indices: the element at position %zu is no index of one of the %zu counts", i,
         size);
  }
  store_counts("count_indices", found.data(), counts);
}
template <elements X, elements Counts>
void count_indices(X const& x, Counts&& counts) {
  upsweep::count_indices(detail::default_executor_t<X>{}, x, counts);
}

}  // namespace upsweep
