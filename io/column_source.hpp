/// Files of named columns that have types: Arrow's formats, and records of .npy.
#pragma once

#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace upsweep::io {

/// A column of such a file.
struct source_column {
  std::string name;
  std::optional<dtype> type = {};  ///< of its numbers; nothing for strings
  bool is_decimal = false;         ///< its strings are numbers
  std::string unreadable = {};     ///< why its values cannot be read, such as "records"
};

/// Some values of a column, in native byte order. Owns nothing.
struct source_values {
  typed_column numbers = {};
  text_column texts = {};              ///< if the column has no type; missing ones are empty
  std::span<bool const> present = {};  ///< whether the rows have a value; empty if all have
};

/// Consecutive rows of the chosen columns.
struct source_rows {
  std::size_t rows = 0;
  std::vector<source_values> columns = {};
};

/// Reads such a file. Throws data_error.
class column_source {
 public:
  column_source() = default;
  virtual ~column_source() = default;
  column_source(column_source const&) = delete;
  column_source& operator=(column_source const&) = delete;

  /// Once, before the first `next`: the columns to read, ascending, each once.
  virtual void choose(std::span<std::size_t const> chosen) = 0;
  /// The next rows, at least one, which are valid until the next call; false at the end.
  [[nodiscard]] virtual bool next(source_rows& out) = 0;

  std::string kind;  ///< of the file, for what another library says about it: "Parquet"
  std::vector<source_column> columns;
  std::optional<std::uint64_t> rows;  ///< if known
};

/// Writes such a file.
class column_sink {
 public:
  column_sink() = default;
  virtual ~column_sink() = default;
  column_sink(column_sink const&) = delete;
  column_sink& operator=(column_sink const&) = delete;

  virtual void write(source_rows const& rows) = 0;
  /// After the last rows.
  virtual void finish() = 0;
};

}  // namespace upsweep::io
