/// Instructions of a kernel that trap: divisions, and indices that its compiled code checks.
#pragma once

namespace upsweep::sim {

/// From now on a division of a kernel by zero is a finding, after which the kernel goes on with a
/// quotient of all ones, as most GPUs give it; and the smallest number divided by -1 is itself.
/// An index outside of a thread's own array ends the launch (simt/cuda/words/own_arrays.h). The
/// handlers of their signals, SIGFPE and SIGILL, hand on to those before them.
void watch_traps();

}  // namespace upsweep::sim
