/// "Did you mean": the candidate that is fewest typing mistakes away from a word.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace upsweep::text {

/// Single-character insertions, deletions, replacements and swaps of neighbours between `a` and
/// `b`, letter case ignored.
int typing_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or an empty string when none is within a third of its length
/// (at least one mistake).
std::string nearest(std::string_view word, std::span<std::string const> candidates);

/// "; did you mean 'x'?" or an empty string, to end an error sentence with.
std::string did_you_mean(std::string_view word, std::span<std::string const> candidates);

}  // namespace upsweep::text
