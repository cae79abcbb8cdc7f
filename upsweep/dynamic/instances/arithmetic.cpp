/// Sums and products, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> arithmetic_entries() {
  static constexpr auto all = entries_of<plus, multiplies>();
  return all;
}

}  // namespace upsweep::dynamic
