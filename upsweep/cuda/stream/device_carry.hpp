/// The carry of a stream whose elements are on a GPU.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>

struct CUstream_st;

namespace upsweep {

namespace device {
/// The values of a carry: at [k] the total of the block of digit k, then prefix(position).
inline constexpr unsigned carry_prefix = 64, carry_values = 65;
}  // namespace device

/// The counterpart of carry<A> with its values in device memory: kernels read and write them, and
/// the host waits only when it asks for a prefix.
template <class A>
class device_carry {
 public:
  static constexpr std::size_t bytes = 2 * device::carry_values * sizeof(A);

  device_carry() = default;
  /// The carry of `position` elements, whose values kernels store or have stored at the start of
  /// `memory`, of `bytes` bytes.
  device_carry(stream_memory memory, std::size_t position)
      : memory_(std::move(memory)), position_(position) {}

  [[nodiscard]] std::size_t position() const { return position_; }

  /// prefix(position()), or nullptr at position 0. Waits for the CUDA stream. Throws cuda_error.
  [[nodiscard]] A const* prefix() const {
    if (position_ == 0) return nullptr;
    if (!prefix_) {
      A value{};
      memory_.read((present_ * device::carry_values + device::carry_prefix) * sizeof(A), &value,
                   sizeof(A));
      prefix_ = value;
    }
    return &*prefix_;
  }

  /// The present values, and space for those after the next chunk, in device memory that the first
  /// call allocates, in the order of `stream`. A kernel reads the former until it ends.
  struct halves {
    A const* present;
    A* next;
  };
  [[nodiscard]] halves values(CUstream_st* stream) {
    if (memory_.data() == nullptr) memory_ = stream_memory(stream, bytes);
    auto* const first = static_cast<A*>(memory_.data());
    return {first + present_ * device::carry_values, first + (1 - present_) * device::carry_values};
  }
  /// Called when a kernel that appends n elements has been launched.
  void advance(std::size_t n) {
    position_ += n;
    present_ = 1 - present_;
    prefix_.reset();
  }

 private:
  stream_memory memory_;
  std::size_t position_ = 0, present_ = 0;
  mutable std::optional<A> prefix_;
};

/// The carry of a stream on a GPU: device_carry for accumulators that kernels can hold; for others,
/// such as those of exact_sum, a carry on the host.
template <class A>
using cuda_carry = std::conditional_t<std::is_trivially_copyable_v<A> &&
                                          std::is_default_constructible_v<A> && sizeof(A) <= 64,
                                      device_carry<A>, carry<A>>;

}  // namespace upsweep
