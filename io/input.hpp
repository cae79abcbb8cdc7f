/// Reads columns of numbers from text, CSV, TSV, raw binary and .npy, from files (mapped) and from
/// pipes (streamed).
///
/// What is a number, a header, a missing value:
/// - Text is numbers between white space; `#` begins a comment that ends with its line. Each line
/// is a record. Without a header and
///   without chosen columns a first line of one number says that every line has one; a first line
///   of several that stands alone, or before a line of another length, begins a list: all numbers,
///   line by line, are one column. Lines of the same several numbers are a table, whose columns
///   must be chosen. `list` makes a list of everything.
/// - CSV and TSV are RFC 4180: fields may stand in double quotes, with quotes doubled and newlines
/// inside; CRLF or LF; every record
///   has as many fields as the first. White space around a bare field does not count. There are no
///   comments unless one is chosen.
/// - Blank lines, a UTF-8 byte-order mark and a missing last newline are accepted everywhere. A NUL
/// byte in text is an error.
/// - The first record is a header (`header_line::automatic`) when a column is chosen by name, or
/// when it has a name where the second
///   record has a number, or has names and there is no number in the first two records at all. A
///   name begins with a letter or '_'. Where something stands that is neither a number nor a name
///   ("$1.50"), and no name beside it tells, it is an error: a value must not be dropped for a
///   header. A CSV may be all header.
/// - An empty field, NA, N/A and null (in any case) are missing values: an error, or, with
/// `skip_missing`, their whole row is left out.
/// - A column of text is `i64` while all its values are integers that fit, `u64` when they need it,
/// `bool` when all are true or
///   false, else `f64`. Files are read ahead as far as needed to know. A stream is judged by its
///   first MiB, or with `may_widen` by what comes in its first moments; then the first decimal
///   makes the rest of a column of integers `f64`, and without it is an error that says so.
///   Integers beyond 64 bits and decimals beyond the dtype's range are errors, never wrapped or
///   infinite.
/// - 16-bit floats are rounded to nearest from the binary64 that the text or the file gives; all
/// other conversions round once.
#pragma once

#include <io/container.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {

enum class header_line : std::uint8_t { automatic, present, absent };

struct input_options {
  std::string path = "-";                   ///< "-" or "" is standard input
  container format = container::automatic;  ///< by extension, then by content
  std::vector<std::string> columns =
      {};  ///< names, or positions counted from 1; a name wins over a position
  std::vector<std::string> keys = {};  ///< the same, for columns that stay text (`--by`)
  bool keys_only =
      false;          ///< no value columns: with keys, the absence of `columns` does not choose any
  bool list = false;  ///< text: all numbers, whatever their lines, are one column
  char delimiter = 0;  ///< of CSV; 0 is ',' (or ';' when the first line has no ','), tab in TSV
  header_line header = header_line::automatic;  ///< text, CSV and TSV
  std::optional<char> comment = {};  ///< begins a comment; '#' in text, none in CSV. '\0' is none
  bool skip_missing = false;         ///< leave out rows in which a chosen value is missing
  std::optional<dtype> type =
      {};  ///< what text is read as, what raw holds, what .npy is converted to
  std::optional<std::uint64_t> offset = {};  ///< raw: bytes to skip first
  std::optional<std::uint64_t> count = {};   ///< raw: elements to read, all if absent
  std::optional<byte_order> endian = {};     ///< raw: the machine's if absent
  int threads = 0;         ///< that parse text; 0 is all that this process may use
  bool may_widen = false;  ///< a column of integers of a stream may become f64 in a later chunk
};

/// An n-dimensional array as a whole, in the machine's byte order; strides count elements.
struct array_view {
  dtype type = dtype::f64;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> strides;
  std::span<std::byte const> bytes;
};

class reader;

/// One opened input. The constructor opens it, finds out the format, the columns and their types,
/// and throws usage_error, data_error or io_error; so does `next`. Memory stays below a few MiB
/// whatever the length, except where `array` or Fortran order needs it all.
class input {
 public:
  explicit input(input_options options);
  ~input();
  input(input&&) noexcept;
  input& operator=(input&&) noexcept;

  /// The value columns, in the order in which they were chosen.
  [[nodiscard]] std::vector<column_info> const& columns() const noexcept;
  [[nodiscard]] std::vector<std::string> const& key_names() const noexcept;
  /// The container that was found, never `automatic`.
  [[nodiscard]] container format() const noexcept;
  /// False where text, CSV or TSV had no header (the names are then "column 1" and so on).
  [[nodiscard]] bool has_header() const noexcept;
  /// True when a column of integers may be f64 in a later chunk: asked for, and not known
  /// beforehand as it is of a file.
  [[nodiscard]] bool may_widen() const noexcept;
  /// The separator of CSV and TSV records.
  [[nodiscard]] char delimiter() const noexcept;
  /// What errors call it: the path, or "standard input".
  [[nodiscard]] std::string const& name() const noexcept;

  /// Fills `out` with the next rows (about 1 MiB of values, at least one row); false at the end.
  /// From a pipe it returns what is there within a few milliseconds rather than wait for more.
  /// Mapped .npy and raw values are not copied. An array of more dimensions comes in row-major
  /// order.
  [[nodiscard]] bool next(chunk& out);

  /// .npy: its dimensions (empty for a single value). Other formats: nothing.
  [[nodiscard]] std::optional<std::vector<std::size_t>> const& shape() const noexcept;
  [[nodiscard]] bool fortran_order() const noexcept;
  /// .npy: the whole array, mapped where possible, read into memory otherwise; good as long as the
  /// input. Use it or `next`, not both.
  [[nodiscard]] array_view array();

  /// Rows in all, where that is known before they are read.
  [[nodiscard]] std::optional<std::uint64_t> total_rows() const noexcept;
  /// Rows left out so far because a value was missing.
  [[nodiscard]] std::uint64_t skipped_rows() const noexcept;
  [[nodiscard]] std::uint64_t bytes_read() const noexcept;
  /// Size of a regular file; nothing for a pipe.
  [[nodiscard]] std::optional<std::uint64_t> bytes_total() const noexcept;

 private:
  std::unique_ptr<reader> reader_;
};

}  // namespace upsweep::io
