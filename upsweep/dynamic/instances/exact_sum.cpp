/// Exact sums, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> exact_sum_entries() {
  static constexpr auto all = entries_of<exact_sum>();
  return all;
}

}  // namespace upsweep::dynamic
