/// "Did you mean": the candidate that differs from a word by the fewest typing mistakes.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace upsweep::text {

/// The number of single-character insertions, deletions, replacements and swaps of neighbors that
/// turn `a` into `b`, ignoring case.
int typing_distance(std::string_view a, std::string_view b);

/// The candidate nearest to `word`, or an empty string if even the nearest differs by more than a
/// third of the word's length. One mistake is always allowed.
std::string nearest(std::string_view word, std::span<std::string const> candidates);

/// "; did you mean 'x'?" or an empty string, to append to an error message.
std::string did_you_mean(std::string_view word, std::span<std::string const> candidates);

}  // namespace upsweep::text
