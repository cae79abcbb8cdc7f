/// The plain loop among the peers, for the rows by name.
#pragma once

#include <bench/harness/competitor.hpp>

namespace upsweep::bench {

/// The loop for a work by name; null for exact_sum, which no plain loop computes, and for operators
/// without one in bench/harness/plain.hpp.
[[nodiscard]] run_function find_plain_loop(work const& w);

}  // namespace upsweep::bench
