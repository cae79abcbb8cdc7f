/// Proofs of the textbook's kernels.
#pragma once

#include <lab/proof/proof.hpp>

#include <string>

namespace upsweep::lab {

/// Runs all sizes on all schedules, over intervals or, if the kernel needs an operator that
/// commutes, over disjoint sets, up to the first failure. Throws usage_error for an unknown stem,
/// a block that is not compiled, and sizes that are too large.
[[nodiscard]] proof prove(std::string const& stem, proof_effort const& much,
                          proof_progress const& tell = {});

}  // namespace upsweep::lab
