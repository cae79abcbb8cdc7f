/// top and quantile: elements by their rank, without a sort of the whole input.
#pragma once

#include <upsweep/call/heavy_verbs.hpp>
#include <upsweep/call/selection.hpp>
#include <upsweep/core/compiler.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/select.hpp>
#include <upsweep/sort.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <optional>
#include <ranges>
#include <span>
#include <type_traits>
#include <vector>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// The elements of two adjacent ranks.
template <class T>
struct rank_neighbors {
  T lower, upper;
};

struct is_nan {
  template <class T>
  UPSWEEP_BOTH constexpr int operator()(T const& x) const {
    return is_nan_value(x) ? 1 : 0;
  }
};

/// Elements at random positions, sorted.
template <class E, class It, class Less>
auto sorted_sample(E const& on, It const& first, std::size_t n, std::size_t size,
                   Less const& less) {
  std::vector<std::iter_value_t<It>> sample;
  for (std::size_t i = 0; i < size; ++i) sample.push_back(element_at(first, mixed(i) % n));
  upsweep::sort(on, sample, less);
  return sample;
}

/// Marks elements that come after `last` by 1, and those that come neither after nor before it
/// if they are not `with_equal`; others by 0.
template <bool with_equal, class It, class T, class Less>
struct marks_up_to {
  It first;
  T last;
  Less const& less;

  UPSWEEP_INLINED void operator()(std::size_t begin, std::size_t end, mark* to) const {
    mark_each(begin, end, to, [*this](std::size_t i) UPSWEEP_INLINED {
      if constexpr (with_equal)
        return static_cast<mark>(static_cast<bool>(less(last, element_at(first, i))));
      else
        return static_cast<mark>(!static_cast<bool>(less(element_at(first, i), last)));
    });
  }
};
/// Marks elements before `low` by 1, those after `high` by 2, others by 0.
template <class It, class T, class Less>
struct marks_between {
  It first;
  T low, high;
  Less less;

  UPSWEEP_INLINED void operator()(std::size_t begin, std::size_t end, mark* to) const {
    mark_each(begin, end, to, [*this](std::size_t i) UPSWEEP_INLINED {
      T const x = element_at(first, i);
      return static_cast<mark>((less(x, low) ? 1 : 0) + (less(high, x) ? 2 : 0));
    });
  }
};

/// The elements of rank `rank` and the next, `rank_above`, in ascending order, of n > 0 numbers,
/// that lie between the elements `low` and `high` of a sample; nothing if chance has spoiled that.
template <class E, class It, class T = std::iter_value_t<It>>
std::optional<rank_neighbors<T>> neighbors_between(E const& on, It const& first, std::size_t n,
                                                   std::size_t rank, std::size_t rank_above, T low,
                                                   T high) {
  std::size_t const room = n / 8;
  auto const between = memory_for<T>(room);
  auto const divide = [&](T from, T to) {
    return select_on(on, marks_between<It, T, ascending>{first, from, to, {}}, n,
                     value_output<It, T*>{first, between.get(), room, 0, false},
                     counting_output{1});
  };
  auto counts = divide(low, high);
  if (counts.of[1] > rank || rank_above >= counts.of[1] + counts.of[0]) return {};
  if (ordered_bits(low) == ordered_bits(high)) return rank_neighbors<T>{low, low};
  if (counts.of[0] > room) {  // because many are equal to `low` or to `high`
    using U = bits_of_size<sizeof(T)>;
    counts = divide(from_ordered_bits<T>(static_cast<U>(ordered_bits(low) + 1)),
                    from_ordered_bits<T>(static_cast<U>(ordered_bits(high) - 1)));
  }
  std::size_t const found = counts.of[0], below = counts.of[1];
  if (found > room) return {};
  std::span<T> const candidates(between.get(), found);
  upsweep::sort(on, candidates);
  auto const at = [&](std::size_t k) {
    return k < below ? low : k - below < found ? candidates[k - below] : high;
  };
  return rank_neighbors<T>{at(rank), at(rank_above)};
}

