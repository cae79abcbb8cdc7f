/// Small inputs that several threads work on.
#pragma once

#include <upsweep/host/threads.hpp>

#include <cstddef>

namespace upsweep::test {

/// While it lives, inputs of any size start threads.
struct every_call_starts_threads {
  every_call_starts_threads() { host::threads::largest_cutoff = 1; }
  ~every_call_starts_threads() { host::threads::largest_cutoff = ~std::size_t{0}; }
};

}  // namespace upsweep::test
