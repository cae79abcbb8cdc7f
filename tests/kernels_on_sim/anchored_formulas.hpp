/// The formulas of linear recurrences in docs/spec/blocks.md, on the host, and random numbers for
/// them.
#pragma once

#include <support/random.hpp>
#include <upsweep/cuda/anchored/call.hpp>

#include <cstddef>
#include <cstring>
#include <vector>

namespace upsweep::test {

using device::complex_number;

template <class N>
bool equal_bits(N const& x, N const& y) {
  return std::memcmp(&x, &y, sizeof x) == 0;
}
template <class N>
struct number_from {
  static N of(random_bits& next) {
    auto const x = static_cast<float>(next() >> 40) / (1 << 24);  // 0 to 1
    return static_cast<N>(2.25f * x - 1.125f);
  }
};
template <class T>
struct number_from<complex_number<T>> {
  static complex_number<T> of(random_bits& next) {
    T const re = number_from<T>::of(next);
    return {re, number_from<T>::of(next)};
  }
};

template <class N>
struct host_map {
  N a, b;
};
template <class T>
T multiplied(T x, T y) {
  return x * y;
}
template <class T>
complex_number<T> multiplied(complex_number<T> x, complex_number<T> y) {
  T const rr = x.re * y.re, ii = x.im * y.im, ri = x.re * y.im, ir = x.im * y.re;
  return {rr - ii, ri + ir};
}
template <class T>
T joined(T x, T y) {
  return x + y;
}
template <class T>
complex_number<T> joined(complex_number<T> x, complex_number<T> y) {
  return {x.re + y.re, x.im + y.im};
}
template <class T>
T mirrored(T x) {
  return x;
}
template <class T>
complex_number<T> mirrored(complex_number<T> x) {
  return {x.re, -x.im};
}
struct one_after_other {
  template <class N>
  host_map<N> operator()(host_map<N> const& l, host_map<N> const& r) const {
    return {multiplied(r.a, l.a), joined(multiplied(r.a, l.b), r.b)};
  }
};
/// The total of tokens [begin, begin + size) for a power of two.
template <class N>
host_map<N> total_of(std::vector<host_map<N>> const& x, std::size_t begin, std::size_t size) {
  if (size == 1) return x[begin];
  return one_after_other{}(total_of(x, begin, size / 2), total_of(x, begin + size / 2, size / 2));
}

}  // namespace upsweep::test
