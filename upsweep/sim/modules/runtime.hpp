/// CUDA's runtime for loaded modules: their launches, memory and errors go to a machine.
#pragma once

#include <upsweep/sim/machine.hpp>

#include <functional>
#include <string>

namespace upsweep::sim {

/// While it exists, host code of modules runs on this machine. There may be one at a time.
class runtime {
 public:
  /// `after_launch` is called after each launch.
  explicit runtime(machine& on, std::function<void()> after_launch = {});
  ~runtime();
  runtime(runtime const&) = delete;
  runtime& operator=(runtime const&) = delete;
};

}  // namespace upsweep::sim
