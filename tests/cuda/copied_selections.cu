/// Kernels of the suite of selections: elements and positions by predicates and flags.
#include "copied_verbs.cuh"

#include <cstddef>
#include <cstdint>

namespace upsweep::test {

template <class T>
using by_value = detail::marks_by_predicate<T const*, compared_with<T>>;
template <class T>
using values = detail::value_output<T const*, T*>;
using by_flag = detail::marks_by_predicate<bool const*, detail::as_is>;

#define UPSWEEP_SELECTED(T)                                         \
  template struct gpu_selection<by_value<T>, values<T>>;            \
  template struct gpu_selection<by_value<T>, values<T>, values<T>>; \
  template struct gpu_selection<by_flag, values<T>>;                \
  template struct gpu_selection<by_value<T>, detail::position_output<long*>>;
UPSWEEP_SELECTED(std::uint8_t)
UPSWEEP_SELECTED(std::int16_t)
UPSWEEP_SELECTED(float)
UPSWEEP_SELECTED(double)
UPSWEEP_SELECTED(three_words)

template struct gpu_selection<by_value<bool>, values<bool>>;
template struct gpu_selection<by_flag, detail::position_output<std::uint32_t*>>;
template struct gpu_selection<by_value<std::int32_t>, values<std::int32_t>>;
template struct gpu_selection<by_value<std::int32_t>, values<std::int32_t>, values<std::int32_t>>;
template struct gpu_selection<by_value<std::int32_t>, detail::position_output<std::size_t*>>;
template struct gpu_selection<by_value<std::int32_t>, detail::position_output<std::uint8_t*>>;
template struct gpu_selection<
    detail::marks_by_two<float const*, less_than<float>, less_than<float>>, values<float>,
    values<float>, values<float>>;

}  // namespace upsweep::test
