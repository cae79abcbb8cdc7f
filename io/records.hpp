/// Splits text into records and fields: white-space-separated lines, and RFC 4180 (CSV, TSV).
#pragma once

#include <cstddef>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// One field where it stands in the text, without quotes and surrounding blanks.
struct field {
  char const* begin = nullptr;
  char const* end = nullptr;
  bool quoted = false;  ///< it stood in quotes, so doubled quotes in it stand for one

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};

/// Memory that shares no cache line with other memory: for what one thread writes at every record.
template <class T>
struct own_lines {
  using value_type = T;
  static constexpr std::size_t line = 128;  // two, which processors fetch together

  own_lines() = default;
  template <class U>
  explicit own_lines(own_lines<U> const&) noexcept {}
  [[nodiscard]] T* allocate(std::size_t n) {
    return static_cast<T*>(
        ::operator new((n * sizeof(T) + line - 1) / line * line, std::align_val_t{line}));
  }
  void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, std::align_val_t{line}); }
  bool operator==(own_lines const&) const noexcept { return true; }
};
using field_list = std::vector<field, own_lines<field>>;

/// The field's content, doubled quotes undone.
void append_unquoted(std::string& out, field const& from);

struct record_rules {
  bool white_space = true;  ///< text; otherwise fields end at `delimiter` and may be quoted
  char delimiter = ',';
  char comment = '#';  ///< '\0' for none. In text it may begin anywhere between fields, in CSV only
                       ///< at the start of a line
};

enum class scanned {
  record,          ///< `fields` are set
  nothing,         ///< blank lines and comments up to the end
  incomplete,      ///< the record goes on beyond the bytes given
  bad_quote,       ///< `at`: text behind a closing quote
  unclosed_quote,  ///< `at`: the opening quote of a field that the end of the file leaves open
  crowded          ///< `at`: a second token on the line of a lone one
};

struct scan_result {
  scanned what = scanned::nothing;
  char const* next =
      nullptr;  ///< behind what was read; incomplete: where to begin again with more bytes
  char const* start = nullptr;  ///< record: its first byte, behind blank lines and comments
  char const* at = nullptr;     ///< of an error
};

/// Reads the next record of [begin, end), passing over blank lines and comments. `last` says that
/// the text ends at `end`; otherwise a record must be seen to end before it. One pass, about a
/// nanosecond a byte.
[[nodiscard]] scan_result scan_record(record_rules const& rules, char const* begin, char const* end,
                                      bool last, field_list& fields);

/// Reads the next white-space-separated token of [begin, end) into `token`, passing over line ends
/// and comments.
[[nodiscard]] scan_result scan_token(record_rules const& rules, char const* begin, char const* end,
                                     bool last, field& token);

/// The same for a token that has its line for itself.
[[nodiscard]] scan_result scan_lone_token(record_rules const& rules, char const* begin,
                                          char const* end, bool last, field& token);

}  // namespace upsweep::io
