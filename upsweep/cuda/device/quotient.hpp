/// Quotients of 64-bit numbers, most of which are small.
#pragma once

#include <upsweep/simt/kernel.hpp>

#include <cstddef>

namespace upsweep::device {

/// n / d. The division of 64 bits takes many instructions, that of 32 bits a few.
__forceinline__ __device__ std::size_t quotient(std::size_t n, std::size_t d) {
  return (n | d) >> 32 == 0 ? static_cast<unsigned>(n) / static_cast<unsigned>(d) : n / d;
}

}  // namespace upsweep::device
