/// How the emulator shall run: what it counts and checks, and in which order threads take their
/// turns.
#pragma once

#include <cstdint>

namespace upsweep::sim {

/// In which order runnable threads take their turns. Every order is one that a GPU may choose.
enum class schedule {
  in_order,     ///< block after block, warp after warp; threads run ahead to their next
                ///< synchronisation
  round_robin,  ///< small equal shares for every thread of every resident block
  random,       ///< threads are interrupted anywhere, in an order that `seed` decides
  adversarial,  ///< by `seed` modulo 4: last block first · one resident block · early blocks starve
                ///< · last warps, lanes and blocks first
};

struct options {
  bool count = true;   ///< exact counters
  bool check = true;   ///< races, uninitialised reads, divergent barriers
  bool trace = false;  ///< the list of warp steps with their values; for small runs
  schedule how = schedule::in_order;
  std::uint64_t seed = 0;
  unsigned resident_blocks = 16;  ///< blocks that may be under way at once
  /// Basic blocks that may pass without anything having changed, and 64 times as many without
  /// anything having been written; then the launch is given up.
  std::uint64_t step_limit = 1u << 24;
  unsigned threads =
      1;  ///< of the host, for launches whose blocks are independent; 0: one for each core
};

}  // namespace upsweep::sim
