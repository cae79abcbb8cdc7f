// The kernel with an operator whose applications the emulator counts, on the program's machine.
#include "kogge_stone.cuh"

#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>
#include <upsweep/sim/operation.hpp>

namespace sim = upsweep::sim;

extern "C" void count(sim::machine& machine, int const* in, int* out) {
  using operation = sim::operation<int>;
  machine.launch({.name = "kogge_stone", .threads = {64}}, kogge_stone<operation>, in, out,
                 operation(upsweep::plus{}));
}
