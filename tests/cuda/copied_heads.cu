/// Kernels of unique, runs and run_starts in the suite of selections, and of rows in place.
#include "copied_verbs.cuh"

#include <cstdint>

namespace upsweep::test {

template <class T, class Same>
using heads = detail::marks_of_runs<T const*, Same>;
template <class T>
using values = detail::value_output<T const*, T*>;
template <class T>
using positions = detail::position_output<T*>;

#define UPSWEEP_HEADS(T, Same)                                           \
  template struct gpu_selection<heads<T, Same>, values<T>>;              \
  template struct gpu_selection<heads<T, Same>, positions<std::size_t>>; \
  template struct gpu_selection<heads<T, Same>, values<T>, positions<std::uint32_t>>;
UPSWEEP_HEADS(std::uint8_t, same)
UPSWEEP_HEADS(double, same)
UPSWEEP_HEADS(float, same)
UPSWEEP_HEADS(std::int32_t, same)
UPSWEEP_HEADS(std::int32_t, same_quotient<2>)
template struct gpu_selection<heads<std::int32_t, same>, values<std::int32_t>, positions<int>>;

void resize_rows_on_gpu(device::row_change const& change) {
  device::pad_on(gpu{}, change);
}

}  // namespace upsweep::test
