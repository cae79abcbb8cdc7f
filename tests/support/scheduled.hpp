/// Schedules of the emulator that a failed test prints.
#pragma once

#include <upsweep/sim/options.hpp>

#include <cstdint>
#include <ostream>

namespace upsweep::test {

/// A schedule with its seed, and how many blocks are resident.
struct scheduled {
  sim::schedule how = sim::schedule::in_order;
  std::uint64_t seed = 0;
  unsigned resident = 16;
  bool check = true;
  friend std::ostream& operator<<(std::ostream& to, scheduled const& s) {
    return to << "schedule " << static_cast<int>(s.how) << ", seed " << s.seed << ", " << s.resident
              << " resident blocks";
  }
};
[[nodiscard]] inline sim::options options_of(scheduled const& s, bool count = false) {
  return {.count = count,
          .check = s.check,
          .how = s.how,
          .seed = s.seed,
          .resident_blocks = s.resident};
}

}  // namespace upsweep::test
