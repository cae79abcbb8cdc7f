/// `upsweep verify golden`: the golden set on this machine.
#pragma once

#include <string>

namespace upsweep::cli {

struct golden_flags {
  std::string expected;  ///< a file with the set's lines; without it digests are compared
  int threads = 0;
  bool json = false;
};

/// Prints each result that differs, then how many were computed, and their hash; 1 if one differs.
int verify_golden(golden_flags const& flags);

}  // namespace upsweep::cli
