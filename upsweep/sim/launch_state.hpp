/// The state of a launch that all parts of the emulator share.
#pragma once

#include <upsweep/sim/checker.hpp>
#include <upsweep/sim/findings.hpp>
#include <upsweep/sim/global_memory.hpp>
#include <upsweep/sim/options.hpp>
#include <upsweep/sim/recorder.hpp>

#include <cstdint>

namespace upsweep::sim {

/// What is common to all host threads of a launch.
struct launch_call {
  simt::launch_shape shape;
  void (*invoke)(void const*);
  void const* call;
  std::uint64_t first_serial;  ///< serial number of block 0, unique in the machine
  loaded_code* code;           ///< the module of the kernel
};

/// A launch, or a share of its blocks, on one host thread.
struct launch_state {
  simt::launch_shape const& shape;
  options const& how;
  global_memory& buffers;
  findings& found;
  recorder& record;
  checker* checks;    ///< null without checks
  int countdown;      ///< hook_state::countdown
  loaded_code* code;  ///< launch_call::code
};

}  // namespace upsweep::sim
