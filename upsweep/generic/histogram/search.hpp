/// The search of histograms: which of the borders in ascending order an element has reached.
#pragma once

#include <upsweep/call/executor.hpp>
#include <upsweep/core/combine_tree.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/generic/histogram/bins.hpp>
#include <upsweep/generic/histogram/counts.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// -1, 0 or 1: whether `x`, an integer of 64 bits that was rounded to a floating-point number, is
/// below an integer, equal to it or above.
template <class L>
[[nodiscard]] int compared(double x, L level) {
  constexpr double above_all = std::is_signed_v<L> ? 0x1p63 : 0x1p64;
  if (x >= above_all) return 1;
  L const whole = static_cast<L>(x);
  return whole < level ? -1 : whole > level ? 1 : 0;
}

/// A line that grows with the element, in numbers of type F, cut off at both ends.
template <class F>
struct bin_guess {
  F low = 0, scale = 0, shift = 0, last = 0;

  [[nodiscard]] std::int32_t operator()(F x) const {
    F guess = product(x - low, scale) + shift;
    guess = guess > 0 ? guess : F(0);
    guess = guess < last ? guess : last;
    return static_cast<std::int32_t>(guess);
  }
};

/// Finds how many of the borders an element has reached. Borders are kept in a type in which they
/// compare with every element exactly: float for floats, double, or integers of 64 bits, of which
/// those that no element can reach are left out.
///
/// In blocks of elements a line guesses, and comparisons correct. The line is tried on the borders
/// first. For even bins it gives the nearest border: where it is right for every border, an element
/// in between has at most the one that it gives to be compared with, because the line grows with
/// the element. For other bins the line gives a cell of a table, which says how
/// many borders lie in earlier cells; the element is compared with those in its own, at most four.
/// Where neither holds, the borders are searched by bisection.
template <class T>
class bin_search {
 public:
  using border = std::conditional_t<
      std::is_same_v<T, float>, float,
      std::conditional_t<is_float<T>, double,
                         std::conditional_t<has_sign<T>, std::int64_t, std::uint64_t>>>;

  /// For n elements and ascending levels, perhaps of even bins.
  template <class Levels>
  bin_search(Levels const& levels, bool are_even, bool closed_right, std::size_t n)
      : borders_(levels.size() + 2), nan_(static_cast<std::uint32_t>(levels.size() + 1)) {
    borders_[0] = least;  // so that borders_[r] is the last one reached
    for (std::size_t b = 0; b < levels.size(); ++b) {
      auto const next = first_after(levels[b], closed_right && b + 1 == levels.size());
      if (!next) break;
      borders_[++most_] = *next;
    }
    borders_[most_ + 1] = unreachable;
    auto const first = static_cast<double>(levels[0]),
               last = static_cast<double>(levels[levels.size() - 1]);
    double const low = first - bias, width = last - first;
    if (4 * n < levels.size() || n < 4 * count_block || !(width < infinity) || !(width > 0) ||
        most_ == 0)
      return;
    if constexpr (sizeof(T) <= 4)
      if (expect(in_floats_, low, width, levels.size() - 1, are_even)) return;
    expect(in_doubles_, low, width, levels.size() - 1, are_even);
  }

  /// to[j] = 0 for elements below the bins, b + 1 in bin b, bins + 1 above, bins + 2 for NaN; of n
  /// elements, at most a block.
  void operator()(T const* x, std::size_t n, std::uint32_t* to) const {
    if (n == count_block && in_floats_.scale > 0)
      by_guess(in_floats_, x, to);
    else if (n == count_block && in_doubles_.scale > 0)
      by_guess(in_doubles_, x, to);
    else
      by_bisection(x, n, to);
    if constexpr (is_float<T>)
      for (std::size_t j = 0; j < n; ++j) to[j] = x[j] != x[j] ? nan_ : to[j];
  }

  /// The borders that elements can reach.
  [[nodiscard]] std::span<border const> borders() const { return {borders_.data() + 1, most_}; }

