/// Sorts of numbers and of keys with values, which the library brings compiled for each size.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::detail {

template <class W>
class keyed_blocks;  // generic/sort/sorting.hpp

}  // namespace upsweep::detail

namespace upsweep::host {

/// Stores the n elements of `from` in `to` in the order of the integers order(from[i]), on
/// `threads` threads. U is an unsigned integer of 1, 2, 4 or 8 bytes; `to` is `from`, or they have
/// nothing in common. If it throws for lack of memory, `to` is unchanged or, unless it is `from`,
/// unspecified.
template <class U>
UPSWEEP_API void sort_numbers(U const* from, std::size_t n, U* to, detail::key_map<U> order,
                              int threads);

/// detail::sort_keyed of n pairs of words of 1, 2, 4 or 8 bytes on `threads` threads.
template <class W>
UPSWEEP_API void sort_pairs(detail::keyed_blocks<W> const& x, std::size_t n, int threads);

}  // namespace upsweep::host
