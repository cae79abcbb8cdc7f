/// Minima and maxima, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> min_max_entries() {
  static constexpr auto all = entries_of<min, max, min_number, max_number>();
  return all;
}

}  // namespace upsweep::dynamic
