/// Files of partials: what the operators of `upsweep reduce` keep of a piece of a table, for each
/// group, and what must be known to join it with other pieces.
///
///   "upsweep partials\n", version of the format (u16), upsweep::tree_version (u16), header (u64
///   length and JSON), then for each group its keys and the saved part (each a u64 length and
///   bytes), FNV-1a of all that (u64)
///
/// saved_format has the versions of the format. Numbers are little endian. Parts may follow each
/// other in a file, as the state of several files that grow does; the header says how many groups a
/// part has.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/output/results.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// What has been read of a file that grows; of a .npy file, after its header.
struct read_so_far {
  std::uint64_t bytes = 0, lines = 0;
  std::uint64_t first = 0, last = 0;  ///< checksums of the first and the last of these bytes
};

/// The options that decide what the results are, such as {"--op", "sum,max"}. Pieces of arrays are
/// cut along axis 0, whichever number of --axis means it.
using piece_request = std::vector<std::pair<std::string, std::string>>;
[[nodiscard]] piece_request request_of(operators_flags const& flags);

/// A piece beside its partials.
struct piece_header {
  std::uint64_t begin = 0, end = 0;  ///< its rows in the whole
  std::uint64_t skipped = 0;         ///< rows skipped because a value was missing
  piece_request request;
  piece kind = piece::in_place;
  std::vector<std::string> by;          ///< the names of the columns of --by
  std::vector<io::key_kind> key_kinds;  ///< of these, and of the other strings that were read
  aggregation_plan plan{{}, {}, std::vector<aggregation_plan::result>()};
  table_columns table;
  std::vector<bool> has_values;  ///< for each column; of others the type is not known
  std::optional<std::vector<std::string>> missing;  ///< with --skip-missing, further words
  written_as format;
  std::optional<read_so_far> source;
  /// With --axis 0: the dimensions of the array after the first. Each line is a group.
  std::optional<std::vector<std::size_t>> lines = {};

  [[nodiscard]] bool empty() const noexcept { return begin == end; }
  [[nodiscard]] aggregate_settings settings() const;
  /// How many groups there are if they are not those of --by: the lines, or one.
  [[nodiscard]] std::size_t groups_without_keys() const;
};

/// A row for each group; without groups one row.
struct part_file {
  std::string name;  ///< in messages
  piece_header about;
  std::vector<text_buffer> keys{};
  text_buffer parts{};

  /// Appends rows of keys and parts, as aggregation delivers them.
  void append(io::chunk const& rows);
};

/// One or more parts. Throws data_error if the file is damaged, cut off, or of another version.
[[nodiscard]] std::vector<part_file> read_part_file(std::string const& path);
/// Writes them atomically; see output_file.
void write_part_file(std::span<part_file const> parts, std::string const& path, bool force);

}  // namespace upsweep::cli