/// The elements of rank `rank` and rank + 1 (or the last) in ascending order, of n > 0 numbers. A
/// sample tells between which elements they lie, almost always; only those are sorted.
template <class E, class It>
rank_neighbors<std::iter_value_t<It>> neighbors_of_rank(E const& on, It const& first, std::size_t n,
                                                        std::size_t rank) {
  using T = std::iter_value_t<It>;
  std::size_t const above = rank + 1 < n ? rank + 1 : rank;
  if (std::size_t const size = n < std::size_t{1} << 20 ? 4096 : 8192; n >= 16 * size) {
    auto const sample = sorted_sample(on, first, n, size, ascending{});
    // Four standard deviations of the rank in the sample are at most 2 sqrt(size).
    std::size_t const margin = size == 4096 ? 128 : 192;
    std::size_t const place = static_cast<std::size_t>(
        static_cast<double>(rank) / static_cast<double>(n) * static_cast<double>(size));
    bool const from_first = place < margin, to_last = place + margin >= size;
    auto const found = neighbors_between(
        on, first, n, rank, above, from_first ? from_ordered_bits<T>(0) : sample[place - margin],
        to_last ? from_ordered_bits<T>(static_cast<bits_of_size<sizeof(T)>>(-1))
                : sample[place + margin]);
    if (found) return *found;
  }
  auto const all = memory_for<T>(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = element_at(first, i);
  upsweep::sort(on, std::span<T>(all.get(), n));
  return {all[rank], all[above]};
}

/// Elements that may be among the first: copies, or the positions of what is not simply copied.
template <class It>
struct top_candidates {
  using element = std::iter_value_t<It>;
  static constexpr bool are_copies = fits_scratch<element>;
  using type = std::conditional_t<are_copies, element, std::size_t>;

  It const& first;

  [[nodiscard]] decltype(auto) value(type const& candidate) const {
    if constexpr (are_copies)
      return (candidate);
    else
      return element_at(first, candidate);
  }
  [[nodiscard]] type at(std::size_t i) const {
    if constexpr (are_copies)
      return element_at(first, i);
    else
      return i;
  }
  [[nodiscard]] auto output(type* to, std::size_t room) const {
    if constexpr (are_copies)
      return value_output<It, type*>{first, to, room, 0, false};
    else
      return position_output<type*>{to, room, 0};
  }
  template <class E, class Less>
  void sort(E const& on, std::span<type> candidates, Less const& less) const {
    if constexpr (are_copies)
      upsweep::sort(on, candidates, less);
    else
      upsweep::sort(on, candidates, [&](std::size_t p, std::size_t q) {
        return static_cast<bool>(invoke_function(less, value(p), value(q)));
      });
  }
};

/// The first `count` > 0 of n elements. A sample tells which candidates are sorted.
template <class E, class It, class Out, class Less>
void store_first(E const& on, It const& first, std::size_t n, std::size_t count, Out& out,
                 Less const& less) {
  using T = std::iter_value_t<It>;
  using candidate = typename top_candidates<It>::type;
  top_candidates<It> const taking{first};
  auto const store = [&](std::span<candidate> candidates) {
    taking.sort(on, candidates, less);
    auto to = std::ranges::begin(out);
    for (std::size_t i = 0; i < count; ++i, ++to)
      *to = static_cast<std::ranges::range_value_t<Out>>(taking.value(candidates[i]));
  };
  constexpr std::size_t size = 1024;
  if (n >= 16 * size && count < n / 16) {
    auto const sample = sorted_sample(on, first, n, size, less);
    // The rank in the sample of an element that `count` others precede, and some more for chance.
    std::size_t const place = count / (n / size), above = 32 + place / 4;
    auto const& last = sample[place + above];
    std::size_t const room = 4 * (place + above) * (n / size);
    auto const candidates = memory_for<candidate>(room);
    marks_up_to<true, It, T, Less> const marks{first, last, less};
    std::size_t const found = select_on(on, marks, n, taking.output(candidates.get(), room)).of[0];
    if (found >= count && found <= room) return store({candidates.get(), found});
    if (found > room) {  // because many are equal to `last`
      marks_up_to<false, It, T, Less> const earlier{first, last, less};
      std::size_t taken = select_on(on, earlier, n, taking.output(candidates.get(), room)).of[0];
      for (std::size_t i = 0; i < n && taken < count; ++i)
        if (!less(element_at(first, i), last) && !less(last, element_at(first, i)))
          candidates[taken++] = taking.at(i);
      if (taken >= count && taken <= room) return store({candidates.get(), taken});
    }
  }
  auto const all = memory_for<candidate>(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = taking.at(i);
  store({all.get(), n});
}

/// Where the quantile q of n > 0 elements lies: `part` of the way from rank `rank` to the next.
struct place_between_ranks {
  std::size_t rank;
  double part;

  place_between_ranks(double q, std::size_t n) {
    double const place = product(q, static_cast<double>(n - 1));
    rank = at_most(static_cast<std::size_t>(place), n - 1);
    part = place - static_cast<double>(rank);
  }
};
inline void expect_quantile(std::size_t n, double q) {
  expects(n > 0, "quantile: the input is empty, so it has no quantile; test for that first");
  expects(q >= 0 && q <= 1, "quantile: q must be between 0 and 1; for percentiles divide by 100");
}
/// From the end that is nearer, so that a part of 1 would give `upper`.
inline double interpolated(double lower, double upper, double part) {
  if (part == 0) return lower;
  if (lower == upper) return lower == 0 ? sum(lower, upper) : lower;  // -0 and +0: +0
  double const difference = upper - lower;
  if (!(difference < infinity<double>))  // of far numbers, or of infinities
    return product(lower, 1 - part) + product(upper, part);
  return part < 0.5 ? lower + product(difference, part) : upper - product(difference, 1 - part);
}
/// The same of integers of 64 bits that doubles do not hold: rounded once, to the nearest.
template <class T>
double interpolated_exactly(T lower, T upper, double part) {
  int exponent = 0;
  auto const digits = static_cast<std::uint64_t>(std::frexp(part, &exponent) * 0x1p53);
  int const places = 53 - exponent;  // part = digits / 2^`places`
  auto const apart = static_cast<std::uint64_t>(upper) - static_cast<std::uint64_t>(lower);
  uint128 const product = uint128{apart} * digits;
  // With 62 digits after the point; the last one says whether anything follows.
  int const cut = places - 62;
  uint128 scaled = cut <= 0 ? product << -cut : cut < 128 ? product >> cut : uint128{0};
  bool const is_cut = cut > 0 && (cut >= 128 ? product != 0 : (scaled << cut) != product);
  auto const total = (static_cast<int128>(lower) << 62) + static_cast<int128>(scaled);
  return static_cast<double>(total | (is_cut ? 1 : 0)) * 0x1p-62;
}
/// Elements of adjacent ranks, `part` of the way from one to the other.
template <class T>
double interpolated(rank_neighbors<T> const& two, double part) {
  auto const lower = static_cast<double>(two.lower), upper = static_cast<double>(two.upper);
  if constexpr (std::is_integral_v<T> && sizeof(T) == 8)
    if (part != 0 && std::fmax(std::fabs(lower), std::fabs(upper)) > 0x1p52)
      return interpolated_exactly(two.lower, two.upper, part);
  return interpolated(lower, upper, part);
}

}  // namespace upsweep::detail

namespace upsweep {

/// Top-k: stores the elements that come first in the order of `less` (default: the largest) in
/// `out`, in that order. Returns their number, the smaller of the two sizes. Equal elements are
/// taken in their order in `x`. A positive NaN is larger than all numbers. Throws
/// precondition_error if the ranges overlap, and what `less` throws. Also on upsweep::gpu.
template <elements X, executor E = detail::default_executor_t<X>, detail::output_like Out,
          detail::not_output Less = descending>
std::size_t top(E const& on, X const& x, Out&& out, Less const& less = {}) {
  detail::expect_kept<Out>();
  using namespace detail;
  if constexpr (std::is_member_pointer_v<Less>) {
    return upsweep::top(on, x, out, called(less));
  } else if constexpr (sort_fits<E, X, Less>() && stores_elements<X, Out>()) {
    float_environment const ieee;
    expect_apart<false>("top", x, out);
    std::size_t const n = std::ranges::size(x), count = at_most(std::ranges::size(out), n);
    if (count == 0) return 0;
    auto const first = first_of(x);
    if constexpr (has_sort<E, ascending>)
      on.top(first, n, output_iterator(out), count, less);
    else
      store_first(on, first, n, count, out, less);
    return count;
  }
  return 0;
}
template <elements X, detail::output_like Out, detail::not_output Less = descending>
std::size_t top(X const& x, Out&& out, Less const& less = {}) {
  detail::expect_kept<Out>();
  return upsweep::top(detail::default_executor_t<X>{}, x, out, less);
}

/// The quantile q of n > 0 numbers, 0 <= q <= 1 (0.5: the median). It is interpolated linearly
/// between the elements of the ranks next to q (n - 1), as numpy.quantile computes it. The result
/// is a double (integers beyond 2^52 are interpolated exactly and rounded once), and NaN if an
/// element is NaN. Throws precondition_error for an empty input and for other values of q. Runs on
/// the CPU executors and on upsweep::gpu.
template <elements X, executor E = detail::default_executor_t<X>>
[[nodiscard]] double quantile(E const& on, X const& x, double q) {
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  static_assert(number_key<T>, "upsweep: quantile takes numbers of at most 8 bytes");
  if constexpr (number_key<T> && sort_fits<E, X, ascending>()) {
    float_environment const ieee;
    std::size_t const n = std::ranges::size(x);
    expect_quantile(n, q);
    place_between_ranks const at(q, n);
    if constexpr (is_float<T>) {
      if (upsweep::transform_reduce(on, x, is_nan{}) != 0) return detail::not_a_number<double>;
    }
    rank_neighbors<T> found;
    if constexpr (has_sort<E, ascending>)
      found = on.rank_neighbors(first_of(x), n, at.rank);
    else
      found = neighbors_of_rank(on, first_of(x), n, at.rank);
    return interpolated(found, at.part);
  }
  return 0;
}
template <elements X>
[[nodiscard]] double quantile(X const& x, double q) {
  return upsweep::quantile(detail::default_executor_t<X>{}, x, q);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
  requires detail::header_is_included<Args...>
detail::ranges_come_first_see_verbs_md<Args...> top(Args const&...) = delete;
template <class X>
  requires detail::header_is_included<X>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<X> quantile(
    X const&, double) = delete;
template <class X, class E>
  requires detail::header_is_included<X, E>
detail::a_random_access_range_readable_when_const_must_come_first_or_after_an_executor<E, X>
quantile(E const&, X const&, double) = delete;

/// Several quantiles in one call: out[k] = quantile(x, q[k]), with the same bits and errors. For
/// four or more on a CPU executor, the numbers are copied and sorted once. Throws
/// precondition_error, before anything is stored, if sizes differ or `out` overlaps `x` or `q`.
template <elements X, executor E = detail::default_executor_t<X>, elements Q,
          detail::output_like Out>
void quantiles(E const& on, X const& x, Q const& q, Out&& out) {
  detail::expect_kept<Out>();
  using namespace detail;
  using T = std::ranges::range_value_t<X>;
  using R = std::ranges::range_value_t<Out>;
  static_assert(number_key<T>, "upsweep: quantiles takes numbers of at most 8 bytes");
  if constexpr (number_key<T> && is_output<Out>() && keeps_fractions<double, R>()) {
    float_environment const ieee;
    expect_apart<false>("quantiles", x, out);
    expect_apart<false>("quantiles", q, out);
    constexpr std::size_t worth_sorting = 4;  // an element is read once for each selection
    std::size_t const n = std::ranges::size(x), count = std::ranges::size(q);
    if (count != std::ranges::size(out)) fail_sizes("quantiles", count, std::ranges::size(out));
    for (std::size_t k = 0; k < count; ++k)
      expect_quantile(n, static_cast<double>(element_at(first_of(q), k)));
    auto const to = output_iterator(out);
    auto const store = [&](std::size_t k, double value) {
      element_at(to, k) = static_cast<R>(value);
    };
    std::vector<T> sorted;
    if constexpr (!has_own_memory<E>)
      if (count >= worth_sorting) {
        if constexpr (is_float<T>)
          if (upsweep::transform_reduce(on, x, is_nan{}) != 0) {
            for (std::size_t k = 0; k < count; ++k) store(k, not_a_number<double>);
            return;
          }
        sorted.assign(std::ranges::begin(x), std::ranges::end(x));
        upsweep::sort(on, sorted);
      }
    for (std::size_t k = 0; k < count; ++k) {
      auto const at_q = static_cast<double>(element_at(first_of(q), k));
      if (sorted.empty()) {
        store(k, upsweep::quantile(on, x, at_q));
        continue;
      }
      place_between_ranks const at(at_q, n);
      auto const two = std::span<T const>(sorted).subspan(at.rank, at_most(n - at.rank, 2));
      store(k, upsweep::quantile(on, two, at.part));
    }
  }
}
template <elements X, elements Q, detail::output_like Out>
void quantiles(X const& x, Q const& q, Out&& out) {
  detail::expect_kept<Out>();
  upsweep::quantiles(detail::default_executor_t<X>{}, x, q, out);
}

// Chosen by calls that fit nothing above; the return type is the message.
template <class... Args>
detail::ranges_come_first_see_verbs_md<Args...> quantiles(Args const&...) = delete;

}  // namespace upsweep
UPSWEEP_IEEE_END
