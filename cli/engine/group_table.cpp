/// A hash table with linear probing, at most two thirds full.
#include <cli/engine/group_table.hpp>

#include <io/error.hpp>

#include <fmt/format.h>

#include <functional>
#include <limits>
#include <string_view>

namespace upsweep::cli {

namespace {

constexpr std::uint64_t lower_half = std::numeric_limits<std::uint32_t>::max();

std::uint64_t hash_of(std::span<io::text_column const> keys, std::size_t row) {
  std::uint64_t hash = 0;
  for (auto const& column : keys)
    hash = (hash ^ std::hash<std::string_view>{}(column[row])) * 0x9e3779b97f4a7c15u;
  return hash ^ (hash >> 32);
}

}  // namespace

bool group_table::is(std::uint32_t group, std::span<io::text_column const> keys,
                     std::size_t row) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys_[k].view()[group] != keys[k][row]) return false;
  return true;
}

void group_table::enlarge() {
  std::vector<std::uint64_t> old(std::max<std::size_t>(1024, 2 * slots_.size()));
  old.swap(slots_);
  std::vector<io::text_column> keys;
  for (auto const& column : keys_) keys.push_back(column.view());
  for (std::size_t group = 0; group < size_; ++group) {
    std::uint64_t const hash = hash_of(keys, group);
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = (hash & ~lower_half) | (group + 1);
  }
}

std::uint32_t group_table::find(std::span<io::text_column const> keys, std::size_t row) {
  if (3 * size_ >= 2 * slots_.size()) enlarge();
  std::uint64_t const hash = hash_of(keys, row);
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    std::uint64_t const slot = slots_[at];
    if (slot == 0) {
      if (size_ == lower_half)
        throw io::data_error(
            "--by: there are more than 2^32 - 1 groups; sort the input by the key "
            "and give --sorted.");
      for (std::size_t k = 0; k < keys.size(); ++k) keys_[k].push(keys[k][row]);
      slots_[at] = (hash & ~lower_half) | ++size_;
      return static_cast<std::uint32_t>(size_ - 1);
    }
    if (((slot ^ hash) & ~lower_half) != 0) continue;
    auto const group = static_cast<std::uint32_t>((slot & lower_half) - 1);
    if (is(group, keys, row)) return group;
  }
}

void group_table::number(std::span<io::text_column const> keys, std::size_t rows,
                         std::vector<std::uint32_t>& groups) {
  groups.resize(rows);
  for (std::size_t row = 0; row < rows; ++row)
    groups[row] = row > 0 && is(groups[row - 1], keys, row) ? groups[row - 1] : find(keys, row);
}

void group_table::refuse_more() const {
  throw io::data_error(fmt::format(
      "--by: there is no memory for {} groups; sort the input by the key and give --sorted, which "
      "needs memory for one group only.",
      size_));
}

}  // namespace upsweep::cli
