/// Where a group begins, and the memory of those that have been.
#include "groups.hpp"

#include <fmt/format.h>

namespace upsweep::cli {

void group_runs::begin(std::span<text_column const> keys, std::size_t row, std::uint64_t number) {
  open_ = true;
  current_.clear();
  std::string together;  // each key behind its length, so that ("a", "bc") is not ("ab", "c")
  for (std::size_t k = 0; k < names_.size(); ++k) {
    current_.emplace_back(keys[k][row]);
    together += fmt::format("{}:{}", current_[k].size(), current_[k]);
  }
  if (may_repeat_ || names_.empty() || seen_.insert(std::move(together)).second) return;
  throw data_error(
      fmt::format("--by {}: the group '{}' comes back at row {} (counted from 0) after others; sort the input by that column, or "
                  "give --allow-repeats to make each run of rows a group.",
                  fmt::join(names_, ","), fmt::join(current_, ","), number));
}

}  // namespace upsweep::cli
