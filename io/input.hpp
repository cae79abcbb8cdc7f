/// Reads columns of numbers from text, CSV, TSV, JSON, raw binary, .npy, Parquet and Arrow, from
/// files (mapped) and from pipes (streamed).
///
/// Rules for numbers, headers and missing values:
/// - Text is numbers separated by white space. `#` begins a comment that ends with the line. Each
///   line is a record. Without a header and without chosen columns: if the first line has one
///   number, every line must have one. If it has several and is the only line, or the second line
///   has a different number of fields, the file is a list: all its numbers form one column. If both
///   lines have the same number of fields, the file is a table whose columns must be chosen. `list`
///   reads any text as a list.
/// - CSV and TSV follow RFC 4180: a field in double quotes may contain doubled quotes and newlines;
///   lines end with CRLF or LF; every record has as many fields as the first. White space around a
///   bare field is ignored. Comments exist only if a comment character is given.
/// - Blank lines, a UTF-8 byte-order mark and a missing final newline are accepted everywhere. A
///   NUL byte in text is an error.
/// - The first record is a header (`header_line::automatic`) if a column is chosen by name, or by
///   what it and later ones have: see header_evidence. A name begins with a letter or '_'. A field
///   that is neither a number nor a name ("$1.50"), in a record with no name that would make it a
///   header, is an error: a value must not be dropped as a header. So are numbers that may be names
///   (years, or 1, 2, 3 beside a name), and records that do not tell: only `header` does. A CSV may
///   consist of a header only. A first line `sep=;` names the delimiter and is no record.
/// - Text whose rows have one field more than the header has names, each of them or with numbers
///   under all names, has row names without a name, which is an error; so are fields in quotes.
/// - JSON: a row is an object, an array or a single value, of lines or of one array. The keys of
///   the first MiB are the columns. Missing keys and null are missing values. A nested value is
///   an error in a column that is read.
/// - What begins as a file of another format (a workbook, HDF5 ...), UTF-16, UTF-32, and lines that
///   end with a carriage return alone are errors that name a command.
/// - Columns of Parquet, of Arrow's formats and of .npy records have names and types: decimals,
///   dates and times are strings, nulls missing values. Rows are written as CSV is. A member of a
///   .npz is a name after its path: x.npz:weights.
/// - Numbers have a decimal point and no thousands separators unless `numbers` gives others. A
///   thousands separator comes before three digits each; a decimal comma does not separate fields.
/// - An empty field, NA, N/A and null (in any case) and the words of `missing` are missing values:
///   an error, or, with `skip_missing`, a reason to skip the whole row, or, with `mark_missing`, a
///   gap in the column.
/// - A column of text is `i64` if all its values are integers that fit, `u64` if they need it,
///   `bool` if all are true or false, otherwise `f64`. A file is read ahead as far as needed to
///   decide. A stream is decided by its first MiB, or with `may_widen` by what arrives first. A
///   decimal in a later row of an integer column then makes the rest of the column `f64`; without
///   `may_widen` it is an error. Integers beyond 64 bits and decimals beyond the dtype's range are
///   errors; values are never wrapped or made infinite.
/// - The value of an integer is exact, and that of a decimal an f64. Where numbers are compared or
///   shown, a column of both in which f64 would round an integer is delivered as text too. If such
///   an integer comes too late for that, it is an error.
/// - gzip and zstd data are decompressed as a stream. Their first bytes tell; for raw values the
///   extension of the path. The extension before it gives the format.
/// - Several files are one input, the rows of the first before those of the second. They have one
///   format. The first text with a record decides whether all have a header. The names of the
///   columns agree; a column has the type that it has if one file holds all rows. Text without a
///   record has no rows. Arrays have one type and one shape after the first dimension, along which
///   they are joined.
/// - 16-bit floats are rounded to nearest from the binary64 value of the text or the file; all
///   other conversions round once.
#pragma once

#include <io/byte_source.hpp>
#include <io/column_source.hpp>
#include <io/container.hpp>
#include <io/dtype.hpp>
#include <io/text_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::io {

enum class header_line : std::uint8_t { automatic, present, absent };

/// Of a file that grows: only the records in the bytes [begin, end), of which the first line of
/// text has the number `line`, from 0; beside its header. Of a .npy file, in C order, whole rows.
struct file_part {
  std::uint64_t begin = 0, end = 0, line = 0;
};

