/// Products of floating-point numbers in which the tree multiplies an infinity by zero.
///
/// A block of finite numbers may overflow, and be multiplied by one with a zero, although a product
/// of finite numbers with a zero is zero. That is not undone in the tree, but in the results: a NaN
/// whose factors are all finite becomes +0. So nothing is slower as long as there is no NaN; then
/// the factors are read again. A product that is neither zero nor infinite nor NaN has no prefix
/// that is NaN, because its blocks are not zero or infinite either; so scans look at their results
/// only if the last one is.
#pragma once

#include <upsweep/call/call.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <bit>
#include <concepts>
#include <cstddef>
#include <iterator>
#include <memory>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail {

/// Whether results of `Op` may be NaN although their factors are finite and contain a zero.
template <class Op, class A>
inline constexpr bool may_lose_zeros =
    std::is_same_v<Op, multiplies> && std::is_floating_point_v<A>;

template <class T>
[[nodiscard]] constexpr bool is_finite_number(T x) {
  return x - x == 0;
}
template <class T>
[[nodiscard]] constexpr bool is_regular_product(T x) {
  return is_finite_number(x) && x != 0;
}

/// The first of n numbers that is NaN, or if `or_infinite` infinite too; n if there is none. By
/// additions of integers in vectors: of magnitudes that are too large the sum has the highest bit.
template <bool or_infinite, class T>
[[nodiscard, gnu::noinline]] std::size_t first_beyond(T const* x, std::size_t n) {
  using U = bits_of_size<sizeof(T)>;
  using lanes [[gnu::vector_size(16)]] = U;
  constexpr U highest = U{1} << (8 * sizeof(T) - 1), magnitude = highest - 1;
  constexpr U least = std::bit_cast<U>(infinity<T>) + (or_infinite ? 0 : 1), rest = highest - least;
  constexpr std::size_t count = sizeof(lanes) / sizeof(T), block = 32 * count;
  std::size_t i = 0;
  for (; n - i >= block; i += block) {
    lanes found{}, odd{};
    for (std::size_t j = 0; j < block; j += 2 * count) {
      lanes bits, next;
      __builtin_memcpy(&bits, x + i + j, sizeof bits);
      __builtin_memcpy(&next, x + i + j + count, sizeof next);
      found |= (bits & magnitude) + rest;
      odd |= (next & magnitude) + rest;
    }
    found |= odd;
    U any = 0;
    for (std::size_t j = 0; j < count; ++j) any |= found[j];
    if ((any & highest) != 0) break;
  }
  while (i < n && (std::bit_cast<U>(x[i]) & magnitude) < least) ++i;
  return i;
}

/// Whether a source or sink has floats or doubles in memory, in order.
template <class S>
inline constexpr bool has_plain_floats = [] {
  if constexpr (requires { requires S::plain; })
    return std::is_same_v<typename S::element, float> ||
           std::is_same_v<typename S::element, double>;
  else
    return false;
}();

/// The first position in [begin, end) whose factor is infinite or NaN; `end` if there is none.
template <class Source>
[[nodiscard]] std::size_t first_not_finite(Source const& x, std::size_t begin, std::size_t end) {
  using A = typename Source::accumulator;
  if constexpr (has_plain_floats<Source>)
    return begin + first_beyond<true>(x.pointer(begin), end - begin);
  while (begin < end && is_finite_number(static_cast<A>(x(begin)))) ++begin;
  return begin;
}

/// The product of the positions [begin, end), and of *initial unless that is null.
template <class Op, class Source, class A>
[[nodiscard]] A without_lost_zero(Source const& x, std::size_t begin, std::size_t end,
                                  A const* initial, A product) {
  if constexpr (may_lose_zeros<Op, A>)
    if (product != product && (!initial || is_finite_number(*initial)) &&
        first_not_finite(x, begin, end) == end)
      return A{};
  return product;
}

/// Whether results can be read where they were stored.
template <class It>
concept stores_floats = requires(It const& to, std::iter_difference_t<It> i) {
  { to[i] != to[i] } -> std::convertible_to<bool>;
  to[i] = std::iter_value_t<It>{};
};

/// The factors of a scan whose results may replace them.
template <scan_kind kind, class Source>
class factors_of_scan {
 public:
  using A = typename Source::accumulator;

  /// Factors that the scan replaces are looked at before.
  factors_of_scan(Source const& x, std::size_t begin, std::size_t end, A const* initial)
      : x_(x), begin_(begin), end_(end), initial_(initial) {}
  void look() {
    if (not_finite_ == unknown) not_finite_ = first_not_finite(x_, begin_, end_);
  }
  void set_all_finite() { not_finite_ = end_; }
  [[nodiscard]] bool all_finite() {
    look();
    return not_finite_ == end_;
  }
  /// Puts zeros in place of NaN in the memory of a sink of `size` results from position `base` on.
  template <class Sink>
  void restore(Sink const& out, std::size_t size, std::size_t base = 0) {
    auto const result = [&, to = out.first()](std::size_t i) -> decltype(auto) {
      return to[static_cast<std::iter_difference_t<typename Sink::iterator>>(
          Sink::reversed ? size - 1 - i : i - base)];
    };
    if (begin_ == end_ || is_regular_product(static_cast<A>(result(end_ - 1))) ||
        (initial_ && !is_finite_number(*initial_)))
      return;
    std::size_t i = begin_;
    if constexpr (has_plain_floats<Sink>)
      i += first_beyond<false>(std::to_address(out.first()) + (begin_ - base), end_ - begin_);
    else
      while (i < end_ && result(i) == result(i)) ++i;
    if (i == end_) return;
    look();
    std::size_t const last = not_finite_ + (kind == scan_kind::exclusive ? 1 : 0);
    for (; i < end_ && i < last; ++i)
      if (result(i) != result(i)) result(i) = std::remove_cvref_t<decltype(result(i))>{};
  }

 private:
  static constexpr auto unknown = static_cast<std::size_t>(-1);

  Source const& x_;
  std::size_t begin_, end_;
  A const* initial_;
  std::size_t not_finite_ = unknown;  // the first position of such a factor, or end_
};

/// Whether storing a result may change a factor that is read later.
template <class In, class Out>
[[nodiscard]] bool may_replace(In const& in, Out const& out) {
  if constexpr (std::contiguous_iterator<In> && std::contiguous_iterator<Out>)
    return static_cast<void const*>(std::to_address(in)) ==
           static_cast<void const*>(std::to_address(out));
  else
    return true;
}

/// Runs the scan `c` into `out` by scan(), and puts back the zeros that its results lost. Not on a
/// device, whose memory cannot be read here.
template <scan_kind kind, bool is_on_device, class Call, class Sink, class Scan>
void keep_zeros(Call const& c, Sink const& out, Scan const& scan) {
  using A = typename Call::accumulator;
  if constexpr (may_lose_zeros<typename Call::operation, A> && !is_on_device &&
                stores_floats<typename Sink::iterator>) {
    factors_of_scan<kind, std::decay_t<decltype(c.in)>> factors(c.in, 0, c.n, c.initial);
    if (may_replace(c.in.first(), out.first())) factors.look();
    scan();
    factors.restore(out, c.n);
  } else {
    scan();
  }
}

}  // namespace upsweep::detail
UPSWEEP_IEEE_END
