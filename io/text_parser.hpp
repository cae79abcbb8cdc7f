/// Turns records of text into typed columns, piece by piece, so that all threads have work.
#pragma once

#include <io/dtype.hpp>
#include <io/records.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <vector>

namespace upsweep::io {

/// What makes a row: a record; a number, wherever it stands; or a number that has its line for
/// itself.
enum class text_form : std::uint8_t { records, list, one_per_line };

/// What all threads know; constant while they work.
struct text_plan {
  struct value_column {
    std::size_t field = 0;
    dtype type = dtype::f64;
  };
  record_rules rules;
  text_form form = text_form::records;
  std::size_t least = 0;  ///< fields of a record
  std::size_t most = 0;
  std::vector<value_column> values;
  std::vector<std::size_t> keys;  ///< fields
  bool skip_missing = false;
  bool may_widen =
      false;  ///< what is no integer in a column of integers may yet make it a column of decimals
};

/// The records that begin in [from, to), and what became of them. Its buffers are used again for
/// later pieces. Aligned, because threads that write into one cache line take twice the time.
struct alignas(128) text_piece {
  enum class stop : std::uint8_t { whole, incomplete, bad };
  struct key_column {
    std::string characters;
    std::vector<std::size_t> ends;
  };
  char const* from = nullptr;
  char const* to = nullptr;
  char const* next = nullptr;  ///< where the first record begins that is not in the piece
  stop why = stop::whole;      ///< why `next` is there: incomplete: that record goes on behind the
                               ///< text; bad: it cannot be taken
  char const* nul = nullptr;   ///< a NUL byte in [from, next)
  std::uint64_t lines = 0;     ///< line ends in [from, next)
  std::size_t rows = 0;
  std::size_t skipped = 0;  ///< rows left out for a missing value
  std::vector<std::vector<std::byte>>
      values;  ///< of each value column: room for `rows` values or more
  std::vector<key_column, own_lines<key_column>> keys;
  std::vector<std::uint64_t> numbers;  ///< of the rows, counted from the piece's first with those
                                       ///< left out; only where some may be
  std::vector<type_guess, own_lines<type_guess>> guesses;  ///< by `observe`, of each value column
  std::exception_ptr failure;                              ///< no memory
};

/// The next record of [begin, end), or what plays its part, into `fields`; as scan_record.
[[nodiscard]] scan_result scan(text_plan const& plan, char const* begin, char const* end, bool last,
                               field_list& fields);

/// False for a token that is no value of `type`. An integer "-0" counts as none where the column
/// may widen: it would lose its sign.
[[nodiscard]] bool parse_value(text_plan const& plan, std::string_view token, dtype type,
                               void* value) noexcept;

/// Work on a piece of a text of which [piece.from, end) is there; `ended` says that nothing
/// follows. `parse` fills the columns, `observe` the guesses, up to where they are settled.
using piece_work = void (*)(text_plan const& plan, char const* end, bool ended, text_piece& piece);
void parse(text_plan const& plan, char const* end, bool ended, text_piece& piece);
void observe(text_plan const& plan, char const* end, bool ended, text_piece& piece);

/// Cuts [begin, end) behind line ends into at most `pieces.size()` pieces, and returns how many it
/// made. A quote may hold a line end: then the piece before ends behind where the next began, which
/// must be done again from there.
[[nodiscard]] std::size_t cut(char const* begin, char const* end, std::vector<text_piece>& pieces);
/// Does `work` on the first `count` pieces, on up to `threads` threads.
void work_on(std::vector<text_piece>& pieces, std::size_t count, int threads, piece_work work,
             text_plan const& plan, char const* end, bool ended);

}  // namespace upsweep::io