struct column_table;
struct input_options;
class reader;

/// Columns that are computed from those of the file.
class computed_columns {
 public:
  virtual ~computed_columns() = default;
  /// True if a chosen column needs a header: it is a name, or computed from one.
  [[nodiscard]] virtual bool needs_header(std::string const& wanted) const = 0;
  /// Replaces the chosen columns and keys that `table` does not have by those from which they are
  /// computed.
  virtual void replace(input_options& options, column_table const& table) = 0;
  /// The reader of the chosen columns, made of the reader of all columns, which it replaces.
  [[nodiscard]] virtual std::unique_ptr<reader> computed(std::unique_ptr<reader> file) = 0;
};

/// For what a chosen column is used that may be text.
struct column_use {
  bool as_numbers = false;  ///< it is never text alone
  bool in_order = false;  ///< it is put in order: a column that begins with a text that looks like
                          ///< a number ("$900") is one of numbers, and that text an error
  bool as_written = false;  ///< its values are shown: numbers with leading zeros are codes
                            ///< ("07306") and are text; with one of the others they are both
  bool computes = false;    ///< an expression computes with its values too
  bool compares = false;    ///< its values are compared as numbers

  /// Whether f64 must not round its integers: beside decimals they are text too, or text alone if
  /// they are shown and nothing else.
  [[nodiscard]] bool is_exact() const noexcept { return as_written || compares; }
};

/// Where a chosen column is delivered: as a key, or as a column of values; and which one.
struct chosen_column {
  bool is_text = false;
  std::size_t index = 0;
  std::optional<std::size_t> written = {};  ///< of codes, and of numbers that f64 rounds: their key
  bool rounds =
      false;  ///< f64 rounds some of its integers; the text of each number tells its value
};

struct input_options {
  std::string path = "-";                    ///< "-" is standard input
  std::vector<std::string> more_paths = {};  ///< files that continue the first
  container format = container::automatic;   ///< by extension, then by content
  std::vector<std::string> columns =
      {};  ///< names, positions from 1, ranges of either ("2-4", "3-", "price-qty"), "all"; a name
           ///< takes precedence over what else it may mean
  std::size_t single = 0;  ///< how many of `columns`, from the last, must be one column each
  std::vector<std::string> keys = {};  ///< the same, for columns that stay text (`--by`)
  bool whole_rows = false;  ///< text, CSV, TSV: with chosen columns or `keys_only`, all columns are
                            ///< also keys
  bool keys_only = false;   ///< empty `columns` means none, instead of all
  bool may_be_text = false;  ///< text, CSV, TSV: a chosen column whose first value is not a number
                             ///< is read as a key, see `chosen`
  std::vector<chosen_column> known = {};  ///< with `may_be_text`: which chosen columns are text,
                                          ///< and which are written too, if that is known
  std::vector<bool> as_text = {};  ///< text, CSV, TSV: for each of `columns`, which then choose one
                                   ///< each: it is read as a key, whatever it holds
  std::vector<column_use> uses = {};  ///< with `may_be_text`: for each of `columns`, or once if
                                      ///< there are none
  bool rows_suffice = false;  ///< text, CSV, TSV: without chosen columns, several columns are no
                              ///< error, but none is read
  bool list = false;          ///< text: all numbers of all lines are one column
  char delimiter = 0;  ///< of CSV; 0 is ',' (or ';' if the first line has no ',' outside of quotes,
                       ///< or if ',' is the decimal separator), tab in TSV
  header_line header = header_line::automatic;  ///< text, CSV and TSV
  std::optional<char> comment =
      {};                        ///< begins a comment; default '#' in text, none in CSV; '\0' none
  number_spelling numbers = {};  ///< text, CSV and TSV
  bool skip_missing = false;     ///< skip rows in which a chosen value is missing
  bool mark_missing = false;     ///< deliver them, and say in chunk::present what is missing
  std::vector<std::string> missing = {};  ///< further words for a missing value
  std::optional<dtype> type =
      {};  ///< type of the values: text is parsed as it, raw holds it, .npy is converted to it
  std::optional<std::uint64_t> offset = {};  ///< raw: bytes to skip at the beginning of each file
  std::optional<std::uint64_t> count = {};   ///< raw: elements to read of each file; all if absent
  std::optional<byte_order> endian = {};     ///< raw: native if absent
  int threads = 0;         ///< for parsing text; 0 is all that this process may use
  bool may_widen = false;  ///< a column of integers of a stream may become f64 in a later chunk
  std::optional<file_part> part = {};               ///< of a file that can be mapped
  std::shared_ptr<computed_columns> computed = {};  ///< what `columns` and `keys` may be besides
};

