/// Integer divisions that trap on a processor and not on a GPU.
#pragma once

namespace upsweep::sim {

/// From now on a division of a kernel by zero is a finding, after which the kernel goes on with a
/// quotient of all ones, as most GPUs give it; and the smallest number divided by -1 is itself.
/// The handler of its signal, SIGFPE, hands on to the one before it.
void watch_divisions();

}  // namespace upsweep::sim
