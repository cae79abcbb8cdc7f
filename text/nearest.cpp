/// Optimal string alignment distance with three rows of the table in memory. Plain quadratic code
/// is enough: a word has a few dozen candidates of a few dozen letters.
#include <text/nearest.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace upsweep::text {

int typing_distance(std::string_view a, std::string_view b) {
  auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  std::vector<int> before(b.size() + 1), above(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) above[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      bool const same = lower(a[i - 1]) == lower(b[j - 1]);
      row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && lower(a[i - 1]) == lower(b[j - 2]) &&
          lower(a[i - 2]) == lower(b[j - 1]))
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[b.size()];
}

std::string nearest(std::string_view word, std::span<std::string const> candidates) {
  int best = std::max(1, static_cast<int>(word.size()) / 3) + 1;
  std::string found;
  for (auto const& candidate : candidates) {
    int const distance = typing_distance(word, candidate);
    if (distance < best && distance < static_cast<int>(std::max(word.size(), candidate.size()))) {
      best = distance;
      found = candidate;
    }
  }
  return found;
}

std::string did_you_mean(std::string_view word, std::span<std::string const> candidates) {
  std::string const found = nearest(word, candidates);
  return found.empty() ? found : "; did you mean '" + found + "'?";
}

}  // namespace upsweep::text
