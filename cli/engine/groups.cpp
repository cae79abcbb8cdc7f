/// Finds where groups begin, and reports repeated keys.
#include <cli/engine/groups.hpp>

#include <io/error.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>

#include <cstddef>
#include <utility>

namespace upsweep::cli {

void group_runs::begin(std::span<io::text_column const> keys, std::size_t row,
                       std::uint64_t number) {
  std::swap(before_, current_);
  current_.resize(names_.size());
  for (std::size_t k = 0; k < names_.size(); ++k) current_[k] = keys[k][row];
  open_ = true;
  if (may_repeat_ || names_.empty()) return;
  auto const answer = seen_.add(before_, current_);
  if (answer == key_history::answer::is_new) return;
  auto const what =
      answer == key_history::answer::was_there
          ? fmt::format("repeats at row {} (counted from 0) after other groups", number)
          : fmt::format(
                "breaks the order at row {} (counted from 0), after more groups than "
                "are kept for comparison",
                number);
  throw io::data_error(fmt::format(
      "--by {}: the group '{}' {}; sort the input by that key, omit --sorted, without which rows "
      "may come in any order, or give --allow-repeats to make each run of equal keys a group.",
      fmt::join(names_, ","), io::shown(fmt::format("{}", fmt::join(current_, ","))), what));
}

}  // namespace upsweep::cli
