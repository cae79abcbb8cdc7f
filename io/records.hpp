/// Splits text into records and fields: white-space-separated lines, RFC 4180 (CSV, TSV), and the
/// values of JSON lines and of a JSON array.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upsweep::io {

/// How a value of JSON is written; `none` is a key that an object lacks, or no JSON.
enum class json_kind : std::uint8_t { none, null, scalar, text, escaped, nested };

/// One field, as a range of the text, without its quotes and surrounding blanks.
struct field {
  char const* begin = nullptr;
  char const* end = nullptr;
  bool quoted = false;  ///< the field was in quotes, so a doubled quote in it means one quote
  json_kind json = json_kind::none;

  [[nodiscard]] std::string_view text() const noexcept {
    return {begin, static_cast<std::size_t>(end - begin)};
  }
};

[[nodiscard]] constexpr bool is_blank(char c) noexcept {
  return c <= ' ' && (c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f');
}

/// Removes the blanks around a bare field.
inline void trim(field& bare) noexcept {
  while (bare.begin != bare.end && is_blank(*bare.begin)) ++bare.begin;
  while (bare.begin != bare.end && is_blank(bare.end[-1])) --bare.end;
}

/// Allocator whose memory shares no cache line with other memory, for what one thread writes at
/// every record.
template <class T>
struct own_lines {
  using value_type = T;
  static constexpr std::size_t line = 128;  // two lines: processors prefetch them in pairs

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

/// Appends the field's content: one quote for a doubled one, and the characters of JSON escapes.
void append_unquoted(std::string& out, field const& from);

/// The contents of fields.
[[nodiscard]] std::string unquoted(field const& from);
/// The characters of a value; those of a JSON string with escapes are in `buffer`.
[[nodiscard]] inline std::string_view decoded(field const& from, std::string& buffer) {
  return from.json == json_kind::escaped ? buffer = unquoted(from) : from.text();
}
[[nodiscard]] std::vector<std::string> unquoted(field_list const& from);

/// Appends a field to a record, quoted if RFC 4180 requires it, and also if the reader would drop
/// its blanks. '\0' is text without quotes: tabs and line ends become blanks, and no field is
/// empty.
void append_field(std::string& out, std::string_view text, char delimiter);

/// The text without the blanks around it.
[[nodiscard]] inline std::string_view trimmed(std::string_view text) noexcept {
  field bare{text.data(), text.data() + text.size(), false};
  trim(bare);
  return bare.text();
}

/// True for a line that is one field in quotes.
[[nodiscard]] bool is_quoted(std::string_view line) noexcept;

/// What is outside of quotes that open where a field may begin: separators inside are none.
[[nodiscard]] std::string without_quoted(std::string_view line);

/// The separator that a first line `sep=;` names, as spreadsheets write and read it, and the length
/// of that line.
struct separator_line {
  char separator;
  std::size_t bytes;
};
[[nodiscard]] std::optional<separator_line> named_separator(std::string_view text) noexcept;

struct record_rules {
  bool white_space = true;  ///< text; if false, fields end at `delimiter` and may be quoted
  char delimiter = ',';
  char comment = '#';  ///< '\0' for none. A comment begins between any two fields of text, but only
                       ///< at the start of a line of CSV
  std::size_t columns = 0;  ///< of text, if not 0: the last of so many is the rest of the line
};

/// What a row is: a record, any number of a list, or a record of one number, whose column has no
/// name.
enum class text_form : std::uint8_t { records, list, one_per_line };

enum class scanned {
  record,          ///< `fields` are set
  nothing,         ///< only blank lines and comments up to the end
  incomplete,      ///< the record continues beyond the given bytes
  bad_quote,       ///< `at`: text after a closing quote; `next`: the quote that opened the field
  unclosed_quote,  ///< `at`: the opening quote of a field that is not closed before the end
  bad_json         ///< `at`: where `why` says what is wrong
};

struct scan_result {
  scanned what = scanned::nothing;
  char const* next =
      nullptr;  ///< after what was scanned; incomplete: where to resume with more bytes
  char const* start = nullptr;  ///< record: its first byte, after blank lines and comments
  char const* at = nullptr;     ///< position of an error
  char const* why = nullptr;    ///< bad_json: a sentence without its point
};

/// The end of the first line of `text`, or npos. A newline in a quoted field with which the line
/// begins does not end it.
[[nodiscard]] std::size_t first_line_end(std::string_view text) noexcept;

/// Scans the next record of [begin, end), skipping blank lines and comments. `last` means that the
/// text ends at `end`; otherwise a record without its end is incomplete. One pass, about a
/// nanosecond per byte.
[[nodiscard]] scan_result scan_record(record_rules const& rules, char const* begin, char const* end,
                                      bool last, field_list& fields);

/// Scans the next white-space-separated token of [begin, end), skipping newlines and comments.
[[nodiscard]] scan_result scan_token(record_rules const& rules, char const* begin, char const* end,
                                     bool last, field& token);

/// What a row of JSON is: an object, an array of fields, or the only field.
enum class json_row : std::uint8_t { object, array, scalar };

/// What is known of a file of JSON before its first row. Constant while threads scan.
class json_rules {
 public:
  json_row row = json_row::object;
  bool in_array = false;          ///< the rows are the elements of one array
  bool refuses_new = false;       ///< a key that is none of `keys` is an error
  std::vector<std::string> keys;  ///< of objects

  /// Adds a key that is not there yet.
  void add(field const& key);
  /// The index of `key`; keys.size() if there is none.
  [[nodiscard]] std::size_t find(field const& key) const;
  /// Key i with its quotes, as JSON has it; empty if it needs escapes, or there is none.
  [[nodiscard]] std::string_view quoted(std::size_t i) const noexcept;

 private:
  struct hash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, std::size_t, hash, std::equal_to<>> index_;
  std::vector<std::string> quoted_;
};

/// Scans the next row of [begin, end). An object has a field for each of `rules.keys`, which are
/// empty at the row's start if the object lacks the key, and empty where its value stands if that
/// is null. The last value of a key counts. One pass; numbers are checked where they are parsed.
[[nodiscard]] scan_result scan_json(json_rules const& rules, char const* begin, char const* end,
                                    bool last, field_list& fields);

/// The same for an object whose keys are not known yet: they are added to `rules`.
[[nodiscard]] scan_result find_keys(json_rules& rules, char const* begin, char const* end,
                                    bool last);

/// Appends the characters for which the content of a JSON string stands.
void append_unescaped(std::string& out, std::string_view content);

/// Appends `field` as a value of JSON, as it was read.
/// `compared`: with one spelling for equal strings, except those with half of a pair of escapes.
void append_token(std::string& out, field const& from, bool compared = false);
/// The field as which CSV has the value that append_token appended: a string without its quotes.
[[nodiscard]] std::string text_of_token(std::string_view token);

/// Throws data_error unless `text` is UTF-8.
void expect_json_text(std::string_view text);

/// Appends `text` as a string of JSON, and returns `out`. Throws data_error unless it is UTF-8.
std::string& append_json_text(std::string& out, std::string_view text);

/// Appends `number` as JSON writes it: no '+', a digit before its point. False, and appends
/// nothing, if it is none, has leading zeros as codes have, "007", or is a telephone number.
[[nodiscard]] bool append_json_number(std::string& out, std::string_view number);

/// Whether this is the beginning of an object or an array, but not of "[1] 2.5", which R prints;
/// nothing if it is too short to tell.
[[nodiscard]] std::optional<bool> looks_like_json(std::string_view text) noexcept;

}  // namespace upsweep::io
