/// CUDA's runtime for loaded modules: their launches, memory and errors go to a machine.
#pragma once

#include <upsweep/sim/machine.hpp>

namespace upsweep::sim {

/// While it exists, host code of modules runs on this machine. There may be one at a time.
class runtime {
 public:
  explicit runtime(machine& on);
  ~runtime();
  runtime(runtime const&) = delete;
  runtime& operator=(runtime const&) = delete;
};

}  // namespace upsweep::sim
