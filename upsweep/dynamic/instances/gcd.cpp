/// Greatest common divisors, by name.
#include <upsweep/dynamic/instances/entries.hpp>

namespace upsweep::dynamic {

std::span<call_entry const> gcd_entries() {
  static constexpr auto all = entries_of<gcd>();
  return all;
}

}  // namespace upsweep::dynamic
