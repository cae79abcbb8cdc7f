/// The naive scan as tutorials present it, x[in] -> x[out]: exclusive, double-buffered in the
/// halves of one array of 2n elements.
/// Cost: n·log2 n - (n - 1) applications · log2 n steps · 1 + log2 n barriers
/// Source: Hillis & Steele 1986; Harris, Sengupta & Owens, GPU Gems 3, ch. 39, listing 39-1
/// Page: docs/algorithms/hillis_steele.md
#pragma once

#include <upsweep/textbook/scan_skeleton.hpp>

#include <cstddef>

namespace upsweep::textbook {

/// The listing adds into x[out], which holds the values of two steps ago; here both operands come
/// from x[in].
template <class T, int threads, class Op>
__global__ void hillis_steele(T const* in, T* out, std::size_t n, Op op) {
  __shared__ T x[2 * threads];
  unsigned const t = threadIdx.x;
  std::size_t const i = std::size_t{blockIdx.x} * threads + t;
  unsigned x_out = 0, x_in = 1;
  T mine = identity_of<T>(op);
  if (t > 0 && i < n) mine = in[i - 1];  // shifted right by one with the identity first: exclusive
  x[x_out * threads + t] = mine;
  __syncthreads();  // the tile is loaded
  for (unsigned offset = 1; offset < threads; offset *= 2) {
    x_out = 1 - x_out;
    x_in = 1 - x_out;
    if (t >= offset)
      x[x_out * threads + t] = op(x[x_in * threads + t - offset], x[x_in * threads + t]);
    else
      x[x_out * threads + t] = x[x_in * threads + t];
    __syncthreads();  // x[out][t] covers the 2·offset elements that end at t, and no
                      // thread reads x[in] any more
  }
  if (i < n) out[i] = x[x_out * threads + t];
}

template <int threads>
struct hillis_steele_plan {
  static constexpr int least_threads = 1;
  static constexpr bool exclusive = true;
  static constexpr std::size_t tile = threads;

  template <class Machine, class T, class Op>
  static void run(Machine& machine, T const* in, T* out, std::size_t n, Op op) {
    scan_by_blocks<tile, exclusive>(machine, in, out, n, op, "hillis_steele", threads,
                                    hillis_steele<T, threads, Op>);
  }
};

}  // namespace upsweep::textbook
