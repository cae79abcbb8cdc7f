/// Upsweep's verbs as entries of `upsweep bench verbs`, one file a kind of verb.
#pragma once

#include <bench/verbs/call.hpp>

namespace upsweep::bench {

[[nodiscard]] verb_entries our_selections();
[[nodiscard]] verb_entries our_parts();  ///< segments, by key, windows
[[nodiscard]] verb_entries our_counts();
[[nodiscard]] verb_entries our_sorts();
[[nodiscard]] verb_entries our_scans();  ///< recurrences, polynomials, comma-separated values

/// All of them.
[[nodiscard]] verb_entries our_verbs();

}  // namespace upsweep::bench
