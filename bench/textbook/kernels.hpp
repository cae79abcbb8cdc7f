/// The textbook compiled for the GPU: one function per algorithm and element type, callable from
/// files of any compiler.
#pragma once

#include <upsweep/ops/affine.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace upsweep {
class cuda_machine;  // upsweep/cuda/machine.cuh
}

namespace upsweep::gpu_textbook {

/// Maps x -> a x + b modulo 2^32, whose composition does not commute.
using map_element = affine_map<std::uint32_t>;

/// The only block size that is compiled; each further one would multiply the compile time.
inline constexpr int threads = 256;

/// Runs an algorithm on n elements of device memory, in the machine's stream. `exclusive` has no
/// effect on a scan with only one form.
template <class T>
using start_function = void (*)(cuda_machine& machine, T const* in, T* out, std::size_t n,
                                bool exclusive);

/// Sums of two types and compositions of maps; null if the algorithm does not support them.
struct gpu_kernel {
  std::string_view stem;
  start_function<std::int32_t> sum_i32;
  start_function<float> sum_f32;
  start_function<map_element> affine_maps;
};

/// All algorithms except those that only the emulator runs, in the order of their files.
[[nodiscard]] std::span<gpu_kernel const> kernels();

}  // namespace upsweep::gpu_textbook
