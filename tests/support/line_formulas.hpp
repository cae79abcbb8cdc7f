/// Functions of lines as they are written in formulas, with the sums of the reference: what kernels
/// are compared with.
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/core/line_formulas.hpp>
#include <upsweep/core/portable_math.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace upsweep::test {

namespace library = upsweep::detail::line_formulas;

template <class A>
A sum_of(std::vector<A> const& x) {
  return reference::reduce(x, plus{});
}
template <class A>
A exp_of(A x) {
  return static_cast<A>(upsweep::detail::portable::exp(static_cast<double>(x)));
}

/// One line: its elements, the gradients of its results, weights, and what the functions leave.
template <class A>
struct one_line {
  std::vector<A> x, g, w;
  A parameter;
  A shift{}, scale{};
  std::vector<A> y{};

  [[nodiscard]] std::size_t size() const { return x.size(); }
  template <class Of>
  [[nodiscard]] std::vector<A> each(Of const& of) const {
    std::vector<A> made;
    for (std::size_t i = 0; i < size(); ++i) made.push_back(of(i));
    return made;
  }
};
template <class A>
A product_of(A x, A y) {
  volatile A const p = x * y;  // rounded before it is added
  return p;
}

struct softmax_formula {
  using forward = library::softmax_of;
  using backward = library::softmax_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    line.shift = line.x[0];
    for (A const x : line.x)
      if (x > line.shift || x != x) line.shift = x;
    for (A const x : line.x)
      if (x != x) line.shift = x;
    auto const e = line.each([&](std::size_t i) { return exp_of(A(line.x[i] - line.shift)); });
    line.scale = sum_of(e);
    line.y = line.each([&](std::size_t i) { return e[i] / line.scale; });
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const s = line.scale;
    auto const e = line.each([&](std::size_t i) { return exp_of(A(line.x[i] - line.shift)); });
    A const of_sum =
        sum_of(line.each([&](std::size_t i) { return product_of(-line.g[i], e[i] / s / s); }));
    return line.each([&](std::size_t i) { return A(line.g[i] / s + of_sum) * e[i]; });
  }
};
struct rms_norm_formula {
  using forward = library::rms_norm_of;
  using backward = library::rms_norm_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    A const total = sum_of(line.each([&](std::size_t i) { return line.x[i] * line.x[i]; }));
    line.scale = std::sqrt(A(total / static_cast<A>(line.size())) + line.parameter);
    line.y = line.each([&](std::size_t i) { return A(line.x[i] / line.scale) * line.w[i]; });
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const r = line.scale;
    auto const g = line.each([&](std::size_t i) { return line.g[i] * line.w[i]; });
    A const of_root =
        sum_of(line.each([&](std::size_t i) { return product_of(-g[i], line.x[i] / r / r); }));
    A const of_square = of_root / (2 * r) / static_cast<A>(line.size());
    return line.each([&](std::size_t i) {
      A const part = product_of(of_square, line.x[i]);
      return A(A(g[i] / r) + part) + part;
    });
  }
};
struct variance_formula {
  using forward = library::variance_of;
  using backward = library::variance_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    line.shift = sum_of(line.x) / static_cast<A>(line.size());
    line.scale = sum_of(line.each([&](std::size_t i) {
                   A const d = line.x[i] - line.shift;
                   return product_of(d, d);
                 })) /
                 line.parameter;
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    auto const d = line.each([&](std::size_t i) {
      A const half = product_of(A(line.g[0] / line.parameter), A(line.x[i] - line.shift));
      return A(half + half);
    });
    A const of_mean =
        sum_of(line.each([&](std::size_t i) { return -d[i]; })) / static_cast<A>(line.size());
    return line.each([&](std::size_t i) { return A(d[i] + of_mean); });
  }
};
/// These have only gradients, which are given the logarithm of the sum.
struct log_softmax_formula {
  using forward = void;
  using backward = library::log_softmax_gradient;

  template <class A>
  static void run(one_line<A>& line) {
    A const infinity = std::numeric_limits<A>::infinity();
    bool none = true;
    for (A const x : line.x) none = none && x == -infinity;
    line.shift = none ? -infinity : A(line.x[0] + A(2.5));
  }
  template <class A>
  static A part(one_line<A> const& line, std::size_t i) {
    bool const none = line.shift == -std::numeric_limits<A>::infinity();
    return none ? A{0} : exp_of(A(line.x[i] - line.shift));
  }
  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    A const of_log = sum_of(line.each([&](std::size_t i) { return -line.g[i]; }));
    return line.each(
        [&](std::size_t i) { return A(line.g[i] + product_of(of_log, part(line, i))); });
  }
};
struct logsumexp_formula : log_softmax_formula {
  using backward = library::logsumexp_gradient;

  template <class A>
  static std::vector<A> gradient(one_line<A> const& line) {
    return line.each([&](std::size_t i) { return product_of(line.g[0], part(line, i)); });
  }
};

/// Lines of random numbers with gradients and, perhaps, weights, some of special values, and what
/// the formula makes of them.
template <class Formula, class E, class A>
struct random_lines {
  std::size_t count, size;
  std::vector<E> x, g, w;
  std::vector<one_line<A>> lines;

  random_lines(std::size_t how_many, std::size_t length, bool weighted, A parameter,
               std::uint64_t seed)
      : count(how_many), size(length) {
    constexpr bool of_lines = Formula::backward::of_lines;
    random_bits next(seed);
    auto const numbers = [&](std::size_t n) {
      std::vector<E> all;
      for (std::size_t i = 0; i < n; ++i)
        all.push_back(E(static_cast<float>(static_cast<double>(next() >> 40) * 0x1p-22 - 2)));
      return all;
    };
    x = numbers(count * size);
    g = numbers(of_lines ? count : count * size);
    if (weighted) w = numbers(size);
    float const infinity = std::numeric_limits<float>::infinity();
    if (count > 4) {
      x[size * 2 + next.below(size)] = E(infinity);
      x[size * 3 + next.below(size)] = E(std::numeric_limits<float>::quiet_NaN());
      for (std::size_t i = 0; i < size; ++i) x[size * 4 + i] = E(-infinity);
    }
    for (std::size_t k = 0; k < count; ++k) {
      one_line<A> line{{}, {}, {}, parameter};
      for (std::size_t i = 0; i < size; ++i) {
        line.x.push_back(static_cast<A>(x[k * size + i]));
        line.g.push_back(static_cast<A>(g[of_lines ? k : k * size + i]));
        line.w.push_back(weighted ? static_cast<A>(w[i]) : A{1});
      }
      Formula::run(line);
      lines.push_back(line);
    }
  }

  /// Expects the shifts, then the scales of the lines.
  void expect_left(std::vector<A> const& numbers) const {
    for (std::size_t k = 0; k < count; ++k) {
      expect_bits(numbers[k], lines[k].shift, k);
      expect_bits(numbers[count + k], lines[k].scale, k);
    }
  }
  /// Expects the results that of(line) computes.
  template <class Of>
  void expect_results(std::vector<E> const& out, Of const& of) const {
    for (std::size_t k = 0; k < count; ++k) {
      auto const want = of(lines[k]);
      for (std::size_t i = 0; i < size; ++i)
        expect_bits(out[k * size + i], static_cast<E>(want[i]), i);
    }
  }

 private:
  template <class T>
  static void expect_bits(T got, T want, std::size_t i) {
    EXPECT_TRUE(same_bits(got, want))
        << "result " << i << ": " << shown(got) << " is not " << shown(want);
  }
};

}  // namespace upsweep::test
