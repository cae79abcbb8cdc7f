/// First-order recurrences, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> affine_entries() {
  static constexpr auto all = entries_of<affine>();
  return all;
}

}  // namespace upsweep::dynamic
