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

template struct compiled<lists::sorts>;

}  // namespace upsweep::test
