/// Calls that follow one another in a stream without a pause: each may be launched before the
/// previous one has completed.
#pragma once

#include "on_gpu.cuh"

#include <upsweep/cuda.cuh>

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace upsweep::test {

/// A kernel that is launched in the ordinary way.
inline __global__ void add_one(std::uint32_t* x, std::size_t n) {
  for (std::size_t i = threadIdx.x; i < n; i += blockDim.x) ++x[i];
}

/// Scans in place in both directions, reductions of what they leave, and other kernels between
/// them. `op` adds. In memory that is not aligned, blocks share sectors of 32 bytes: what one of
/// them had loaded before the other stored is in its multiprocessor's L1.
template <class Op>
void expect_one_after_another(Op const& op, std::size_t offset) {
  own_stream const stream;
  // One block, waves, the ring; what goes from the end takes tickets.
  for (std::size_t const n :
       at_most_given({1000, 70001, (std::size_t{1} << 18) + 3, (std::size_t{1} << 22) + 77})) {
    int const calls = n > 1000000 ? 6 : 40;
    auto x = random_elements<std::uint32_t>(n);
    on_gpu<std::uint32_t> const values(x, offset), totals(static_cast<std::size_t>(calls));
    std::vector<std::uint32_t> want;
    for (int call = 0; call < calls; ++call) {
      bool const reversed = call % 4 == 3;
      upsweep::inclusive_scan(gpu{stream.get()}, values.span(), values.span(), op,
                              {.reverse = reversed});
      reduce_into(gpu{stream.get()}, values.span(), totals.data() + call, op);
      if (call % 5 == 0)
        add_one<<<1, 256, 0, stream.get()>>>(values.data(), detail::at_most(n, std::size_t{1000}));
    }
    stream.wait();
    for (int call = 0; call < calls; ++call) {
      if (call % 4 == 3)
        std::partial_sum(x.rbegin(), x.rend(), x.rbegin());
      else
        std::partial_sum(x.begin(), x.end(), x.begin());
      want.push_back(std::accumulate(x.begin(), x.end(), std::uint32_t{0}));
      if (call % 5 == 0)
        for (std::size_t i = 0; i < detail::at_most(n, std::size_t{1000}); ++i) ++x[i];
    }
    expect_same(totals.values(), want);
    expect_same(values.values(), x);
  }
}

}  // namespace upsweep::test
