/// The scans of one operator on a GPU, over each of the types that the list has for it.
///
/// An exact operator has the same bits in any grouping, so a piece is one call of the library's
/// compiled kernels with what came before as the initial value. The others need the library's
/// streams, whose kernels scan_streams.cu compiles.
#pragma once

#include <cli/engine/device_stream.hpp>
#include <io/error.hpp>
#include <upsweep/cuda.hpp>
#include <upsweep/cuda/device_memory.cuh>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace upsweep::cli::gpu {

// Arrays of the host on their way through a GPU, a piece at a time.

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

/// A scan_stream of an exact operator.
template <class T, class Op>
class exact_scan {
 public:
  exact_scan(Op, options<T> const& o) : so_far_(o) {}

  void inclusive(std::span<T const> values, std::span<T> results) {
    upsweep::inclusive_scan(upsweep::gpu{}, values, results, Op{}, so_far_);
    T last{};
    check_cuda(cudaMemcpy(&last, &results.back(), sizeof last, cudaMemcpyDeviceToHost),
               "read the last result");
    so_far_.initial = last;
  }

 private:
  options<T> so_far_;
};

template <class T, class Op>
class scan_on_gpu final : public device_scan {
 public:
  explicit scan_on_gpu(void const* initial) : options_{.initial = initial_at<T>(initial)} {}

  void restart() override { stream_.reset(); }
  void push(void const* values, std::size_t n, void* results) override {
    if (!stream_) stream_.emplace(Op{}, options_);
    auto const scan_piece = [&](std::span<T> piece, std::size_t first) {
      stream_->inclusive(piece, piece);
      check_cuda(cudaMemcpy(static_cast<T*>(results) + first, piece.data(), piece.size_bytes(),
                            cudaMemcpyDeviceToHost),
                 "copy results to the host");
    };
    pieces_.for_each(std::span(static_cast<T const*>(values), n), scan_piece);
  }

 private:
  options<T> options_;
  std::optional<
      std::conditional_t<is_exact<Op, T>, exact_scan<T, Op>, scan_stream<T, Op, upsweep::gpu>>>
      stream_;
  device_pieces<T> pieces_;
};

/// The scan of elements of that type, which is one of those that are accumulators too.
template <class Op>
std::unique_ptr<device_scan> scan_by(dynamic::dtype element, void const* initial) {
  std::unique_ptr<device_scan> made;
  dynamic::for_each_type(dynamic::types_for<dynamic::target::gpu, Op>{}, [&]<class T>() {
    if constexpr (std::is_same_v<T, accumulator_t<Op, T>>)
      if (dynamic::dtype_of<dynamic::number_of<T>> == element)
        made = std::make_unique<scan_on_gpu<T, Op>>(initial);
  });
  return made;
}

// Those that need kernels of streams.
extern template std::unique_ptr<device_scan> scan_by<plus>(dynamic::dtype, void const*);
extern template std::unique_ptr<device_scan> scan_by<multiplies>(dynamic::dtype, void const*);
extern template std::unique_ptr<device_scan> scan_by<affine>(dynamic::dtype, void const*);

}  // namespace upsweep::cli::gpu
