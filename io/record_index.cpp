/// Fills the index with a part of the text at a time, and checks the kind of each record.
#include <io/record_index.hpp>

#include <io/limits.hpp>
#include <upsweep/host/simd/byte_search.hpp>

#include <algorithm>
#include <utility>

namespace upsweep::io {

record_index::record_index(record_rules const& rules, std::size_t width)
    : rules_(rules),
      width_(width),
      positions_(std::make_unique_for_overwrite<std::uint32_t[]>(
          index_bytes + upsweep::host::simd::positions_slack)) {}

void record_index::fill(char const* at, char const* limit) {
  std::size_t const bytes = std::min(static_cast<std::size_t>(limit - at), index_bytes);
  count_ =
      upsweep::host::simd::find_bytes(at, bytes, rules_.delimiter, '\n', '"', positions_.get());
  next_ = 0;
  begin_ = at;
  end_ = at + bytes;
}

/// Whether the next separators are those of a record that begins at `at`.
bool record_index::is_usual(char const* at) const {
  auto const* const ends = positions_.get() + next_;
  bool usual = begin_[ends[width_ - 1]] == '\n';
  for (std::size_t i = 0; i + 1 < width_; ++i) usual &= begin_[ends[i]] == rules_.delimiter;
  if (!usual) return false;
  if (rules_.comment != '\0' && *at == rules_.comment) return false;
  return width_ > 1 || std::any_of(at, begin_ + ends[0], [](char c) { return !is_blank(c); });
}

std::optional<indexed_record> record_index::find(char const* at, char const* limit) {
  if (at < begin_ || at >= end_) fill(at, limit);
  while (next_ < count_ && begin_ + positions_[next_] < at) ++next_;
  if (next_ + width_ > count_ && at != begin_ && end_ != limit) fill(at, limit);
  if (next_ + width_ > count_ || !is_usual(at)) return std::nullopt;
  auto const* const ends = positions_.get() + next_;
  next_ += width_;
  return std::optional<indexed_record>(std::in_place, at, begin_, ends, width_);
}

}  // namespace upsweep::io
