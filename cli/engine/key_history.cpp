/// Detects sorted keys, and keeps unsorted ones in a hash table.
#include <cli/engine/key_history.hpp>

#include <io/number.hpp>

#include <algorithm>
#include <cstring>
#include <functional>

namespace upsweep::cli {

namespace {

using length = std::uint32_t;

/// The keys of a group as one string. Each is preceded by its length, so that ("a", "bc") and
/// ("ab", "c") differ.
std::string together(std::span<std::string const> keys) {
  std::string all;
  for (auto const& key : keys) {
    auto const size = static_cast<length>(key.size());
    all.append(reinterpret_cast<char const*>(&size), sizeof size);
    all += key;
  }
  return all;
}

std::uint64_t hash_of(std::string_view key) {
  return std::hash<std::string_view>{}(key);
}

}  // namespace

/// True if the first column that differs keeps an order that all groups so far have kept in that
/// column. The groups are then sorted lexicographically by the columns' orders, so no key repeats.
bool key_history::goes_on(std::span<std::string const> before, std::span<std::string const> keys) {
  std::size_t k = 0;
  while (keys[k] == before[k]) ++k;
  unsigned taken = before[k] < keys[k] ? text_rises : text_falls;
  double earlier = 0, later = 0;
  bool const numbers = (orders_[k] & (number_rises | number_falls)) != 0 &&
                       io::parse_number(before[k], io::dtype::f64, &earlier) == io::parsed::good &&
                       io::parse_number(keys[k], io::dtype::f64, &later) == io::parsed::good;
  if (numbers && earlier < later) taken |= number_rises;
  if (numbers && earlier > later) taken |= number_falls;
  orders_[k] &= static_cast<std::uint8_t>(taken);
  return orders_[k] != 0;
}

key_history::answer key_history::add(std::span<std::string const> before,
                                     std::span<std::string const> keys) {
  in_order_ = in_order_ && (before.empty() || goes_on(before, keys));
  if (in_order_ && forgotten_) return answer::is_new;
  if (forgotten_) return answer::unknown;
  auto const key = together(keys);
  if (!in_order_) return insert(key) ? answer::is_new : answer::was_there;
  forgotten_ = keys_.size() + key.size() > most_in_order;
  if (forgotten_) {
    std::string().swap(keys_);
  } else {
    keys_ += key;
    ++count_;
  }
  return answer::is_new;
}

std::string_view key_history::key_at(std::size_t position) const {
  std::size_t end = position;
  for (std::size_t k = 0; k < columns_; ++k) {
    length size = 0;
    std::memcpy(&size, keys_.data() + end, sizeof size);
    end += sizeof size + size;
  }
  return std::string_view(keys_).substr(position, end - position);
}

/// The slot that holds the key, or the free slot for it.
std::uint64_t& key_history::slot_of(std::string_view key, std::uint64_t hash) {
  for (std::size_t i = hash;; ++i) {
    auto& slot = slots_[i & (slots_.size() - 1)];
    if (slot == 0) return slot;
    bool const same_hash = ((slot ^ hash) & ~place) == 0;
    if (same_hash && keys_.compare((slot & place) - 1, key.size(), key) == 0) return slot;
  }
}

/// Ensures room for one more key at a load factor of at most three quarters.
void key_history::enlarge() {
  std::size_t slots = std::max<std::size_t>(slots_.size(), 64);
  while (4 * (count_ + 1) > 3 * slots) slots *= 2;
  if (slots == slots_.size()) return;
  slots_.assign(slots, 0);
  for (std::size_t at = 0; at < keys_.size();) {
    auto const key = key_at(at);
    auto const hash = hash_of(key);
    slot_of(key, hash) = (hash & ~place) | (at + 1);
    at += key.size();
  }
}

bool key_history::insert(std::string_view key) {
  enlarge();
  auto const hash = hash_of(key);
  auto& slot = slot_of(key, hash);
  if (slot != 0) return false;
  slot = (hash & ~place) | (keys_.size() + 1);
  keys_ += key;
  ++count_;
  return true;
}

}  // namespace upsweep::cli
