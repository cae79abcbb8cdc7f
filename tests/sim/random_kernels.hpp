/// Kernels that random_kernels.py has written, with the steps that warps in lockstep take.
#pragma once

#include <upsweep/simt/machine.hpp>

#include <compare>
#include <vector>

namespace upsweep::sim_test {

using simt::global;

/// The lanes of `mask` run an access together.
struct expected_step {
  unsigned warp, line, mask;

  friend auto operator<=>(expected_step const&, expected_step const&) = default;
};

struct random_kernel {
  unsigned seed;
  bool is_open;  ///< lockstep is a matter of definition in some loop: see the script
  void (*kernel)(global<unsigned>);
  std::vector<expected_step> steps;  ///< ascending
};

std::vector<random_kernel> const& random_kernels();

}  // namespace upsweep::sim_test
