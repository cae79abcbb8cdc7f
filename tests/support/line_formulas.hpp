/// Functions of lines as they are written in formulas, with the sums of the reference: what kernels
/// are compared with.
#pragma once

#include <upsweep/core/line_formulas.hpp>
#include <upsweep/core/portable_math.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <cmath>
#include <cstddef>
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

}  // namespace upsweep::test
