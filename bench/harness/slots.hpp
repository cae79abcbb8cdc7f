/// Inputs and outputs in host or GPU memory, which calls use in rotation.
#pragma once

#include <cstddef>
#include <utility>

namespace upsweep::bench {

/// The memory of one cell. All competitors share one rotation, so that with enough slots no call
/// finds another call's data in a cache.
struct slots {
  std::byte* first_in = nullptr;
  std::byte* first_out = nullptr;  ///< the input if the work is in place
  std::size_t in_stride = 0, out_stride = 0, count = 1, next = 0;

  [[nodiscard]] std::byte* in(std::size_t slot) const { return first_in + slot * in_stride; }
  [[nodiscard]] std::byte* out(std::size_t slot) const { return first_out + slot * out_stride; }
  [[nodiscard]] std::pair<std::byte*, std::byte*> take() {
    std::size_t const slot = next++ % count;
    return {in(slot), out(slot)};
  }
  /// The first slot only: calls find the previous call's data in the caches.
  [[nodiscard]] slots one() const { return {first_in, first_out, in_stride, out_stride, 1, 0}; }
};

}  // namespace upsweep::bench
