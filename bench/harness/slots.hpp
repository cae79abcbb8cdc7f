/// Inputs and outputs in the memory of a device, host or GPU, which calls take in turn.
#pragma once

#include <cstddef>
#include <utility>

namespace upsweep::bench {

/// The memory of one cell. All competitors draw from the same rotation, so that with enough slots
/// no call finds in a cache what another one left there.
struct slots {
  std::byte* first_in = nullptr;
  std::byte* first_out = nullptr;  ///< the input itself for work in place
  std::size_t in_stride = 0, out_stride = 0, count = 1, next = 0;

  [[nodiscard]] std::byte* in(std::size_t slot) const { return first_in + slot * in_stride; }
  [[nodiscard]] std::byte* out(std::size_t slot) const { return first_out + slot * out_stride; }
  [[nodiscard]] std::pair<std::byte*, std::byte*> take() {
    std::size_t const slot = next++ % count;
    return {in(slot), out(slot)};
  }
  /// The first slot alone: calls meet what the call before them cached.
  [[nodiscard]] slots one() const { return {first_in, first_out, in_stride, out_stride, 1, 0}; }
};

}  // namespace upsweep::bench
