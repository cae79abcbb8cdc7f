/// Arrays in the memory of a GPU, as DLPack describes them, and the failures of calls on them.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/cuda/check.cuh>
#include <upsweep/names/dtype.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace upsweep::python {

namespace nb = nanobind;

/// An array of any library. The package has prepared it, so what is wrong with one here is a defect
/// of the package, and the sentence is for its authors.
class view {
 public:
  /// Takes over what a capsule of DLPack describes.
  explicit view(nb::ndarray<> array);

  [[nodiscard]] nb::ndarray<> const& array() const { return array_; }
  [[nodiscard]] std::optional<dynamic::dtype> type() const { return type_; }
  [[nodiscard]] upsweep_type type_in_c() const;
  [[nodiscard]] std::size_t size() const { return array_.size(); }
  [[nodiscard]] int device() const { return array_.device_id(); }
  [[nodiscard]] void* data() const { return const_cast<void*>(array_.data()); }
  [[nodiscard]] std::byte* element(std::size_t i) const {
    return static_cast<std::byte*>(data()) + i * array_.itemsize();
  }
  /// Whether the elements lie one after another in the order of their indices.
  [[nodiscard]] bool contiguous() const;

 private:
  nb::ndarray<> array_;
  std::optional<dynamic::dtype> type_;
};

/// Makes a device the current one of this thread, as long as it lives.
class current_device {
 public:
  explicit current_device(int device);
  ~current_device();
  current_device(current_device const&) = delete;
  current_device& operator=(current_device const&) = delete;

 private:
  int before_ = 0;
  bool changed_ = false;
};

/// DLPack's number of a stream: its address, 1 for the default stream, 2 for that of a thread.
[[nodiscard]] inline CUstream_st* stream_of(std::uintptr_t number) {
  return reinterpret_cast<CUstream_st*>(number);
}

/// Throws Python's exception for a call that failed, with the library's sentence.
void expect_ok(upsweep_status status);
[[noreturn]] void raise(cuda_error const& e);

/// Returns f(); a failed CUDA call is Python's exception. nanobind would translate it, but asks the
/// modules in any order, and upsweep's knows only the errors of the CPU.
template <class F>
decltype(auto) raising(F const& f) {
  try {
    return f();
  } catch (cuda_error const& e) {
    raise(e);
  }
}

void add_arrays(nb::module_& m);
void add_calls(nb::module_& m);
void add_recurrences(nb::module_& m);
void add_jax(nb::module_& m);

}  // namespace upsweep::python
