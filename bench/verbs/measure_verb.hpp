/// The measurement of `upsweep bench verbs`, by the rounds of harness/measure.hpp.
#pragma once

#include <bench/harness/measure.hpp>
#include <bench/harness/verb_cell.hpp>
#include <bench/verbs/participants.hpp>

#include <cstddef>
#include <functional>
#include <vector>

namespace upsweep::bench {

/// Compares a result of every participant with the expected one, then times those that were right
/// in turn.
[[nodiscard]] verb_cell measure_verb(verb_row const& row, std::size_t n,
                                     std::vector<verb_participant> const& all, int threads,
                                     settings const& s);

/// Is told what comes next: how many cells are done, how many there are, the row, its size.
using verb_observer = std::function<void(std::size_t, std::size_t, verb_row const&, std::size_t)>;

/// All rows at all sizes that they take.
void measure_verbs(std::vector<verb_row> const& rows, std::vector<std::size_t> const& sizes,
                   std::vector<verb_participant> const& all, int threads, settings s,
                   double seconds, verb_observer const& before,
                   std::function<void(verb_cell const&)> const& after);

}  // namespace upsweep::bench
