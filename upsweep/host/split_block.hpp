/// A block of a scan by an operator whose accumulator is made of two numbers (and perhaps a count),
/// as the vector kernels see it: an array for each of the two.
#pragma once

#include <upsweep/ops/log_sum_exp.hpp>
#include <upsweep/ops/moments.hpp>

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace upsweep::host {

/// The parts of an accumulator; the count is 0 where the operator has none.
template <class N>
struct split_value {
  std::uint64_t count;
  N a, b;
};
inline split_value<double> split(moments_of const& m) {
  return {m.count, m.mean, m.m2};
}
template <class N>
split_value<N> split(scaled_exponentials<N> const& e) {
  return {0, e.largest, e.sum};
}
template <class A, class N>
A join_parts(std::uint64_t count, N a, N b) {
  if constexpr (std::is_same_v<A, moments_of>)
    return {count, a, b};
  else
    return {a, b};
}

/// The type of both numbers, to which elements are converted.
template <class A>
using split_number_t = decltype(split(A{}).a);

template <class N>
struct split_array {
  N* a;
  N* b;
};

/// The block's n elements, n a power of two, and room for what up() keeps for down().
template <class A>
struct split_block {
  using number = split_number_t<A>;

  std::size_t n;
  number const* x;
  split_array<number> node;    ///< n
  split_array<number> result;  ///< n + 1: the prefix before each element and at the end
  bool by_lanes;               ///< whether lanes, not the operator itself, have combined the nodes
};

}  // namespace upsweep::host
