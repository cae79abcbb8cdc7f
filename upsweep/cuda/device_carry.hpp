/// The carry of a stream whose elements are on a GPU.
#pragma once

#include <upsweep/core/combine_tree.hpp>
#include <upsweep/cuda/workspace.hpp>

#include <cstddef>
#include <optional>
#include <type_traits>

struct CUstream_st;

namespace upsweep {

namespace device {
/// The values of a carry: at [k] the total of the block of digit k, then prefix(position), then the total of a block that is about
/// to be pushed.
inline constexpr unsigned carry_prefix = 64, carry_pushed = 65, carry_values = 66;
}  // namespace device

/// What carry<A> is, with its values in device memory: kernels read and write them, and nobody waits until somebody asks for a
/// prefix.
template <class A>
class device_carry {
 public:
  [[nodiscard]] std::size_t position() const { return position_; }

  /// prefix(position()), or nullptr at position 0. Waits for the CUDA stream. Throws cuda_error.
  [[nodiscard]] A const* prefix() const {
    if (position_ == 0) return nullptr;
    if (!prefix_) {
      A value{};
      memory_.read(device::carry_prefix * sizeof(A), &value, sizeof(A));
      prefix_ = value;
    }
    return &*prefix_;
  }

  /// The values, in device memory that is allocated by the first call, in the order of `stream`.
  [[nodiscard]] A* values(CUstream_st* stream) {
    if (memory_.data() == nullptr) memory_ = stream_memory(stream, device::carry_values * sizeof(A));
    return static_cast<A*>(memory_.data());
  }
  /// A kernel that has been launched appends 2^k elements.
  void advance(int k) {
    position_ += std::size_t{1} << k;
    prefix_.reset();
  }

 private:
  stream_memory memory_;
  std::size_t position_ = 0;
  mutable std::optional<A> prefix_;
};

/// Accumulators that kernels pass to each other go there; the others, such as those of exact_sum, stay with the host.
template <class A>
using cuda_carry = std::conditional_t<std::is_trivially_copyable_v<A> && std::is_default_constructible_v<A> && sizeof(A) <= 64,
                                      device_carry<A>, carry<A>>;

}  // namespace upsweep
