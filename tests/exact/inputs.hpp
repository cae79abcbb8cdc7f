/// Inputs on which sums go wrong, each family a few lines.
#pragma once

#include <support/random.hpp>

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Any finite bit pattern: every exponent equally often, subnormals and zeros too.
template <class T>
T any_finite(random_bits& next) {
  for (;;) {
    T const x = std::bit_cast<T>(static_cast<bits_of<T>>(next() >> (64 - 8 * sizeof(T))));
    if (std::isfinite(x)) return x;
  }
}

/// A random sign and significand with an exponent in [low, high).
template <class T>
T with_exponent(random_bits& next, int low, int high) {
  double const significand = 1 + static_cast<double>(next() >> 12) * 0x1p-52;
  int const exponent = low + static_cast<int>(next.below(static_cast<std::uint64_t>(high - low)));
  double const x = std::ldexp(significand, exponent);
  return static_cast<T>(next() & 1 ? -x : x);
}

template <class T>
struct family {
  std::string name;
  T (*element)(random_bits&, std::size_t);
};

template <class T>
std::vector<family<T>> families() {
  using limits = std::numeric_limits<T>;
  constexpr int top = limits::max_exponent, bottom = limits::min_exponent - limits::digits;
  return {{"uniform",
           [](random_bits& r, std::size_t) {
             return static_cast<T>(static_cast<double>(r() >> 11) * 0x1p-53);
           }},
          {"narrow, both signs",
           [](random_bits& r, std::size_t) { return with_exponent<T>(r, -20, 20); }},
          {"wider than the windows",
           [](random_bits& r, std::size_t) { return with_exponent<T>(r, -100, 100); }},
          {"any bits", [](random_bits& r, std::size_t) { return any_finite<T>(r); }},
          {"subnormal",
           [](random_bits& r, std::size_t) {
             return with_exponent<T>(r, bottom, bottom + limits::digits);
           }},
          {"around the smallest normal",
           [](random_bits& r, std::size_t) {
             return with_exponent<T>(r, limits::min_exponent - 8, limits::min_exponent + 8);
           }},
          {"near overflow",
           [](random_bits& r, std::size_t) { return with_exponent<T>(r, top - 12, top); }},
          {"integers",
           [](random_bits& r, std::size_t) {
             return static_cast<T>(static_cast<double>(r.below(2001)) - 1000);
           }},
          {"canceling",
           [](random_bits& r, std::size_t i) {
             return i % 3 == 2 ? T{1}
                               : (i % 3 == 0 ? T{1} : T{-1}) *
                                     std::ldexp(T{1}, static_cast<int>(r.below(100)));
           }},
          {"one huge in a while",
           [](random_bits& r, std::size_t i) {
             return i % 5000 == 4999 ? limits::max() / 2 : with_exponent<T>(r, -3, 3);
           }},
          {"signed zeros", [](random_bits& r, std::size_t) { return r() & 1 ? -T{0} : T{0}; }},
          {"negative zeros", [](random_bits&, std::size_t) { return -T{0}; }},
          {"halves of the last place", [](random_bits& r, std::size_t i) {
             T const ulp = limits::epsilon();
             return i == 0 ? T{1}
                           : std::ldexp(ulp, -1 - static_cast<int>(r.below(6))) *
                                 (r() & 1 ? T{1} : T{-1});
           }}};
}

template <class T>
std::vector<T> made(family<T> const& f, std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + salt);
  std::vector<T> x;
  x.reserve(n);
  for (std::size_t i = 0; i < n; ++i) x.push_back(f.element(next, i));
  return x;
}

}  // namespace upsweep::test
