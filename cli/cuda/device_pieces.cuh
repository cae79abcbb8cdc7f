/// Arrays of the host on their way through a GPU, a piece at a time.
#pragma once

#include <io/error.hpp>
#include <upsweep/cuda/device_memory.cuh>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

namespace upsweep::cli::gpu {

/// Room for one piece of elements on the device.
template <class T>
class device_pieces {
 public:
  /// Calls f(piece, position) for each piece of `values`, which is on the device then. A failure of
  /// CUDA, also of f, is an unavailable_error.
  template <class F>
  void for_each(std::span<T const> values, F const& f) try {
    for (std::size_t first = 0; first < values.size(); first += most) {
      auto const piece = values.subspan(first, std::min(most, values.size() - first));
      if (!memory_ || memory_->size() < piece.size_bytes()) {
        memory_.reset();
        memory_.emplace(piece.size_bytes());
      }
      check_cuda(
          cudaMemcpy(memory_->data(), piece.data(), piece.size_bytes(), cudaMemcpyHostToDevice),
          "copy values to the device");
      f(std::span<T>(reinterpret_cast<T*>(memory_->data()), piece.size()), first);
    }
  } catch (cuda_error const& e) {
    throw io::unavailable_error(std::string("--on cuda: ") + e.what());
  }

 private:
  static constexpr std::size_t most = (std::size_t{1} << 26) / sizeof(T);
  std::optional<device_memory> memory_;
};

/// The accumulator at an untyped pointer, or nothing.
template <class A>
[[nodiscard]] std::optional<A> initial_at(void const* value) {
  return value != nullptr ? std::optional<A>(*static_cast<A const*>(value)) : std::nullopt;
}

}  // namespace upsweep::cli::gpu
