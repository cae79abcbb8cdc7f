/// Scans the values of JSON lines and of a JSON array into fields.
#pragma once

#include <io/records.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace upsweep::io {

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
void append_token(std::string& out, field const& from);

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