 private:
  static constexpr double infinity = std::numeric_limits<double>::infinity();
  static constexpr border least =
      is_float<T> ? static_cast<border>(-infinity) : std::numeric_limits<border>::lowest();
  /// Integers of 64 bits may be as large.
  static constexpr border unreachable =
      is_float<T> ? std::numeric_limits<border>::quiet_NaN() : std::numeric_limits<border>::max();
  /// The smallest double above all integers of type `border`.
  static constexpr double above_all = std::is_signed_v<border> ? 0x1p63 : 0x1p64;
  /// Unsigned integers of 32 bits are converted as signed ones, which vectors can do.
  static constexpr bool is_biased = std::is_integral_v<T> && !has_sign<T> && sizeof(T) == 4;
  static constexpr double bias = is_biased ? 0x1p31 : 0;

  /// The smallest border that is not below the level, or if the bins before it include it,
  /// that is above it; nothing if no element reaches it.
  static std::optional<border> first_after(double level, bool includes) {
    if constexpr (is_float<T>) {
      if (!includes) return not_below(level);
      if (level == infinity) return {};
      return not_below(std::nextafter(level, infinity));
    } else {
      // x > level is x > floor(level) for integers, and x >= level is x >= ceil(level).
      double const whole = includes ? std::floor(level) : std::ceil(level);
      if (whole >= above_all) return {};
      if (whole < static_cast<double>(least)) return least;
      return first_after_integer(static_cast<border>(whole), includes);
    }
  }
  template <class L>
    requires std::is_integral_v<L>
  static std::optional<border> first_after(L level, bool includes) {
    if constexpr (is_float<T>) {
      auto const near = static_cast<border>(static_cast<double>(level));
      int const order = compared(static_cast<double>(near), level);
      return order < 0 || (includes && order == 0) ? std::nextafter(near, detail::infinity<border>)
                                                   : near;
    } else {
      using limits = std::numeric_limits<border>;
      if (std::cmp_greater(level, limits::max())) return {};
      if (std::cmp_less(level, limits::lowest())) return least;
      return first_after_integer(static_cast<border>(level), includes);
    }
  }
  static std::optional<border> first_after_integer(border level, bool includes) {
    if (includes && level == std::numeric_limits<border>::max()) return {};
    return static_cast<border>(level + includes);
  }

  /// The smallest border that is not below the level.
  static border not_below(double level) {
    auto const near = static_cast<border>(level);
    return static_cast<double>(near) < level ? std::nextafter(near, detail::infinity<border>)
                                             : near;
  }

  template <class F>
  static F of_element(T const& x) {
    if constexpr (is_biased)
      return static_cast<F>(static_cast<std::int32_t>(x ^ 0x80000000u));
    else
      return static_cast<F>(x);
  }
  template <class F>
  static F of_border(border const& b) {
    if constexpr (is_biased)
      return static_cast<F>(static_cast<std::int64_t>(b) - (std::int64_t{1} << 31));
    else
      return static_cast<F>(b);
  }

  /// Whether a line guesses well, which is then kept.
  template <class F>
  bool expect(bin_guess<F>& kept, double low, double width, std::size_t bins, bool are_even) {
    double const per_bin = static_cast<double>(bins) / width;
    if (are_even) {
      kept = {static_cast<F>(low), static_cast<F>(per_bin), F(0.5), static_cast<F>(most_ - 1)};
      if (is_right(kept)) return true;
    }
    // An integer of 64 bits may be as large as what ends the borders.
    if constexpr (is_float<T> || sizeof(T) < 8) {
      std::size_t const cells = at_most(16 * bins, std::size_t{1} << 16);
      double const scale = per_bin * static_cast<double>(cells) / static_cast<double>(bins);
      kept = {static_cast<F>(low), static_cast<F>(scale), F(0), static_cast<F>(cells - 1)};
      if (fits_cells(kept, cells)) return true;
    }
    kept = {};
    return false;
  }
  template <class F>
  [[nodiscard]] bool is_right(bin_guess<F> const& guess) const {
    std::uint32_t wrong = 0;
    for (std::uint32_t b = 0; b < most_; ++b)
      wrong |= static_cast<std::uint32_t>(guess(of_border<F>(borders_[b + 1]))) ^ b;
    return wrong == 0;
  }
  template <class F>
  bool fits_cells(bin_guess<F> const& guess, std::size_t cells) {
    first_.assign(cells, 0);
    std::size_t end = 0;  // of the cells whose first border is known
    for (std::uint32_t b = 0, in_cell = 0; b < most_; ++b) {
      auto const cell = static_cast<std::size_t>(guess(of_border<F>(borders_[b + 1])));
      in_cell = cell < end ? in_cell + 1 : 1;
      for (; end <= cell; ++end) first_[end] = b;
      steps_ = in_cell > steps_ ? in_cell : steps_;
    }
    for (; end < cells; ++end) first_[end] = most_;
    if (steps_ <= 4) return true;
    steps_ = 0;
    first_.clear();
    return false;
  }

