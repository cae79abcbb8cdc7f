/// `check_monoid(op, samples)`: searches for a counterexample to the laws that an operator must
/// satisfy or claims to satisfy.
///
/// It checks associativity; the identity on both sides, if there is one; and commutativity,
/// exactness and absorb(), if claimed. Groupings of an operator that is not exact may differ by
/// rounding: a triple passes if relative errors of at most 16 ulps in the operands and intermediate
/// results can explain the difference of its two groupings. A sum of floats therefore passes in
/// spite of cancellation, and a difference or a mean does not. Triples of an inexact operator that
/// overflow or contain an infinity are skipped.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/ops/describe.hpp>
#include <upsweep/ops/monoid.hpp>
#include <upsweep/ops/parts.hpp>

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep {

/// The effort of check_monoid: up to `triples` triples of samples exhaustively, then as many
/// triples of random runs of samples, drawn from `seed`.
struct law_options {
  std::size_t triples = 20000;
  std::uint64_t seed = 1;
};

namespace detail::laws {

/// A floating-point number, and the relative spacing of its type.
struct measured {
  long double value;
  long double ulp;
};

template <class F>
[[nodiscard]] constexpr long double relative_ulp() {
  if constexpr (std::is_floating_point_v<F>)
    return std::numeric_limits<F>::epsilon();
  else if constexpr (std::is_same_v<F, bfloat16>)
    return 0x1p-7L;
  else
    return 0x1p-10L;
}

template <class A>
[[nodiscard]] std::vector<measured> floats(A const& x) {
  std::vector<measured> all;
  detail::parts::each_float(x, [&](auto const& f) {
    all.push_back({static_cast<long double>(f), relative_ulp<std::remove_cvref_t<decltype(f)>>()});
  });
  return all;
}

template <class A>
[[nodiscard]] bool finite(A const& x) {
  for (measured const& f : floats(x))
    if (!std::isfinite(f.value)) return false;
  return true;
}

/// `x` with every float replaced by 0: the part that must agree exactly even when rounding differs.
template <class A>
[[nodiscard]] A without_floats(A x) {
  detail::parts::each_float(x, [](auto& f) {
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(f)>>)
      f = std::remove_cvref_t<decltype(f)>(0.0f);
  });
  return x;
}

inline constexpr int tolerated_ulps = 16;

/// `x` with its float number `which` moved up (direction 1) or down (-1) by the tolerated error,
/// and by a few subnormals.
template <class A>
[[nodiscard]] A moved(A x, std::size_t which, int direction) {
  std::size_t at = 0;
  detail::parts::each_float(x, [&](auto& f) {
    using F = std::remove_cvref_t<decltype(f)>;
    if constexpr (!std::is_const_v<std::remove_reference_t<decltype(f)>>) {
      if (at++ != which) return;
      auto const wide = static_cast<long double>(f);
      long double smallest = 0x1p-24L;  // of float16; bfloat16 has subnormals like float's
      if constexpr (std::is_floating_point_v<F>) smallest = std::numeric_limits<F>::denorm_min();
      if constexpr (std::is_same_v<F, bfloat16>) smallest = 0x1p-133L;
      long double const error = tolerated_ulps * relative_ulp<F>() * std::fabs(wide) + 4 * smallest;
      long double const result = wide + direction * error;
      if constexpr (std::is_floating_point_v<F>)
        f = static_cast<F>(result);
      else
        f = static_cast<F>(static_cast<float>(result));
    }
  });
  return x;
}

/// Searches for counterexamples to one operator over accumulators `A`. Operands are runs of
/// samples, given by their indices and combined from left to right.
template <class Op, class A, class Samples>
class search {
 public:
  using run = std::vector<std::size_t>;
  using triple = std::array<run, 3>;

  search(Op const& op, Samples const& samples, law_options const& o)
      : op_(op), samples_(samples), options_(o), state_(o.seed) {
    for (auto const& x : samples) value_.push_back(lift(op, x, value_.size()));
  }

  /// The first counterexample, or nothing.
  [[nodiscard]] std::optional<std::string> counter_example() {
    std::size_t const n = value_.size();
    if (n == 0) return {};
    bool const all =
        n <= options_.triples && n * n <= options_.triples && n * n * n <= options_.triples;
    // Triples of three different samples first: they are the most readable.
    for (bool const different : {true, false}) {
      for (std::size_t i = 0; all && i < n * n * n; ++i) {
        std::size_t const a = i / (n * n), b = i / n % n, c = i % n;
        if ((a != b && b != c && a != c) != different) continue;
        if (auto found = violation({run{a}, run{b}, run{c}})) return found;
      }
    }
    for (std::size_t i = 0; i < options_.triples; ++i) {
      triple const drawn{random_run(), random_run(), random_run()};
      if (violation(drawn)) return violation(shrunk(drawn));
    }
    return {};
  }

 private:
  [[nodiscard]] A apply(A const& a, A const& b) const { return op_(a, b); }

  [[nodiscard]] A fold(run const& r) const {
    std::optional<A> total(value_[r[0]]);
    for (std::size_t i = 1; i < r.size(); ++i) {
      A next = apply(*total, value_[r[i]]);
      total.emplace(std::move(next));
    }
    return *total;
  }

  /// A sentence about the first law that the triple breaks, or nothing.
  [[nodiscard]] std::optional<std::string> violation(triple const& t) const {
    A const a = fold(t[0]), b = fold(t[1]), c = fold(t[2]);
    if constexpr (monoid_over<Op, A>)
      if (auto found = wrong_identity(a)) return found;
    if constexpr (is_commutative<Op>) {
      A const forward = apply(a, b), backward = apply(b, a);
      if (!detail::parts::same(forward, backward))
        return "claims to be commutative, but is not: op(" + describe(a) + ", " + describe(b) +
               ") = " + describe(forward) + " but op(" + describe(b) + ", " + describe(a) +
               ") = " + describe(backward);
    }
    if (auto found = wrong_absorb(a, t[1][0])) return found;
    if constexpr (has_is_final<Op, A>)
      if (op_.is_final(a))
        if (auto found = not_kept("is_final", a, a, b)) return found;
    if constexpr (has_replaces<Op, A>)
      if (op_.replaces(b))
        if (auto found = not_kept("replaces", b, a, b)) return found;
    return not_associative(a, b, c);
  }

  [[nodiscard]] std::optional<std::string> wrong_identity(A const& x) const {
    A const neutral = identity_of<A>(op_);
    for (bool const left : {true, false}) {
      A const result = left ? apply(neutral, x) : apply(x, neutral);
      if (detail::parts::same(result, x) ||
          (!is_exact<Op, A> && within(result, x, rounding(result, x))))
        continue;
      std::string const call =
          left ? describe(neutral) + ", " + describe(x) : describe(x) + ", " + describe(neutral);
      return "wrong identity " + describe(neutral) + ": op(" + call + ") = " + describe(result) +
             " but must be " + describe(x);
    }
    return {};
  }

  [[nodiscard]] std::optional<std::string> wrong_absorb(A const& a, std::size_t sample) const {
    if constexpr (has_absorb<Op, A, std::ranges::range_value_t<Samples>>) {
      auto const first = std::ranges::begin(samples_);
      auto const& x = first[static_cast<std::ranges::range_difference_t<Samples>>(sample)];
      A absorbed = a;
      absorb(op_, absorbed, x, sample);
      A const combined = apply(a, value_[sample]);
      if (!detail::parts::same(absorbed, combined))
        return "absorb() disagrees with op: absorbing " + describe(x) + " into " + describe(a) +
               " gives " + describe(absorbed) + " but op(" + describe(a) + ", " +
               describe(value_[sample]) + ") = " + describe(combined);
    }
    return {};
  }

  /// That op(a, b) is not `kept`, which is one of them, although `claim` is true of it; or nothing.
  [[nodiscard]] std::optional<std::string> not_kept(std::string const& claim, A const& kept,
                                                    A const& a, A const& b) const {
    A const combined = apply(a, b);
    if (detail::parts::same(combined, kept)) return {};
    return claim + "(" + describe(kept) + ") is true, but op(" + describe(a) + ", " + describe(b) +
           ") = " + describe(combined);
  }

  [[nodiscard]] std::optional<std::string> not_associative(A const& a, A const& b,
                                                           A const& c) const {
    A const ab = apply(a, b), bc = apply(b, c), left = apply(ab, c), right = apply(a, bc);
    if (detail::parts::same(left, right)) return {};
    bool const rounded = only_rounded(a, b, c, ab, bc, left, right);
    if (rounded && !is_exact<Op, A>) return {};
    return (rounded ? "claims to be exact, but rounds: op(op(" : "not associative: op(op(") +
           describe(a) + ", " + describe(b) + "), " + describe(c) + ") = " + describe(left) +
           " but op(" + describe(a) + ", op(" + describe(b) + ", " + describe(c) +
           ")) = " + describe(right);
  }

  /// For each float of the results, the error of rounding the result itself.
  [[nodiscard]] static std::vector<long double> rounding(A const& left, A const& right) {
    auto const x = floats(left), y = floats(right);
    std::vector<long double> error;
    for (std::size_t i = 0; i < x.size() && i < y.size(); ++i)
      error.push_back(tolerated_ulps * x[i].ulp *
                      std::fmax(std::fabs(x[i].value), std::fabs(y[i].value)));
    return error;
  }

  /// True when the floats of the two differ by at most `error` and everything else agrees. Floats
  /// are not compared if one of them is not finite.
  [[nodiscard]] static bool within(A const& left, A const& right,
                                   std::vector<long double> const& error) {
    auto const x = floats(left), y = floats(right);
    if (x.empty() || x.size() != y.size() ||
        !detail::parts::same(without_floats(left), without_floats(right)))
      return false;
    if (!finite(left) || !finite(right)) return true;
    for (std::size_t i = 0; i < x.size(); ++i)
      if (std::fabs(x[i].value - y[i].value) > error[i]) return false;
    return true;
  }

  [[nodiscard]] bool only_rounded(A const& a, A const& b, A const& c, A const& ab, A const& bc,
                                  A const& left, A const& right) const {
    if (floats(left).empty()) return false;
    if (!finite(ab) || !finite(bc)) return within(left, right, {});
    auto error = rounding(left, right);
    auto const shake = [&](A const& operand, A const& base, auto const& again) {
      auto const before = floats(base);
      for (std::size_t which = 0; which < floats(operand).size(); ++which) {
        for (int const direction : {1, -1}) {
          auto const after = floats(again(moved(operand, which, direction)));
          for (std::size_t i = 0; i < error.size() && i < after.size() && i < before.size(); ++i)
            error[i] += std::fabs(after[i].value - before[i].value);
        }
      }
    };
    shake(a, left, [&](A const& x) { return apply(apply(x, b), c); });
    shake(b, left, [&](A const& x) { return apply(apply(a, x), c); });
    shake(c, left, [&](A const& x) { return apply(ab, x); });
    shake(ab, left, [&](A const& x) { return apply(x, c); });
    shake(bc, right, [&](A const& x) { return apply(a, x); });
    return within(left, right, error);
  }

  /// The triple shrunk as far as it still breaks a law: fewer samples, then earlier ones.
  [[nodiscard]] triple shrunk(triple t) const {
    for (bool smaller = true; smaller;) {
      smaller = false;
      for (std::size_t operand = 0; operand < 3 && !smaller; ++operand) {
        for (std::size_t i = 0; i < t[operand].size() && !smaller; ++i) {
          triple tried = t;
          if (t[operand].size() > 1) {
            tried[operand].erase(tried[operand].begin() + static_cast<std::ptrdiff_t>(i));
            smaller = violation(tried).has_value();
          }
          for (std::size_t sample = 0; sample < t[operand][i] && !smaller; ++sample) {
            tried = t;
            tried[operand][i] = sample;
            smaller = violation(tried).has_value();
          }
          if (smaller) t = tried;
        }
      }
    }
    return t;
  }

  /// One to four samples; half of the runs have one.
  [[nodiscard]] run random_run() {
    std::uint64_t const bits = random();
    run r(bits % 2 == 0 ? 1 : 1 + bits / 2 % 4);
    for (std::size_t& sample : r) sample = static_cast<std::size_t>(random() % value_.size());
    return r;
  }

  [[nodiscard]] std::uint64_t random() {  // splitmix64, the same on every machine
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }

  Op const& op_;
  Samples const& samples_;
  law_options options_;
  std::uint64_t state_;
  std::vector<A> value_;
};

}  // namespace detail::laws

