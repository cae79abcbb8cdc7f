/// What products of floats are, from a loop over the factors' signs, zeros, infinities and NaN; the
/// magnitude of what contains no zero is that of the combine tree with plain multiplications.
#pragma once

#include <support/random.hpp>
#include <upsweep/call/options.hpp>
#include <upsweep/core/number_types.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/monoid.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// A type of factors, for typed tests: float16 has no typeid.
template <class T>
struct factors_type {
  using type = T;
};

/// The products of growing numbers of factors.
template <class T>
class product_so_far {
 public:
  using A = accumulator_t<multiplies, T>;

  explicit product_so_far(std::optional<A> initial = {}) : initial_(initial) {
    if (initial) see(*initial);
  }
  void append(T factor) {
    A block = static_cast<A>(factor);
    see(block);
    std::size_t k = 0;
    for (; (count_ >> k & 1) != 0; ++k) block = block_[k] * block;
    if (k == block_.size()) block_.emplace_back();
    block_[k] = block;
    ++count_;
  }
  [[nodiscard]] A value() const {
    std::optional<A> plain;
    for (std::size_t k = block_.size(); k-- > 0;)
      if ((count_ >> k & 1) != 0) plain = plain ? *plain * block_[k] : block_[k];
    A const all = !plain ? initial_.value_or(A{1}) : initial_ ? *initial_ * *plain : *plain;
    if (has_nan_ || (has_infinity_ && has_zero_)) return std::numeric_limits<A>::quiet_NaN();
    bool const is_zero = has_zero_ || (all != all && !has_infinity_);
    return is_zero ? std::copysign(A{}, negative_ ? A{-1} : A{1}) : all;
  }

 private:
  void see(A x) {
    has_nan_ = has_nan_ || x != x;
    has_infinity_ = has_infinity_ || std::isinf(x);
    has_zero_ = has_zero_ || x == 0;
    negative_ = negative_ != std::signbit(x);
  }

  std::optional<A> initial_;
  std::size_t count_ = 0;
  std::vector<A> block_;
  bool has_nan_ = false, has_infinity_ = false, has_zero_ = false, negative_ = false;
};

template <class T>
using product_of = typename product_so_far<T>::A;

template <class T>
product_of<T> expected_product(std::vector<T> const& x, std::size_t begin, std::size_t end,
                               std::optional<product_of<T>> initial = {}) {
  product_so_far<T> all(initial);
  for (std::size_t i = begin; i < end; ++i) all.append(x[i]);
  return all.value();
}
/// The inclusive or the exclusive scan of x[begin, end).
template <class T>
std::vector<product_of<T>> expected_products(std::vector<T> const& x, bool inclusive,
                                             std::optional<product_of<T>> initial = {},
                                             std::size_t begin = 0, std::size_t end = ~0ull) {
  product_so_far<T> all(initial);
  std::vector<product_of<T>> to;
  for (std::size_t i = begin; i < x.size() && i < end; ++i) {
    if (!inclusive) to.push_back(all.value());
    all.append(x[i]);
    if (inclusive) to.push_back(all.value());
  }
  return to;
}

/// The same bits, or both NaN.
template <class T>
bool same_product(T a, T b) {
  using bits = detail::bits_of_size<sizeof(T)>;
  return (a != a && b != b) || std::bit_cast<bits>(a) == std::bit_cast<bits>(b);
}
template <class Got, class A>
void expect_products(Got const& got, std::vector<A> const& want, char const* what) {
  ASSERT_EQ(std::size(got), want.size()) << what;
  std::size_t i = 0;
  for (auto const& g : got) {
    using T = std::remove_cvref_t<decltype(g)>;
    ASSERT_TRUE(same_product<T>(g, static_cast<T>(want[i])))
        << what << ": product " << i << " of " << want.size() << " is " << static_cast<double>(g)
        << ", right " << static_cast<double>(want[i]);
    ++i;
  }
}

/// How the factors of a case are chosen.
enum class factor_kind { regular, overflowing, with_zeros, with_infinity, with_nan, mixed };
inline constexpr factor_kind all_factor_kinds[] = {
    factor_kind::regular,       factor_kind::overflowing, factor_kind::with_zeros,
    factor_kind::with_infinity, factor_kind::with_nan,    factor_kind::mixed};

/// n factors whose blocks overflow and underflow; `at` are positions of zeros, or of an infinity
/// and a zero. Random(n) is below n.
template <class T, class Random>
std::vector<T> factors_of(factor_kind kind, std::size_t n, Random&& random) {
  using A = product_of<T>;
  A const large = std::ldexp(A{1.5}, std::numeric_limits<A>::max_exponent / 9);
  std::vector<T> x(n);
  for (T& e : x) {
    A const size = kind == factor_kind::regular ? A{1} : random(3) == 0 ? 1 / large / 4 : large;
    e = static_cast<T>(random(2) == 0 ? size : -size);
  }
  auto const put = [&](A value) {
    if (n > 0) x[random(n)] = static_cast<T>(random(2) == 0 ? value : -value);
  };
  bool const all = kind == factor_kind::mixed;
  if (kind == factor_kind::with_zeros || all || (kind == factor_kind::with_infinity && random(2)))
    for (std::size_t i = 0; i < 1 + n / 400; ++i) put(A{});
  if (kind == factor_kind::with_infinity || all) put(std::numeric_limits<A>::infinity());
  if (kind == factor_kind::with_nan || all) put(std::numeric_limits<A>::quiet_NaN());
  if (all) put(std::numeric_limits<A>::infinity());
  return x;
}

/// f(x) for factors of each kind and n of these numbers.
template <class T, class F>
void for_each_input(std::vector<std::size_t> const& sizes, F const& f) {
  random_bits next(test_seed());
  auto const random = [&](std::size_t n) { return static_cast<std::size_t>(next.below(n)); };
  for (std::size_t const n : sizes)
    for (factor_kind const kind : all_factor_kinds) {
      SCOPED_TRACE(n);
      SCOPED_TRACE(static_cast<int>(kind));
      f(factors_of<T>(kind, n, random));
      if (testing::Test::HasFatalFailure()) return;
    }
}
template <class T>
std::vector<std::optional<product_of<T>>> initials() {
  using A = product_of<T>;
  return {{},
          A{-2},
          A{0},
          std::numeric_limits<A>::infinity(),
          -std::numeric_limits<A>::max(),
          std::numeric_limits<A>::quiet_NaN()};
}
template <class T>
options<product_of<T>> with(std::optional<product_of<T>> const& initial, bool reverse = false) {
  options<product_of<T>> o;
  o.initial = initial;
  o.reverse = reverse;
  return o;
}

template <class T, class Scan>
void expect_scan(std::vector<T> const& x, std::vector<product_of<T>> const& want, char const* what,
                 Scan const& scan) {
  std::vector<T> out(x.size()), same(x);
  scan(x, out);
  expect_products(out, want, what);
  scan(same, same);
  expect_products(same, want, what);
}
}  // namespace upsweep::test
