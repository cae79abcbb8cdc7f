/// Where the values of a piece begin among those of its group or column, for operators whose
/// results depend on it.
#pragma once

#include <cli/pieces/piece_merge.hpp>

#include <string>
#include <unordered_map>

namespace upsweep::cli {

/// How many values of each group are before a piece.
class placement {
 public:
  /// At the beginning of the whole.
  placement() = default;
  /// After the rows of `front`, made by the same options as `request` but for operators and
  /// columns. Throws data_error otherwise.
  placement(part_file const& front, piece_request request);

  /// Before the first value of the group with these keys (group_table), to an aggregation of it.
  void begin(aggregation& set, std::string const& keys) const;

 private:
  std::unordered_map<std::string, value_counts> groups_;
};

/// The part of all rows before a piece, from the file or files joined in `path`. Throws
/// data_error if it does not begin with row 0.
[[nodiscard]] part_file part_in_front(std::string const& path);

}  // namespace upsweep::cli
