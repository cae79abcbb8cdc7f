/// Which elements have the same key, by name: what verbs over groups begin with.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/core/scratch.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::dynamic {

/// The different keys of an array in ascending order, and the borders of their groups: group k has
/// the indices [borders[k], borders[k + 1]) of `order`.
struct grouping {
  std::size_t count = 0;
  detail::scratch<std::byte> keys;
  detail::scratch<std::uint64_t> borders;
};

/// The groups of n keys, which are equal if their bits are. `order` has the positions of the keys,
/// group by group; those of a group ascend. Arrays are contiguous and aligned.
[[nodiscard]] UPSWEEP_API grouping group(cpu const& on, dtype t, void const* keys, std::size_t n,
                                         std::uint64_t* order);

/// Stores the scan of each group of the elements of `x` at the positions of its elements. `out` is
/// other memory.
UPSWEEP_API void scan_groups(verb v, call_entry const& e, keyed_array const& x, request const& how,
                             void* out);

}  // namespace upsweep::dynamic
