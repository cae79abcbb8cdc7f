/// Orders and scopes of atomic accesses.
#pragma once

#include "keywords.h"

namespace upsweep::emulated {

/// The values are those of std::memory_order.
enum class order : int { relaxed, consume, acquire, release, acq_rel, seq_cst };
enum class scope : int { block, cluster, device, system };

/// Inlined, like all that kernels call: a function has basic blocks of its own, which would join
/// the paths of all its calls.
UPSWEEP_EMULATED_WORD constexpr bool is_wide(scope s) {
  return s != scope::block;
}

UPSWEEP_EMULATED_WORD void fence(scope s, order o) {
  upsweep_emulated_fence(is_wide(s), static_cast<int>(o));
}

}  // namespace upsweep::emulated
