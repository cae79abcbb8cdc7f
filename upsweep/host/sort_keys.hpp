/// Sorting of integers on one thread, and maps of numbers to such integers.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/key_map.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host {

/// Sorts the n integers at `first` in ascending order, in place.
UPSWEEP_API void sort_keys(std::uint16_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint32_t* first, std::size_t n);
UPSWEEP_API void sort_keys(std::uint64_t* first, std::size_t n);

/// Stores map(from[i]) in to[i] for all i < n; `to` is `from`, or they have nothing in common.
/// Callers are compiled at -O2, where their own loops would not be vectorized.
UPSWEEP_API void map_keys(std::uint16_t const* from, std::size_t n, std::uint16_t* to,
                          detail::key_map<std::uint16_t> map);
UPSWEEP_API void map_keys(std::uint32_t const* from, std::size_t n, std::uint32_t* to,
                          detail::key_map<std::uint32_t> map);
UPSWEEP_API void map_keys(std::uint64_t const* from, std::size_t n, std::uint64_t* to,
                          detail::key_map<std::uint64_t> map);

}  // namespace upsweep::host
