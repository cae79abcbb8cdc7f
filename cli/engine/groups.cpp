/// Groups by a hash table with linear probing, a quarter full, or two thirds if it is large; finds
/// where runs begin, and reports repeated keys.
#include <cli/engine/groups.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <io/shown.hpp>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <functional>
#include <limits>
#include <string_view>

namespace upsweep::cli {

namespace {

constexpr std::uint64_t lower_half = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t near_groups = 4096;  // so many are in a cache
constexpr std::uint64_t odd = 0x9e3779b97f4a7c15u;

template <class Word>
std::uint64_t load(char const* from) {
  Word word = 0;
  std::memcpy(&word, from, sizeof word);
  return word;
}

/// The bytes of a text of at most 8 bytes, the first one lowest, filled up with zeros.
std::uint64_t word_of(char const* text, std::size_t n) {
  if constexpr (std::endian::native == std::endian::little) {  // without a loop: two loads overlap
    if (n >= 4) return load<std::uint32_t>(text) | load<std::uint32_t>(text + n - 4) << 8 * (n - 4);
  }
  std::uint64_t word = 0;
  for (std::size_t i = 0; i < n; ++i)
    word |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * i;
  return word;
}

}  // namespace

std::string joined_keys(std::span<text_buffer const> keys, std::size_t row) {
  std::string all;
  for (auto const& column : keys) {
    auto const key = column.view()[row];
    all.append(std::to_string(key.size())).append(":").append(key);
  }
  return all;
}

group_table::key_words::key_words(std::span<io::text_column const> keys, std::size_t row)
    : low(0), high(std::uint64_t{255} << 56) {
  if (auto const key = keys[0][row]; keys.size() == 1 && key.size() < 16) {
    std::size_t const first = std::min<std::size_t>(key.size(), 8);
    low = word_of(key.data(), first);
    high = word_of(key.data() + first, key.size() - first) | std::uint64_t{key.size()} << 56;
    return;
  }
  for (auto const& column : keys) low = (low ^ std::hash<std::string_view>{}(column[row])) * odd;
}

std::uint64_t group_table::key_words::hash() const noexcept {
  std::uint64_t mixed = (low ^ low >> 32) * odd;
  mixed = (mixed ^ mixed >> 29 ^ high) * odd;
  return mixed ^ mixed >> 32;
}

bool group_table::is(std::uint32_t group, std::span<io::text_column const> keys,
                     std::size_t row) const {
  for (std::size_t k = 0; k < keys.size(); ++k)
    if (keys_[k].view()[group] != keys[k][row]) return false;
  return true;
}

/// Takes memory for more groups.
void group_table::reserve(std::size_t more) {
  bool const few = size() < near_groups;
  std::size_t const least = few ? 4 * (size() + more) : (size() + more) * 3 / 2 + 1;
  if (least <= slots_.size()) return;
  slots_.assign(std::bit_ceil(std::max<std::size_t>(least, 16)), 0);
  for (std::size_t group = 0; group < size(); ++group) {
    std::uint64_t const hash = words_[group].hash();
    std::size_t at = hash & (slots_.size() - 1);
    while (slots_[at] != 0) at = (at + 1) & (slots_.size() - 1);
    slots_[at] = (hash & ~lower_half) | (group + 1);
  }
}

std::uint32_t group_table::find(std::span<io::text_column const> keys, std::size_t row,
                                key_words const& words, std::uint64_t hash) {
  for (std::size_t at = hash & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
    std::uint64_t const slot = slots_[at];
    if (slot == 0) {
      if (size() == lower_half)
        throw io::data_error(
            "--by: there are more than 2^32 - 1 groups; sort the input by the key and give "
            "--sorted.");
      for (std::size_t k = 0; k < keys.size(); ++k) keys_[k].push(keys[k][row]);
      words_.push_back(words);
      slots_[at] = (hash & ~lower_half) | size();
      return static_cast<std::uint32_t>(size() - 1);
    }
    if (((slot ^ hash) & ~lower_half) != 0) continue;
    auto const group = static_cast<std::uint32_t>((slot & lower_half) - 1);
    if (words_[group] == words && (words.is_whole() || is(group, keys, row))) return group;
  }
}

void group_table::number(std::span<io::text_column const> keys, std::size_t first, std::size_t end,
                         std::vector<std::uint32_t>& groups) {
  constexpr std::size_t block = 64;  // whose slots and keys are on their way at the same time
  groups.resize(end - first);
  std::vector<key_words> words;
  std::array<std::uint64_t, block> hashes;
  auto* group = groups.data();
  for (; first < end; first += block, group += block) {
    std::size_t const n = std::min(block, end - first);
    reserve(n);
    words.clear();
    auto const slot = [&](std::size_t i) { return &slots_[hashes[i] & (slots_.size() - 1)]; };
    for (std::size_t i = 0; i < n; ++i) hashes[i] = words.emplace_back(keys, first + i).hash();
    if (size() >= near_groups) {
      for (std::size_t i = 0; i < n; ++i) __builtin_prefetch(slot(i));
      for (std::size_t i = 0; i < n; ++i)
        if (std::uint64_t const near = *slot(i) & lower_half; near != 0)
          __builtin_prefetch(&words_[near - 1]);
    }
    for (std::size_t i = 0; i < n; ++i) {
      bool const is_last = i > 0 && words[i] == words[i - 1] &&
                           (words[i].is_whole() || is(group[i - 1], keys, first + i));
      group[i] = is_last ? group[i - 1] : find(keys, first + i, words[i], hashes[i]);
    }
  }
}

void group_table::clear() {
  if (size() > 0) std::ranges::fill(slots_, 0);
  words_.clear();
  for (auto& column : keys_) column.clear();
}

void group_table::refuse_more() const {
  throw io::io_error(
      "--by: there is no memory for {} groups; sort the input by the key and give --sorted, which "
      "needs memory for one group only.",
      size());
}

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
  throw io::data_error(
      "--by {}: the group '{}' {}; sort the input by that key, omit --sorted, without which rows "
      "may come in any order, or give --allow-repeats to make each run of equal keys a group.",
      fmt::join(names_, ","), io::shown(fmt::format("{}", fmt::join(current_, ","))), what);
}

}  // namespace upsweep::cli
