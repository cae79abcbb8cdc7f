/// Finds where groups begin, and reports repeated keys.
#include <cli/engine/groups.hpp>

#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace upsweep::cli {

/// True if the first column that differs keeps an order that all groups so far have kept in that
/// column. The groups are then sorted lexicographically by the columns' orders, so no key repeats.
bool group_runs::keeps_order() {
  std::size_t k = 0;
  while (current_[k] == before_[k]) ++k;
  unsigned taken = before_[k] < current_[k] ? text_rises : text_falls;
  double earlier = 0, later = 0;
  bool const numbers = (orders_[k] & (number_rises | number_falls)) != 0 &&
                       io::parse_number(before_[k], io::dtype::f64, &earlier) == io::parsed::good &&
                       io::parse_number(current_[k], io::dtype::f64, &later) == io::parsed::good;
  if (numbers && earlier < later) taken |= number_rises;
  if (numbers && earlier > later) taken |= number_falls;
  orders_[k] &= static_cast<std::uint8_t>(taken);
  return orders_[k] != 0;
}

void group_runs::keep() {
  constexpr std::size_t most = std::size_t{1} << 24;
  for (std::size_t k = 0; k < names_.size(); ++k) {
    kept_[k].push(current_[k]);
    kept_bytes_ += current_[k].size() + 4;
  }
  forgotten_ = kept_bytes_ > most;
  if (forgotten_) kept_.assign(names_.size(), {});
}

/// Whether these keys are none of those before, after the order broke.
bool group_runs::is_new(std::span<io::text_column const> keys, std::size_t row) {
  if (kept_bytes_ > 0) {
    std::vector<io::text_column> views;
    for (auto const& column : kept_) views.push_back(column.view());
    seen_.number(views, 0, kept_[0].size(), numbers_);
    kept_.assign(names_.size(), {});
    kept_bytes_ = 0;
  }
  std::size_t const before = seen_.size();
  seen_.number(keys, row, row + 1, numbers_);
  return seen_.size() > before;
}

void group_runs::begin(std::span<io::text_column const> keys, std::size_t row,
                       std::uint64_t number) {
  std::swap(before_, current_);
  current_.resize(names_.size());
  for (std::size_t k = 0; k < names_.size(); ++k) current_[k] = keys[k][row];
  bool const is_first = !open_;
  open_ = true;
  if (may_repeat_ || names_.empty()) return;
  in_order_ = in_order_ && (is_first || keeps_order());
  if (in_order_) return forgotten_ ? void() : keep();
  if (!forgotten_ && is_new(keys, row)) return;
  auto const what =
      forgotten_ ? fmt::format(
                       "breaks the order at row {} (counted from 0), after more groups than "
                       "are kept for comparison",
                       number)
                 : fmt::format("repeats at row {} (counted from 0) after other groups", number);
  throw io::data_error(fmt::format(
      "--by {}: the group '{}' {}; sort the input by that key, omit --sorted, without which rows "
      "may come in any order, or give --allow-repeats to make each run of equal keys a group.",
      fmt::join(names_, ","), io::shown(fmt::format("{}", fmt::join(current_, ","))), what));
}

}  // namespace upsweep::cli