/// What a key column is as values of JSON.
enum class key_kind : std::uint8_t {
  unknown,  ///< all values so far are missing
  text,
  number,          ///< in the standard spelling
  written_number,  ///< of text: the first value is one, without leading zeros; as the input has it
  truth,           ///< "true" and "false"
  token            ///< its fields are values of JSON, see reader::keep_tokens
};

/// A whole n-dimensional array in native byte order; strides are in elements.
struct array_view {
  dtype type = dtype::f64;
  std::vector<std::size_t> shape;
  std::vector<std::size_t> strides;
  std::span<std::byte const> bytes;
};

/// What is known of an open input before its first row, or so far.
struct input_facts {
  std::vector<column_info> columns;  ///< of values, in the order in which they were chosen
  std::vector<std::string> keys;     ///< the names of the key columns
  /// The types of key columns that are numbers in a file whose columns have types; nothing for
  /// strings. May be shorter than `keys`.
  std::vector<std::optional<dtype>> key_types;
  std::vector<std::string> all_names;   ///< of the columns of the header, chosen or not
  std::vector<chosen_column> chosen;    ///< of text, CSV and TSV; otherwise empty
  std::vector<std::size_t> key_counts;  ///< how many of `keys` each of input_options::keys gave
  container format = container::text;   ///< never `automatic`
  bool has_header = false;  ///< if text, CSV or TSV has none, names are "column 1" and so on
  char delimiter = ',';     ///< the separator of CSV and TSV records
  /// A column of integers may be f64 in a later chunk: input_options::may_widen was set, and the
  /// input is a stream.
  bool may_widen = false;
  std::optional<std::vector<std::size_t>> shape;  ///< .npy: its dimensions, none for a scalar
  bool fortran_order = false;
  std::optional<std::uint64_t> total_rows;  ///< if it is known before they are read
  std::uint64_t skipped_rows = 0;           ///< skipped so far because a value was missing

  /// For each chosen column, in order, where it is. Those of text (`may_be_text`, `as_text`) are
  /// the last keys; the others are values.
  [[nodiscard]] std::vector<chosen_column> where_chosen() const {
    auto all = chosen;
    if (chosen.empty())
      for (std::size_t i = 0; i < columns.size(); ++i) all.push_back({.index = i});
    return all;
  }
  /// How many of the key columns the first `wanted` of input_options::keys gave; a range gives
  /// several.
  [[nodiscard]] std::size_t keys_of(std::size_t wanted) const noexcept {
    auto const counts = std::span(key_counts).first(wanted);
    return std::accumulate(counts.begin(), counts.end(), std::size_t{0});
  }
};

/// What reader::join_keys asks for.
struct key_joining {
  std::size_t keys = 0;
  char separator = ',';
  bool quotes = true;
  bool members = false;  ///< of JSON: as members of an object
};

/// An open input: the base class of the readers. Opening and `next` throw usage_error, data_error
/// or io_error. Memory use is a few MiB for any length, except that `array` and Fortran order need
/// the whole array.
class reader : public input_facts {
 public:
  reader() = default;
  explicit reader(std::unique_ptr<byte_source> source) : source_(std::move(source)) {}
  virtual ~reader() = default;
  reader(reader const&) = delete;
  reader& operator=(reader const&) = delete;

  /// Fills `out` with the next rows (about 1 MiB of values, at least one row); false at the end. On
  /// a pipe it waits only a few milliseconds for more than is already there. Mapped .npy and raw
  /// values are not copied. An array of several dimensions is delivered in row-major order.
  [[nodiscard]] virtual bool next(chunk& out) = 0;
  /// .npy: the whole array, mapped if possible, otherwise read into memory; valid as long as the
  /// input exists. Use either this or `next`.
  [[nodiscard]] virtual array_view array() = 0;

