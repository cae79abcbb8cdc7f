/// Parses records of text into typed columns, in pieces that threads parse in parallel.
#pragma once

#include <io/dtype.hpp>
#include <io/records.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::io {

/// Fields that are delivered as they are written.
struct joined_fields {
  std::vector<std::size_t> fields;
  char separator = ',';
  bool quotes = true;
  bool as_read = false;                 ///< they are whole records with the separator of the input
  std::vector<std::string> names = {};  ///< for JSON: the text before each value, "name":
};

/// Shared by all threads; constant while they work.
struct text_plan {
  struct value_column {
    std::size_t field = 0;
    dtype type = dtype::f64;
    one_currency* currency = nullptr;  ///< of `numbers`, if they are amounts
    bool shown = false;                ///< a code ("07306") is no value: its zeros would be lost
    bool exact = false;                ///< nor is an integer that f64 would round
    bool widens = true;                ///< with may_widen: also after an integer that f64 may round
    std::string large = {};            ///< such an integer
  };
  record_rules rules;
  text_form form = text_form::records;
  std::size_t least = 0;  ///< minimum number of fields of a record
  std::size_t most = 0;
  std::vector<value_column> values;
  std::vector<std::size_t> keys;  ///< fields
  std::vector<bool> respelled;    ///< of these: numbers, by append_spelling; may be shorter
  std::optional<joined_fields> joined;
  std::optional<json_rules> json;
  std::size_t tokens = 0;    ///< of JSON: how many of `keys` are delivered as they were read
  std::size_t compared = 0;  ///< how many of these have one spelling for equal strings
  number_spelling numbers;
  bool respells = false;  ///< `numbers` is not the standard spelling
  bool skip_missing = false;
  bool mark_missing = false;
  missing_words missing;
  bool may_find_gaps = false;  ///< mark_missing, or `missing` has words that may be numbers
  bool seeks_rounded = false;  ///< `observe` goes on after decimals, see type_guess::settled
  bool may_widen = false;      ///< a decimal in a column of integers makes it a column of decimals
};

/// The records that begin in [from, to), and the result of parsing them. Its buffers are reused for
/// later pieces. Aligned against false sharing, which doubles the time.
struct alignas(128) text_piece {
  enum class stop : std::uint8_t { whole, incomplete, bad };
  struct key_column {
    text_buffer texts;
    std::optional<bool> begins_with_number;  ///< nothing while all values are missing
  };
  char const* from = nullptr;
  char const* to = nullptr;
  char const* next = nullptr;  ///< beginning of the first record that is not in the piece
  stop why = stop::whole;     ///< why the piece ends there; incomplete: that record continues after
                              ///< the text; bad: it is invalid
  char const* nul = nullptr;  ///< a NUL byte in [from, next)
  std::uint64_t lines = 0;    ///< newlines in [from, next)
  std::size_t rows = 0;
  std::size_t skipped = 0;  ///< rows skipped for a missing value
  std::vector<std::vector<std::byte>>
      values;  ///< of each value column: room for `rows` values or more
  std::vector<std::vector<std::uint8_t>>
      present;  ///< with mark_missing: for each value column, whether the rows have a value
  std::vector<key_column, own_lines<key_column>> keys;
  text_buffer joined;
  std::vector<std::uint64_t> numbers;  ///< row numbers in the piece, counting skipped rows; only if
                                       ///< rows or values may be missing
  std::vector<type_guess, own_lines<type_guess>> guesses;  ///< by `observe`, of each value column
  std::exception_ptr failure;                              ///< out of memory
};

/// Like scan_record, for the plan's form: scans a record, or a token, into `fields`.
[[nodiscard]] scan_result scan(text_plan const& plan, char const* begin, char const* end, bool last,
                               field_list& fields);

/// False for a token that is not a value of the column's type. In a column of integers that may
/// widen, "-0" is not one: it would lose its sign.
[[nodiscard]] bool parse_value(text_plan const& plan, text_plan::value_column const& column,
                               std::string_view token, void* value);

/// Work on a piece of which [piece.from, end) is in memory; `ended` means that nothing follows.
/// `parse` fills the columns. `observe` fills the guesses, until they are settled.
using piece_work = void (*)(text_plan const& plan, char const* end, bool ended, text_piece& piece);
void parse(text_plan const& plan, char const* end, bool ended, text_piece& piece);
void observe(text_plan const& plan, char const* end, bool ended, text_piece& piece);

/// Splits [begin, end) after newlines into at most `pieces.size()` pieces and returns their number.
/// A newline may be inside a quoted field. The piece that holds the field then ends after the
/// beginning of the next piece, which must be parsed again from there.
[[nodiscard]] std::size_t cut(char const* begin, char const* end, std::vector<text_piece>& pieces);

}  // namespace upsweep::io
