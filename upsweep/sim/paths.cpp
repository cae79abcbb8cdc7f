/// The table of paths, each stored once.
#include <upsweep/sim/paths.hpp>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace upsweep::sim {

namespace {

/// Paths of data-dependent kernels may never recur, so the table is cleared when it reaches this
/// size.
constexpr std::size_t most_path_words = std::size_t{1} << 22;

std::uint64_t hash_of(std::span<log_word const> words) {
  std::uint64_t a = 0x9e3779b97f4a7c15, b = words.size();
  std::size_t i = 0;
  for (; i + 1 < words.size(); i += 2) {  // two independent chains of multiplications
    a = (a ^ words[i]) * 0xff51afd7ed558ccd;
    b = (b ^ words[i + 1]) * 0xc4ceb9fe1a85ec53;
    a ^= a >> 29;
  }
  if (i < words.size()) a = (a ^ words[i]) * 0xff51afd7ed558ccd;
  a ^= b ^ b >> 31;
  a *= 0x94d049bb133111eb;
  return a ^ a >> 32;
}

bool equal(path const& p, std::span<log_word const> words) {
  return std::ranges::equal(p.words, words);
}

/// The widest power of two, up to 16 bytes, that divides the size and that the alignment allows.
std::uint16_t piece_of(std::uint64_t packed) {
  auto const size = static_cast<unsigned>(packed >> 48 & 0xfff),
             alignment = static_cast<unsigned>(packed >> 60) + 1;
  unsigned const divides = size & (0 - size);
  return static_cast<std::uint16_t>(std::max(1u, std::min({divides, alignment, 16u})));
}

}  // namespace

path const& path_table::find(std::span<log_word const> words, access_record const* data) {
  std::uint64_t const hash = hash_of(words);
  path const*& recent = recent_[hash % std::size(recent_)];
  if (recent != nullptr && equal(*recent, words)) return *recent;
  auto const found = by_hash_.find(hash);
  if (found != by_hash_.end())
    for (auto const& p : found->second)
      if (equal(*p, words)) return *(recent = p.get());
  return *(recent = &add(words, data, hash));
}

path const& path_table::add(std::span<log_word const> words, access_record const* data,
                            std::uint64_t hash) {
  auto p = std::make_unique<path>();
  p->number = ++count_;
  p->words.assign(words.begin(), words.end());
  std::uint32_t record = 0;
  for (std::uint32_t i = 0; i < words.size(); ++i) {
    log_word const w = words[i];
    if (!is_event(w) || w >> kind_shift == lanes_follow) continue;
    std::uint64_t const what = data[record].what;
    std::uint32_t lanes = 0;
    if (i + 1 < words.size() && words[i + 1] >> kind_shift == lanes_follow)
      lanes = static_cast<std::uint32_t>(words[i + 1]);
    p->events.push_back({kind_of(w), record, i, &site_of(position_of(what)),
                         static_cast<std::uint16_t>(what >> 48 & 0xfff), piece_of(what), lanes});
    ++record;
  }
  words_ += words.size();
  auto& list = by_hash_[hash];
  list.push_back(std::move(p));
  return *list.back();
}

bool path_table::full() const {
  return words_ > most_path_words;
}

void path_table::forget_paths() {
  by_hash_.clear();
  std::ranges::fill(recent_, nullptr);
  words_ = 0;
}

site& path_table::site_of(position at) {
  site*& s = by_position_[at.word()];
  if (s == nullptr) {
    sites_.push_back(std::make_unique<site>(site{at, static_cast<unsigned>(sites_.size())}));
    s = sites_.back().get();
  }
  return *s;
}

}  // namespace upsweep::sim
