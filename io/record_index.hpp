/// Finds the usual records of delimited text, those without quotes, by an index of the separators:
/// vector instructions find all of them, and a record is the next few.
#pragma once

#include <io/records.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>

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
  record_index(record_rules const& rules, std::size_t width);

  /// The record that begins at `at`, which must not be before that of the latest call. Nothing
  /// if it is not of the usual kind: it has quotes, another number of fields, is blank or a
  /// comment, does not end before `limit`, or is longer than the index.
  [[nodiscard]] std::optional<indexed_record> find(char const* at, char const* limit);

 private:
  void fill(char const* at, char const* limit);
  [[nodiscard]] bool is_usual(char const* at) const;

  record_rules rules_;
  std::size_t width_;
  std::unique_ptr<std::uint32_t[]> positions_;  // counted from begin_
  std::size_t count_ = 0, next_ = 0;
  char const* begin_ = nullptr;
  char const* end_ = nullptr;
};

}  // namespace upsweep::io
