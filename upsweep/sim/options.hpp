/// The emulator's options: what it counts and checks, and how it schedules threads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

/// The order in which runnable threads take turns. A GPU may choose any of these orders.
enum class schedule {
  in_order,     ///< block by block, warp by warp; each thread runs to its next
                ///< synchronization
  round_robin,  ///< short turns of equal length for every thread of every resident block
  random,       ///< threads are pre-empted anywhere, in an order determined by `seed`
  adversarial,  ///< `seed` modulo 4 selects: last block first · one resident block · starve early
                ///< blocks · last warps, lanes and blocks first
  lockstep,     ///< as in_order, but the lanes of a warp execute their volatile accesses of shared
                ///< memory in step, as listings from before Volta expect
};

struct options {
  bool count = true;   ///< exact counters
  bool check = true;   ///< races, uninitialized reads, divergent barriers
  bool trace = false;  ///< records all warp instructions with their values; for small runs
  static constexpr std::size_t every_launch = ~std::size_t{0};
  std::size_t traced_launch = every_launch;  ///< the number of the only launch that is traced
  /// Of the launches of a kernel of one shape, so many are measured. Later ones run
  /// without counts and checks, and have the counts of the last measured one; those that would
  /// repeat the one before exactly do not run. 0: every launch is measured.
  std::size_t measured_launches = 0;
  schedule how = schedule::in_order;
  std::uint64_t seed = 0;
  unsigned resident_blocks = 16;  ///< blocks that may be resident at once
  int capability = 90;            ///< of the device, 90 for 9.0: one of devices()
  /// The launch is abandoned after this many basic blocks in which nothing changed, or 64 times as
  /// many in which nothing was written.
  std::uint64_t step_limit = 1u << 24;
  unsigned threads =
      1;  ///< host threads for launches whose blocks are independent; 0: one per core
};

}  // namespace upsweep::sim
