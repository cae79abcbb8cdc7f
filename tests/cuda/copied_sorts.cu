/// Kernels of the suite of sorts.
#include "sorts_copied_to_gpu.cuh"

#include <upsweep/cuda.cuh>
#include <upsweep/cuda/sort.cuh>

#include <cstddef>
#include <cstdint>

namespace upsweep::test {

template <class T, class Less>
void gpu_sorts<T, Less>::sort(T* x, std::size_t n, Less const& less) {
  gpu{}.sort(x, n, less);
}
template <class T, class Less>
void gpu_sorts<T, Less>::sort_by_key(T* keys, double* values, std::size_t n, Less const& less) {
  gpu{}.sort_by_key(keys, values, n, less);
}
template <class T, class Less>
void gpu_sorts<T, Less>::argsort(T const* x, std::size_t n, std::uint32_t* order,
                                 Less const& less) {
  gpu{}.argsort(x, n, order, less);
}
template <class T, class Less>
void gpu_top<T, Less>::run(T const* x, std::size_t n, T* out, std::size_t count, Less const& less) {
  gpu{}.top(x, n, out, count, less);
}

template struct gpu_sorts<float, ascending>;
template struct gpu_sorts<float, descending>;
template struct gpu_sorts<float, total_order>;
template struct gpu_sorts<bfloat16, ascending>;
template struct gpu_sorts<bfloat16, descending>;
template struct gpu_sorts<std::int8_t, ascending>;
template struct gpu_sorts<std::int8_t, descending>;
template struct gpu_sorts<std::int64_t, ascending>;
template struct gpu_sorts<std::int64_t, descending>;
template struct gpu_sorts<labeled, order_of_keys>;
template struct gpu_top<float, descending>;
template struct gpu_top<labeled, order_of_keys>;

}  // namespace upsweep::test
