/// Functions of lines that need one or two reductions of them, and their gradients: the formulas
/// that processors and GPUs share.
#pragma once

#include <upsweep/core/rounding.hpp>

#include <cmath>

UPSWEEP_IEEE_BEGIN
namespace upsweep::detail::line_formulas {

/// The numbers of a line. Functions leave the first two, which their gradients take.
template <class A>
struct line_numbers {
  A shift, scale;
  A sum;  ///< of a gradient
};
/// Numbers of a call: how many elements a line has, and what else the function is given, of
/// rms_norm epsilon, of the variance what its sum is divided by.
template <class A>
struct line_given {
  A size, parameter;
};
enum class first_reduction { none, sum, max };

/// Each function has: `first`, the reduction of the elements that gives the shift; what is kept of
/// an element x from then on, with `has_exponential` that of exponent(x, n), and otherwise x;
/// `has_terms`, and term() of what is kept, whose sum finish() takes; `has_results`, and result().
/// Gradients g are those of elements or, with `of_lines`, of lines.
struct line_function {
  static constexpr auto first = first_reduction::none;
  static constexpr bool has_exponential = false, has_terms = true, has_results = true,
                        is_gradient = false, of_lines = false, is_weighted = false;
};

/// exp(x - max) / sum of exp(x - max).
struct softmax_of : line_function {
  static constexpr auto first = first_reduction::max;
  static constexpr bool has_exponential = true;

  template <class A>
  static UPSWEEP_BOTH A exponent(A x, line_numbers<A> const& n) {
    return x - n.shift;
  }
  template <class A>
  static UPSWEEP_BOTH A term(A e, A, line_numbers<A> const&, line_given<A> const&) {
    return e;
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.scale = total;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A e, A, line_numbers<A> const& n, line_given<A> const&) {
    return e / n.scale;
  }
};
struct softmax_gradient : line_function {
  static constexpr bool is_gradient = true, has_exponential = true;

  template <class A>
  static UPSWEEP_BOTH A exponent(A x, line_numbers<A> const& n) {
    return softmax_of::exponent(x, n);
  }
  template <class A>
  static UPSWEEP_BOTH A term(A e, A g, line_numbers<A> const& n, line_given<A> const&) {
    return product(-g, e / n.scale / n.scale);
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.sum = total;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A e, A g, line_numbers<A> const& n, line_given<A> const&) {
    return product(g / n.scale + n.sum, e);
  }
};

/// x / sqrt(mean of x^2 + epsilon). Elements are multiplied by their weights after it, and
/// gradients before it.
struct rms_norm_of : line_function {
  static constexpr bool is_weighted = true;

  template <class A>
  static UPSWEEP_BOTH A term(A x, A, line_numbers<A> const&, line_given<A> const&) {
    return product(x, x);
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.scale = std::sqrt(total / given.size + given.parameter);
  }
  template <class A>
  static UPSWEEP_BOTH A result(A x, A, line_numbers<A> const& n, line_given<A> const&) {
    return x / n.scale;
  }
};
struct rms_norm_gradient : line_function {
  static constexpr bool is_gradient = true, is_weighted = true;

  template <class A>
  static UPSWEEP_BOTH A term(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    return product(-g, x / n.scale / n.scale);
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.sum = total / (2 * n.scale) / given.size;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    A const part = product(n.sum, x);  // of each factor of x x
    return g / n.scale + part + part;
  }
};

/// The sum of squared distances from the mean, divided by a parameter.
struct variance_of : line_function {
  static constexpr auto first = first_reduction::sum;
  static constexpr bool has_results = false;

  template <class A>
  static UPSWEEP_BOTH A term(A x, A, line_numbers<A> const& n, line_given<A> const&) {
    return product(x - n.shift, x - n.shift);
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.scale = total / given.parameter;
  }
};
struct variance_gradient : line_function {
  static constexpr bool is_gradient = true, of_lines = true;

  template <class A>
  static UPSWEEP_BOTH A term(A x, A g, line_numbers<A> const& n, line_given<A> const& given) {
    return -of_distance(x, g, n, given);
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.sum = total / given.size;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A x, A g, line_numbers<A> const& n, line_given<A> const& given) {
    return of_distance(x, g, n, given) + n.sum;
  }

 private:
  template <class A>
  static UPSWEEP_BOTH A of_distance(A x, A g, line_numbers<A> const& n,
                                    line_given<A> const& given) {
    A const half = product(g / given.parameter, x - n.shift);
    return half + half;
  }
};

/// Of log(sum of exp(x)), which is the shift: exp(x - shift) is the part of an element.
struct logsumexp_gradient : line_function {
  static constexpr bool is_gradient = true, of_lines = true, has_exponential = true,
                        has_terms = false;

  template <class A>
  static UPSWEEP_BOTH A exponent(A x, line_numbers<A> const& n) {
    return n.shift == -infinity<A> ? -infinity<A> : x - n.shift;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A part, A g, line_numbers<A> const&, line_given<A> const&) {
    return product(g, part);
  }
};
/// Of x minus that logarithm.
struct log_softmax_gradient : line_function {
  static constexpr bool is_gradient = true, has_exponential = true;

  template <class A>
  static UPSWEEP_BOTH A exponent(A x, line_numbers<A> const& n) {
    return logsumexp_gradient::exponent(x, n);
  }
  template <class A>
  static UPSWEEP_BOTH A term(A, A g, line_numbers<A> const&, line_given<A> const&) {
    return -g;
  }
  template <class A>
  static UPSWEEP_BOTH void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.sum = total;
  }
  template <class A>
  static UPSWEEP_BOTH A result(A part, A g, line_numbers<A> const& n, line_given<A> const&) {
    return g + product(n.sum, part);
  }
};

}  // namespace upsweep::detail::line_formulas
UPSWEEP_IEEE_END
