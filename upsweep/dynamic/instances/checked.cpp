/// Sums and products with overflow detection, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> checked_entries() {
  static constexpr auto all = entries_of<checked_plus<>, checked_multiplies<>>();
  return all;
}

}  // namespace upsweep::dynamic
