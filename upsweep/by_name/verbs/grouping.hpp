/// Groups by name: which elements have the same key, wherever they are, and their reductions.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/core/scratch.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

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

/// The different keys of an array in ascending order, and the reduction of the elements of each.
/// Memory for them is made when their number, or a bound of it, is known.
struct groups {
  std::size_t count = 0;
  detail::scratch<std::byte> keys, results;
};

/// The groups of the elements of `x`, each in input order. Keys are equal if their bits are. Arrays
/// are contiguous and aligned.
[[nodiscard]] UPSWEEP_API groups reduce_groups(call_entry const& e, keyed_array const& x,
                                               request const& how);

/// Numbers n rows of so many bytes by their contents: codes[i] is that of row i, in the order in
/// which they first appear, and first[k] the row that is the first of number k. Returns how many
/// numbers there are; `first` has room for n.
UPSWEEP_API std::size_t number_rows(cpu const& on, void const* rows, std::size_t n,
                                    std::size_t bytes, std::uint32_t* codes, std::uint64_t* first);
/// The same of n strings.
UPSWEEP_API std::size_t number_texts(cpu const& on, std::string_view const* texts, std::size_t n,
                                     std::uint32_t* codes, std::uint64_t* first);

}  // namespace upsweep::dynamic
