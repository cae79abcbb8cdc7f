/// Sorting of integers on one thread.
#pragma once

#include <upsweep/core/export.h>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// Sorts the n integers at `first` in ascending order, in place.
UPSWEEP_API void sort_keys(std::uint16_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint32_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint64_t* first, std::size_t n);

}  // namespace upsweep::host
