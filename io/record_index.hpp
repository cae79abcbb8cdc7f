/// Finds the usual records of delimited text, those without quotes, by an index of the separators:
/// vector instructions find all of them, and a record is the next few.
#pragma once

#include <io/limits.hpp>
#include <io/records.hpp>
#include <upsweep/host/simd/byte_search.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

namespace upsweep::io {

/// A record whose fields have no quotes.
class indexed_record {
 public:
  /// Field i ends at text + ends[i]; the first begins at `begin`.
  indexed_record(char const* begin, char const* text, std::uint32_t const* ends, std::size_t size)
      : begin_(begin), text_(text), ends_(ends), size_(size) {}

  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] field operator[](std::size_t i) const noexcept {
    field bare{begin_of(i), text_ + ends_[i], false};
    trim(bare);
    return bare;
  }
  /// The record's line, without its end.
  [[nodiscard]] std::string_view line() const noexcept {
    return {begin_, static_cast<std::size_t>(end() - begin_)};
  }
  /// True if every field is its text: it has characters, and no blanks around them.
  [[nodiscard]] bool is_trimmed() const noexcept {
    for (std::size_t i = 0; i < size_; ++i) {
      auto const *const first = begin_of(i), *const last = text_ + ends_[i];
      if (first == last || is_blank(*first) || is_blank(last[-1])) return false;
    }
    return true;
  }
  /// Where the next record begins.
  [[nodiscard]] char const* next() const noexcept { return end() + 1; }

 private:
  [[nodiscard]] char const* begin_of(std::size_t i) const noexcept {
    return i == 0 ? begin_ : text_ + ends_[i - 1] + 1;
  }
  [[nodiscard]] char const* end() const noexcept { return text_ + ends_[size_ - 1]; }

  char const* begin_;
  char const* text_;
  std::uint32_t const* ends_;
  std::size_t size_;
};

/// The separators of a part of the text, and where the search for records has arrived.
class record_index {
 public:
  /// Finds records of `width` fields, at least one.
  record_index(record_rules const& rules, std::size_t width)
      : rules_(rules),
        width_(width),
        positions_(std::make_unique_for_overwrite<std::uint32_t[]>(
            index_bytes + upsweep::host::simd::positions_slack)) {}

  /// The record that begins at `at`, which must not be before that of the latest call. Nothing
  /// if it is not of the usual kind: it has quotes, another number of fields, is blank or a
  /// comment, does not end before `limit`, or is longer than the index.
  [[nodiscard]] std::optional<indexed_record> find(char const* at, char const* limit) {
    if (at < begin_ || at >= end_) fill(at, limit);
    while (next_ < count_ && begin_ + positions_[next_] < at) ++next_;
    if (next_ + width_ > count_ && at != begin_ && end_ != limit) fill(at, limit);
    if (next_ + width_ > count_ || !is_usual(at)) return std::nullopt;
    auto const* const ends = positions_.get() + next_;
    next_ += width_;
    return std::optional<indexed_record>(std::in_place, at, begin_, ends, width_);
  }

 private:
  void fill(char const* at, char const* limit) {
    std::size_t const bytes = std::min(static_cast<std::size_t>(limit - at), index_bytes);
    count_ =
        upsweep::host::simd::find_bytes(at, bytes, rules_.delimiter, '\n', '"', positions_.get());
    next_ = 0;
    begin_ = at;
    end_ = at + bytes;
  }
  /// Whether the next separators are those of a record that begins at `at`.
  [[nodiscard]] bool is_usual(char const* at) const {
    auto const* const ends = positions_.get() + next_;
    bool usual = begin_[ends[width_ - 1]] == '\n';
    for (std::size_t i = 0; i + 1 < width_; ++i) usual &= begin_[ends[i]] == rules_.delimiter;
    if (!usual) return false;
    if (rules_.comment != '\0' && *at == rules_.comment) return false;
    return width_ > 1 || std::any_of(at, begin_ + ends[0], [](char c) { return !is_blank(c); });
  }

  record_rules rules_;
  std::size_t width_;
  std::unique_ptr<std::uint32_t[]> positions_;  // counted from begin_
  std::size_t count_ = 0, next_ = 0;
  char const* begin_ = nullptr;
  char const* end_ = nullptr;
};

}  // namespace upsweep::io
