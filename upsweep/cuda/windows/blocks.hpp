/// Windows that are too wide for `windows`: blocks in device memory, one digit of the width a
/// launch.
/// A launch reads up to 2^levels totals for each window and writes one
/// docs/design/0013-cuda-verbs.md
#pragma once

#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/windows/windows.hpp>

#include <cstddef>

namespace upsweep::device {

/// The bits of a digit, and one more for the block that is the next digit's.
inline constexpr int wide_levels = 3;

/// One digit of the width. `x` has, for each position, the total of `apart` elements.
template <class A>
struct wide_digit {
  A const* x;
  std::size_t apart;
  int bits;  ///< of the digit; 2^wide_levels for the block of the next digit
};

/// One thread for each window. Result i is call.totals[i], if those are not null, followed by the
/// blocks of the digit from position i + call.offset on.
template <class Sink, class A, class Op>
__global__ void __launch_bounds__(256)
    window_blocks(wide_digit<A> digit, Sink out, window_call<A> call, Op op) {
  wait_for_earlier_work();
  std::size_t const i = blockIdx.x * std::size_t{blockDim.x} + threadIdx.x;
  if (i >= call.count) return;
  bool there = call.totals != nullptr;
  A total{};
  if (there) total = call.totals[i];
#pragma unroll
  for (int j = wide_levels; j >= 0; --j) {
    if ((digit.bits >> j & 1) == 0) continue;
    auto const larger = static_cast<std::size_t>(digit.bits >> (j + 1) << (j + 1));
    A const* const from = digit.x + (i + call.offset + larger * digit.apart);
    A x[1 << wide_levels];
#pragma unroll
    for (int m = 0; m < 1 << wide_levels; ++m)
      if (m < 1 << j) x[m] = from[static_cast<std::size_t>(m) * digit.apart];
#pragma unroll
    for (int k = j - 1; k >= 0; --k)
#pragma unroll
      for (int m = 0; m < 1 << (wide_levels - 1); ++m)
        if (m < 1 << k) x[m] = static_cast<A>(op(x[2 * m], x[2 * m + 1]));
    total = there ? static_cast<A>(op(total, x[0])) : x[0];
    there = true;
  }
  A result[] = {total};
  call.combine_initial(op, result);
  out(i, result[0]);
}

}  // namespace upsweep::device