/// Searches for a counterexample to the laws, and returns it as a sentence, or nothing:
/// `check_monoid(std::minus{}, {3, 5, 2})` gives "not associative: op(op(3, 5), 2) = -4 but op(3,
/// op(5, 2)) = 0". `samples` are at least two elements of an input; sample i is lifted with index
/// i. If there are few samples, all triples are tried, in the order of the samples; then random
/// runs of samples. A counterexample is shrunk to few, early samples. Exceptions of the operator
/// propagate. describe() prints the values.
template <class Op, std::ranges::random_access_range Samples>
[[nodiscard]] std::optional<std::string> check_monoid(Op const& op, Samples const& samples,
                                                      law_options const& o = {}) {
  using A = accumulator_t<Op, std::ranges::range_value_t<Samples>>;
  static_assert(detail::combines<Op, A>,
                "upsweep: the operator must be callable as op(accumulator, accumulator) and return "
                "an accumulator");
  detail::float_environment const ieee;  // as in the verbs
  return detail::laws::search<Op, A, Samples>(op, samples, o).counter_example();
}

template <class Op, class T>
[[nodiscard]] std::optional<std::string> check_monoid(Op const& op,
                                                      std::initializer_list<T> samples,
                                                      law_options const& o = {}) {
  return check_monoid(op, std::vector<T>(samples), o);
}

}  // namespace upsweep