  /// The name in messages: the path, or "standard input", and the number of further files.
  [[nodiscard]] virtual std::string const& name() const noexcept { return source_->name(); }
  [[nodiscard]] virtual std::uint64_t bytes_read() const noexcept { return source_->bytes_read(); }
  /// Size of a regular file; nothing for a pipe.
  [[nodiscard]] virtual std::optional<std::uint64_t> bytes_total() const noexcept {
    return source_->bytes_total();
  }
  /// Before the first `next`: reads the value columns of text as these types instead of those
  /// guessed.
  virtual void set_types(std::span<dtype const>) {}
  /// False if one of the first `keys` key columns is computed.
  [[nodiscard]] virtual bool can_join_keys(std::size_t /*keys*/) const noexcept { return true; }
  /// Before the first `next`: delivers the first `keys` key columns of text, CSV and TSV not one by
  /// one, but joined by `separator` as they are written, with `quotes` where a field needs them.
  /// Rows that stand so in the input are copied whole. The others become the first keys of a chunk,
  /// to which `chosen` refers. Those of JSON are joined as `members` of an object, "name":value,
  /// each value as it is in the input, without the keys that an object lacks.
  virtual void join_keys(key_joining const&) {}
  /// JSON, before the first `next`: delivers the first `keys` key columns that are not computed as
  /// values of JSON, as they are in the input. The first `compared` of them have one spelling for
  /// equal strings.
  virtual void keep_tokens(std::size_t /*keys*/, std::size_t /*compared*/) {}
  /// What the key with that index in a chunk is, by the rows that have been delivered.
  [[nodiscard]] virtual key_kind kind_of_key(std::size_t key) const noexcept {
    auto const type = key_types[key];
    return !type ? key_kind::text : *type == dtype::boolean ? key_kind::truth : key_kind::number;
  }

  bool is_blank = false;             ///< text without a record
  std::vector<type_guess> guesses;   ///< of the value columns of text whose types are not given
  std::vector<bool> keeps_spelling;  ///< of these: input_options::uses has as_written
  std::vector<bool> stays_exact;     ///< of these: column_use::is_exact()

 protected:
  /// The first `keys` keys are no longer delivered as such.
  void shift_texts(std::size_t joined) noexcept {
    for (auto& column : chosen) {
      if (column.is_text) column.index -= joined;
      if (column.written) *column.written -= joined;
    }
  }

  std::unique_ptr<byte_source> source_;
};

/// Opens one file. `types` are those of the value columns of text if they are known.
[[nodiscard]] std::unique_ptr<reader> open_reader(input_options const& options,
                                                  std::span<dtype const> types = {});

/// Raw binary.
[[nodiscard]] std::unique_ptr<reader> make_raw_reader(std::unique_ptr<byte_source> source,
                                                      input_options options);
/// .npy, of numbers or of records.
[[nodiscard]] std::unique_ptr<reader> make_npy_reader(std::unique_ptr<byte_source> source,
                                                      input_options options,
                                                      std::span<dtype const> types);

/// Named columns that have types, of Arrow's formats and of .npy records. `types` are those of the
/// value columns if they are known. `from` may refer to `bytes`.
[[nodiscard]] std::unique_ptr<reader> make_column_reader(std::unique_ptr<byte_source> bytes,
                                                         std::unique_ptr<column_source> from,
                                                         input_options options,
                                                         std::span<dtype const> types);

/// The format of Arrow's that the first bytes are; waits for eight.
[[nodiscard]] std::optional<container> arrow_format_of(byte_source& source);
/// Parquet and Arrow's file format are read into memory unless they are mapped; a stream is read as
/// it arrives. Throws data_error without Arrow's library.
[[nodiscard]] std::unique_ptr<reader> make_arrow_reader(std::unique_ptr<byte_source> source,
                                                        input_options const& options,
                                                        container format,
                                                        std::span<dtype const> types);

/// Several files as one input.
[[nodiscard]] std::unique_ptr<reader> make_chained_reader(input_options const& options);

/// The reader of one file or several, also of computed columns.
class input {
 public:
  explicit input(input_options options);
  [[nodiscard]] reader* operator->() noexcept { return reader_.get(); }
  [[nodiscard]] reader const* operator->() const noexcept { return reader_.get(); }

 private:
  std::unique_ptr<reader> reader_;
};

}  // namespace upsweep::io
