/// The textbook compiled for the GPU: every algorithm behind one function for each kind of
/// elements, for files of any compiler.
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

/// Maps x -> a x + b modulo 2^32: an operator that does not commute.
using map_element = affine_map<std::uint32_t>;

/// The block that is compiled: others would each cost as much time to compile again.
inline constexpr int threads = 256;

/// Runs an algorithm on n elements of device memory, in the machine's stream. Of a scan with one
/// form `exclusive` asks nothing.
template <class T>
using start_function = void (*)(cuda_machine& machine, T const* in, T* out, std::size_t n,
                                bool exclusive);

/// Sums of two types and compositions of maps; null where the algorithm does not take them.
struct gpu_kernel {
  std::string_view stem;
  start_function<std::int32_t> sum_i32;
  start_function<float> sum_f32;
  start_function<map_element> affine_maps;
};

/// All algorithms but those that only the emulator runs, by file.
[[nodiscard]] std::span<gpu_kernel const> kernels();

}  // namespace upsweep::gpu_textbook
