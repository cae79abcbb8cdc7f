/// Functions of lines that need one or two reductions of them, and their gradients. Each operation
/// is rounded as the operators of upsweep.torch do it on the CPU.
#pragma once

#include <upsweep/core/rounding.hpp>
#include <upsweep/cuda/device/exponential.hpp>

#include <cmath>
#include <limits>
#include <type_traits>

namespace upsweep::device {

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

/// Each function has: `first`, the reduction of the elements that gives the shift; kept(x, n), what
/// a thread keeps of element x from then on; `has_terms`, and term(), whose sum finish() takes;
/// `has_results`, and result(). Gradients g are those of elements or, with `of_lines`, of lines.
struct line_function {
  static constexpr auto first = first_reduction::none;
  static constexpr bool has_terms = true, has_results = true, is_gradient = false, of_lines = false,
                        is_weighted = false;

  template <class A, class E>
  static __device__ E kept(E x, line_numbers<A> const&) {
    return x;
  }
};
template <class A>
__forceinline__ __device__ A times_each(A x, A y) {
  return upsweep::detail::product(x, y);
}

/// exp(x - max) / sum of exp(x - max).
struct softmax_of : line_function {
  static constexpr auto first = first_reduction::max;

  template <class A, class E>
  static __device__ A kept(E x, line_numbers<A> const& n) {
    return exponential(static_cast<A>(x) - n.shift);
  }
  template <class A>
  static __device__ A term(A e, A, line_numbers<A> const&, line_given<A> const&) {
    return e;
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.scale = total;
  }
  template <class A>
  static __device__ A result(A e, A, line_numbers<A> const& n, line_given<A> const&) {
    return e / n.scale;
  }
};
struct softmax_gradient : line_function {
  static constexpr bool is_gradient = true;

  template <class A, class E>
  static __device__ A kept(E x, line_numbers<A> const& n) {
    return softmax_of::kept(x, n);
  }
  template <class A>
  static __device__ A term(A e, A g, line_numbers<A> const& n, line_given<A> const&) {
    return times_each(-g, e / n.scale / n.scale);
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.sum = total;
  }
  template <class A>
  static __device__ A result(A e, A g, line_numbers<A> const& n, line_given<A> const&) {
    return times_each(g / n.scale + n.sum, e);
  }
};

/// x / sqrt(mean of x^2 + epsilon). Elements are multiplied by their weights after it, and
/// gradients before it.
struct rms_norm_of : line_function {
  static constexpr bool is_weighted = true;

  template <class A>
  static __device__ A term(A x, A, line_numbers<A> const&, line_given<A> const&) {
    return times_each(x, x);
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.scale = std::sqrt(total / given.size + given.parameter);
  }
  template <class A>
  static __device__ A result(A x, A, line_numbers<A> const& n, line_given<A> const&) {
    return x / n.scale;
  }
};
struct rms_norm_gradient : line_function {
  static constexpr bool is_gradient = true, is_weighted = true;

  template <class A>
  static __device__ A term(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    return times_each(-g, x / n.scale / n.scale);
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.sum = total / (2 * n.scale) / given.size;
  }
  template <class A>
  static __device__ A result(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    A const part = times_each(n.sum, x);  // of each factor of x x
    return g / n.scale + part + part;
  }
};

/// The sum of squared distances from the mean, divided by a parameter.
struct variance_of : line_function {
  static constexpr auto first = first_reduction::sum;
  static constexpr bool has_results = false;

  template <class A>
  static __device__ A term(A x, A, line_numbers<A> const& n, line_given<A> const&) {
    return times_each(x - n.shift, x - n.shift);
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.scale = total / given.parameter;
  }
};
struct variance_gradient : line_function {
  static constexpr bool is_gradient = true, of_lines = true;

  template <class A>
  static __device__ A term(A x, A g, line_numbers<A> const& n, line_given<A> const& given) {
    return -of_distance(x, g, n, given);
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const& given) {
    n.sum = total / given.size;
  }
  template <class A>
  static __device__ A result(A x, A g, line_numbers<A> const& n, line_given<A> const& given) {
    return of_distance(x, g, n, given) + n.sum;
  }

 private:
  template <class A>
  static __device__ A of_distance(A x, A g, line_numbers<A> const& n, line_given<A> const& given) {
    A const half = times_each(g / given.parameter, x - n.shift);
    return half + half;
  }
};

/// Of log(sum of exp(x)), which is the shift: exp(x - shift) is the part of an element.
struct logsumexp_gradient : line_function {
  static constexpr bool is_gradient = true, of_lines = true, has_terms = false;

  template <class A>
  static __device__ A result(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    return times_each(g, part_of(x, n));
  }
  template <class A>
  static __device__ A part_of(A x, line_numbers<A> const& n) {
    constexpr A infinity = std::numeric_limits<A>::infinity();
    return exponential(n.shift == -infinity ? -infinity : x - n.shift);
  }
};
/// Of x minus that logarithm.
struct log_softmax_gradient : line_function {
  static constexpr bool is_gradient = true;

  template <class A>
  static __device__ A term(A, A g, line_numbers<A> const&, line_given<A> const&) {
    return -g;
  }
  template <class A>
  static __device__ void finish(A total, line_numbers<A>& n, line_given<A> const&) {
    n.sum = total;
  }
  template <class A>
  static __device__ A result(A x, A g, line_numbers<A> const& n, line_given<A> const&) {
    return g + times_each(n.sum, logsumexp_gradient::part_of(x, n));
  }
};

}  // namespace upsweep::device
