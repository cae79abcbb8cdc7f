/// The compiled selections: by flags of a byte, of neighbors that differ, and of positions.
#pragma once

#include <upsweep/cuda/reduce/launch.cuh>
#include <upsweep/cuda/select/launch.cuh>

#include <cstdint>

/// `declare` is `extern`, or nothing.
#define UPSWEEP_CUDA_SELECTION(declare, Marks, Output)                                  \
  declare template auto select_on(gpu const&, Marks const&, std::size_t, Output const&) \
      -> detail::selected_counts<1>;
#define UPSWEEP_CUDA_SELECT_FLAGS(declare, T) \
  UPSWEEP_CUDA_SELECTION(declare, marks_of_bytes, output_of<T>)
#define UPSWEEP_CUDA_SELECT_POSITIONS(declare, T) \
  UPSWEEP_CUDA_SELECTION(declare, marks_of_bytes, detail::position_output<T*>)
#define UPSWEEP_CUDA_UNIQUE(declare, T) UPSWEEP_CUDA_SELECTION(declare, heads_of<T>, output_of<T>)

#define UPSWEEP_CUDA_SELECTIONS(declare)                \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint8_t)      \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint16_t)     \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint32_t)     \
  UPSWEEP_CUDA_SELECT_FLAGS(declare, std::uint64_t)     \
  UPSWEEP_CUDA_SELECT_POSITIONS(declare, std::uint32_t) \
  UPSWEEP_CUDA_SELECT_POSITIONS(declare, std::uint64_t) \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint8_t)            \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint16_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint32_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, std::uint64_t)           \
  UPSWEEP_CUDA_UNIQUE(declare, float)                   \
  UPSWEEP_CUDA_UNIQUE(declare, double)

namespace upsweep::device {

using marks_of_bytes = detail::marks_by_predicate<std::uint8_t const*, detail::as_is>;
template <class T>
using heads_of = detail::marks_of_runs<T const*, same>;
template <class T>
using output_of = detail::value_output<T const*, T*>;

UPSWEEP_CUDA_SELECTIONS(extern)

}  // namespace upsweep::device
