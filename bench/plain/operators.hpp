/// The operators of the catalog as one would write them in a loop without a library: what results
/// are compared with, also those of the C interface in its tests, and the plain loop among the
/// peers.
#pragma once

#include <upsweep/core/number_types.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/names/verb.hpp>
#include <upsweep/ops/catalog.hpp>
#include <upsweep/ops/monoid.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

namespace upsweep::bench::plain {

/// 64 bits for integers, float for 16-bit floats.
template <class T>
using wide =
    std::conditional_t<detail::is_float<T>,
                       std::conditional_t<std::is_same_v<T, double>, double, float>,
                       std::conditional_t<std::is_signed_v<T>, std::int64_t, std::uint64_t>>;

/// In which elements are compared: float for 16-bit floats, else the type itself.
template <class T>
using compared = std::conditional_t<detail::is_narrow_float<T>, float, T>;

template <class T>
inline constexpr T highest =
    std::is_integral_v<T> ? std::numeric_limits<T>::max() : std::numeric_limits<T>::infinity();
template <class T>
inline constexpr T lowest =
    std::is_integral_v<T> ? std::numeric_limits<T>::min() : -std::numeric_limits<T>::infinity();

/// The state of a loop over elements of type T: add(x, i) takes the element at position i, result()
/// is the result for the elements so far.
template <class Op, class T>
struct running;

template <class T>
struct running<plus, T> {
  wide<T> total{};
  void add(T x, std::size_t) {
    if constexpr (std::is_integral_v<T>)  // wraps
      total =
          static_cast<wide<T>>(static_cast<std::uint64_t>(total) + static_cast<std::uint64_t>(x));
    else
      total += static_cast<wide<T>>(x);
  }
  [[nodiscard]] wide<T> result() const { return total; }
};
template <class T>
struct running<checked_plus<>, T> {
  wide<T> total{};
  void add(T x, std::size_t) {
    if (__builtin_add_overflow(total, wide<T>{x}, &total)) __builtin_trap();
  }
  [[nodiscard]] wide<T> result() const { return total; }
};

template <class T>
struct running<multiplies, T> {
  wide<T> total{1};
  void add(T x, std::size_t) {
    if constexpr (std::is_integral_v<T>)
      total =
          static_cast<wide<T>>(static_cast<std::uint64_t>(total) * static_cast<std::uint64_t>(x));
    else
      total *= static_cast<wide<T>>(x);
  }
  [[nodiscard]] wide<T> result() const { return total; }
};
template <class T>
struct running<checked_multiplies<>, T> {
  wide<T> total{1};
  void add(T x, std::size_t) {
    if (__builtin_mul_overflow(total, wide<T>{x}, &total)) __builtin_trap();
  }
  [[nodiscard]] wide<T> result() const { return total; }
};

template <class T>
struct running<min, T> {
  compared<T> best = highest<compared<T>>;
  void add(compared<T> x, std::size_t) { best = x < best ? x : best; }
  [[nodiscard]] compared<T> result() const { return best; }
};
template <class T>
struct running<max, T> {
  compared<T> best = lowest<compared<T>>;
  void add(compared<T> x, std::size_t) { best = best < x ? x : best; }
  [[nodiscard]] compared<T> result() const { return best; }
};
// The data have no NaN.
template <class T>
struct running<min_number, T> : running<min, T> {};
template <class T>
struct running<max_number, T> : running<max, T> {};
template <class T>
struct running<minmax, T> {
  running<min, T> low{};
  running<max, T> high{};
  void add(T x, std::size_t i) {
    low.add(x, i);
    high.add(x, i);
  }
  [[nodiscard]] extrema<compared<T>> result() const { return {low.best, high.best}; }
};

template <class T>
struct running<bit_and, T> {
  T bits = static_cast<T>(-1);
  void add(T x, std::size_t) { bits = static_cast<T>(bits & x); }
  [[nodiscard]] T result() const { return bits; }
};
template <class T>
struct running<bit_or, T> {
  T bits{};
  void add(T x, std::size_t) { bits = static_cast<T>(bits | x); }
  [[nodiscard]] T result() const { return bits; }
};
template <class T>
struct running<bit_xor, T> {
  T bits{};
  void add(T x, std::size_t) { bits = static_cast<T>(bits ^ x); }
  [[nodiscard]] T result() const { return bits; }
};

template <class T>
struct running<logical_and, T> {
  std::uint8_t all = 1;
  void add(T x, std::size_t) { all &= x != T{0}; }
  [[nodiscard]] std::uint8_t result() const { return all; }
};
template <class T>
struct running<logical_or, T> {
  std::uint8_t any = 0;
  void add(T x, std::size_t) { any |= x != T{0}; }
  [[nodiscard]] std::uint8_t result() const { return any; }
};
template <class T>
struct running<logical_xor, T> {
  std::uint8_t odd = 0;
  void add(T x, std::size_t) { odd ^= x != T{0}; }
  [[nodiscard]] std::uint8_t result() const { return odd; }
};

/// The position of an extremum: better(x, best) is whether x replaces the best element so far.
template <class T, class Better>
struct running_position {
  T best{};
  std::uint64_t position = std::numeric_limits<std::uint64_t>::max();
  void add(T x, std::size_t i) {
    if (i != 0 && !Better{}(x, best)) return;
    best = x;
    position = i;
  }
  [[nodiscard]] std::uint64_t result() const { return position; }
};
template <class T>
struct running<argmin, T> : running_position<T, std::less<>> {};
template <class T>
struct running<argmax, T> : running_position<T, std::greater<>> {};
template <class T>
struct running<argmin_last, T> : running_position<T, std::less_equal<>> {};
template <class T>
struct running<argmax_last, T> : running_position<T, std::greater_equal<>> {};

template <class T>
struct running<gcd, T> {
  std::uint64_t divisor = 0;
  void add(T x, std::size_t) {
    auto magnitude = static_cast<std::uint64_t>(x);
    if constexpr (std::is_signed_v<T>)
      if (x < 0) magnitude = 0 - magnitude;
    divisor = std::gcd(divisor, magnitude);
  }
  [[nodiscard]] std::uint64_t result() const { return divisor; }
};

template <class T>
struct running<first, T> {
  T value{};
  void add(T x, std::size_t i) { value = i == 0 ? x : value; }
  [[nodiscard]] T result() const { return value; }
};
template <class T>
struct running<last, T> {
  T value{};
  void add(T x, std::size_t) { value = x; }
  [[nodiscard]] T result() const { return value; }
};

template <class T>
struct running<affine, upsweep::affine_map<T>> {
  upsweep::affine_map<T> map{1, 0};
  void add(upsweep::affine_map<T> x, std::size_t) { map = {x.a * map.a, x.a * map.b + x.b}; }
  [[nodiscard]] upsweep::affine_map<T> result() const { return map; }
};
template <class T>
struct running<matrix2x2_product, matrix2x2<T>> {
  matrix2x2<T> m{1, 0, 0, 1};
  void add(matrix2x2<T> x, std::size_t) {
    m = {m.a * x.a + m.b * x.c, m.a * x.b + m.b * x.d,  //
         m.c * x.a + m.d * x.c, m.c * x.b + m.d * x.d};
  }
  [[nodiscard]] matrix2x2<T> result() const { return m; }
};

/// Welford's update, one division for each element.
template <class T>
struct running<moments, T> {
  detail::moments_of all{};
  void add(T x, std::size_t) {
    double const apart = static_cast<double>(x) - all.mean;
    all.mean += apart / static_cast<double>(++all.count);
    all.m2 += apart * (static_cast<double>(x) - all.mean);
  }
  [[nodiscard]] detail::moments_of result() const { return all; }
};
/// Terriberry's update of the third and fourth moment.
template <class T>
struct running<central_moments, T> {
  detail::central_moments_of all{};
  void add(T x, std::size_t) {
    double const before = static_cast<double>(all.count), n = before + 1;
    double const apart = static_cast<double>(x) - all.mean, part = apart / n;
    double const term = apart * part * before;
    ++all.count;
    all.mean += part;
    all.m4 +=
        term * part * part * (n * n - 3 * n + 3) + 6 * part * part * all.m2 - 4 * part * all.m3;
    all.m3 += term * part * (n - 2) - 3 * part * all.m2;
    all.m2 += term;
  }
  [[nodiscard]] detail::central_moments_of result() const { return all; }
};
template <class T>
struct running<comoments, xy<T>> {
  detail::comoments_of all{};
  void add(xy<T> e, std::size_t) {
    double const x = static_cast<double>(e.x), y = static_cast<double>(e.y);
    double const dx = x - all.mean_x, dy = y - all.mean_y;
    double const n = static_cast<double>(++all.count);
    all.mean_x += dx / n;
    all.mean_y += dy / n;
    all.xx += dx * (x - all.mean_x);
    all.yy += dy * (y - all.mean_y);
    all.xy += dx * (y - all.mean_y);
  }
  [[nodiscard]] detail::comoments_of result() const { return all; }
};
/// West's update.
template <class T>
struct running<weighted_moments, xy<T>> {
  detail::weighted_moments_of all{};
  void add(xy<T> e, std::size_t) {
    double const x = static_cast<double>(e.x), weight = static_cast<double>(e.y);
    if (weight == 0) return;
    double const apart = x - all.mean;
    all.weight += weight;
    all.mean += apart * weight / all.weight;
    all.m2 += weight * apart * (x - all.mean);
  }
  [[nodiscard]] detail::weighted_moments_of result() const { return all; }
};
template <class T>
struct running<log_sum_exp, T> {
  T largest = lowest<T>, sum = 0;
  void add(T x, std::size_t) {
    if (x > largest) {
      sum = sum * std::exp(largest - x) + 1;
      largest = x;
    } else {
      sum += std::exp(x - largest);
    }
  }
  [[nodiscard]] T result() const { return largest + std::log(sum); }
};

template <class Op, class T>
concept has_loop = requires { sizeof(running<Op, T>); };

/// The calls that one would write with it.
template <class Running, class T, class R>
void reduce(T const* in, R* out, std::size_t n) {
  Running all;
  for (std::size_t i = 0; i < n; ++i) all.add(in[i], i);
  *out = static_cast<R>(all.result());
}
template <class Running, class T, class R>
void inclusive_scan(T const* in, R* out, std::size_t n) {
  Running prefix;
  for (std::size_t i = 0; i < n; ++i) {
    prefix.add(in[i], i);
    out[i] = static_cast<R>(prefix.result());
  }
}
template <class Running, class T, class R>
void exclusive_scan(T const* in, R* out, std::size_t n) {
  Running prefix;
  for (std::size_t i = 0; i < n; ++i) {
    T const x = in[i];  // `out` may be `in`
    out[i] = static_cast<R>(prefix.result());
    prefix.add(x, i);
  }
}

/// One of them.
template <class Running, class T, class R>
void run(dynamic::verb v, T const* in, R* out, std::size_t n) {
  if (v == dynamic::verb::reduce)
    reduce<Running>(in, out, n);
  else if (v == dynamic::verb::inclusive_scan)
    inclusive_scan<Running>(in, out, n);
  else
    exclusive_scan<Running>(in, out, n);
}

}  // namespace upsweep::bench::plain

namespace upsweep::bench {

/// add(x, i) takes the element at position i, result() is reference::reduce of the elements so far.
/// At most two applications of Op for each element on average.
template <class Op, class T>
class running_tree {
 public:
  void add(T x, std::size_t i) {
    accumulator total = detail::lift(op_, x, i);
    for (std::size_t bits = i; bits % 2 == 1; bits /= 2) {  // the blocks that element i completes
      total = op_(blocks_.back().total, total);
      blocks_.pop_back();
    }
    blocks_.push_back({total, blocks_.empty() ? total : op_(blocks_.back().prefix, total)});
  }
  [[nodiscard]] auto result() const { return detail::finish(op_, blocks_.back().prefix); }

 private:
  using accumulator = accumulator_t<Op, T>;
  /// An aligned block whose size is a power of two, and the prefix that ends with it.
  struct block {
    accumulator total, prefix;
  };
  Op op_{};
  std::vector<block> blocks_;  ///< from the left, the largest first
};

}  // namespace upsweep::bench
