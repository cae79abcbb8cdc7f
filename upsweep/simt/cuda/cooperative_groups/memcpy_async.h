/// memcpy_async() of a group, which ends at wait().
#pragma once

#include "../cooperative_groups.h"

#include <cstddef>

namespace cooperative_groups {

/// Each thread copies words, or bytes where the size asks for them.
template <class Group>
UPSWEEP_EMULATED_WORD void upsweep_copy_async(Group const& group, void* to, void const* from,
                                              std::size_t bytes) {
  auto const places =
      reinterpret_cast<std::size_t>(to) | reinterpret_cast<std::size_t>(from) | bytes;
  unsigned const unit = places % 16 == 0 ? 16 : places % 8 == 0 ? 8 : places % 4 == 0 ? 4 : 1;
  for (std::size_t i = group.thread_rank() * unit; i < bytes; i += group.num_threads() * unit)
    upsweep_emulated_start_copy(static_cast<char*>(to) + i, static_cast<char const*>(from) + i,
                                unit, unit);
  upsweep_emulated_commit_copies();
}
template <class Group, class T, class Bytes>
UPSWEEP_EMULATED_WORD void memcpy_async(Group const& group, T* to, T const* from,
                                        Bytes const& bytes) {
  upsweep_copy_async(group, to, from, static_cast<std::size_t>(bytes));
}
/// The lengths are in elements.
template <class Group, class T>
UPSWEEP_EMULATED_WORD void memcpy_async(Group const& group, T* to, std::size_t to_length,
                                        T const* from, std::size_t from_length) {
  std::size_t const length = to_length < from_length ? to_length : from_length;
  upsweep_copy_async(group, to, from, length * sizeof(T));
}
template <class Group>
UPSWEEP_EMULATED_WORD void wait(Group const& group) {
  upsweep_emulated_wait_for_copies(-1);
  group.sync();
}
template <unsigned groups, class Group>
UPSWEEP_EMULATED_WORD void wait_prior(Group const& group) {
  upsweep_emulated_wait_for_copies(groups);
  group.sync();
}

}  // namespace cooperative_groups