  /// For a block.
  template <class F>
  void by_guess(bin_guess<F> const& guess, T const* x, std::uint32_t* to) const {
    bin_guess<F> const line = guess;
    std::int32_t guesses[count_block];
    for (std::size_t j = 0; j < count_block; ++j) guesses[j] = line(of_element<F>(x[j]));
    border const* const borders = borders_.data() + 1;
    auto const reached = [&](std::size_t j, std::uint32_t r) {
      return r + static_cast<std::uint32_t>(borders[r] <= static_cast<border>(x[j]));
    };
    if (first_.empty()) {
      for (std::size_t j = 0; j < count_block; ++j)
        to[j] = reached(j, static_cast<std::uint32_t>(guesses[j]));
      return;
    }
    for (std::size_t j = 0; j < count_block; ++j)
      to[j] = reached(j, first_[static_cast<std::size_t>(guesses[j])]);
    for (std::uint32_t step = 1; step < steps_; ++step)
      for (std::size_t j = 0; j < count_block; ++j) to[j] = reached(j, to[j]);
  }

  void by_bisection(T const* x, std::size_t n, std::uint32_t* to) const {
    std::size_t j = 0;
    for (; j + 8 <= n; j += 8) bisect<8>(x + j, to + j);
    for (; j < n; ++j) bisect<1>(x + j, to + j);
  }
  /// Several searches at a time, because each step of one waits for the one before it.
  template <std::size_t elements>
  void bisect(T const* x, std::uint32_t* to) const {
    border const* first[elements];
    for (auto& f : first) f = borders_.data() + 1;
    for (std::size_t left = most_; left > 0;) {
      std::size_t const half = (left + 1) / 2;
      UPSWEEP_UNROLLED
      for (std::size_t j = 0; j < elements; ++j)
        first[j] +=
            half * static_cast<std::size_t>(first[j][half - 1] <= static_cast<border>(x[j]));
      left -= half;
    }
    for (std::size_t j = 0; j < elements; ++j)
      to[j] = static_cast<std::uint32_t>(first[j] - borders_.data() - 1);
  }

  std::vector<border> borders_;
  std::uint32_t most_ = 0, nan_;
  bin_guess<float> in_floats_;
  bin_guess<double> in_doubles_;
  std::vector<std::uint32_t> first_;  // how many borders lie in cells before each one
  std::uint32_t steps_ = 0;           // the most borders in a cell
};

/// Where elements lie in these bins: by the formula of even bins, or by search.
template <class E, class T, class Levels>
class bin_finder {
  /// What the kernel takes, to which others are converted.
  using integer = std::conditional_t<has_sign<T> || sizeof(T) < 4, std::int32_t, std::uint32_t>;
  using element = std::conditional_t<std::is_same_v<T, double>, double,
                                     std::conditional_t<is_float<T>, float, integer>>;
  static constexpr bool has_formula = std::is_same_v<Levels, even_levels> &&
                                      has_even_bins<E, even_line> &&
                                      (is_float<T> || sizeof(T) <= 4);

 public:
  bin_finder(Levels const& levels, std::size_t n, histogram_options const& o) {
    if constexpr (has_formula) line_ = line_of<element>(levels, o.closed_right);
    if (!line_) search_.emplace(levels, std::is_same_v<Levels, even_levels>, o.closed_right, n);
  }
  void operator()(T const* x, std::size_t n, std::uint32_t* to) const {
    if (search_) return (*search_)(x, n, to);
    if constexpr (has_formula && std::is_same_v<T, element>) {
      E::kernels::find_even_bins(x, n, *line_, to);
    } else if constexpr (has_formula) {
      element values[count_block]{};
      for (std::size_t j = 0; j < n; ++j) values[j] = static_cast<element>(x[j]);
      E::kernels::find_even_bins(values, n, *line_, to);
    }
  }

 private:
  std::optional<even_line> line_;
  std::optional<bin_search<T>> search_;
};

}  // namespace upsweep::detail
UPSWEEP_IEEE_END
