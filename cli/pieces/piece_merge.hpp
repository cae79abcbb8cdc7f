/// Joins pieces of a table that were reduced apart.
#pragma once

#include <cli/engine/groups.hpp>
#include <cli/pieces/part_file.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace upsweep::cli {

class piece_merge {
 public:
  /// Of one or more pieces, in any order. Throws data_error if they are not of the same operators
  /// and columns, or if rows between them are missing or twice.
  explicit piece_merge(std::vector<part_file> pieces);

  /// What they are together, as such a piece. Throws usage_error if operators need the positions of
  /// values and are to go on without.
  [[nodiscard]] part_file joined(piece as = piece::in_place) const;
  /// Writes what `upsweep reduce` would of all the rows, with this value of --init; throws
  /// data_error if the first are missing. `name` is that of the input.
  void print(output_flags const& flags, std::string const& name,
             std::optional<std::string> const& initial = {}) const;

 private:
  /// Calls f(set, group) when `set` has all values of a group, for each in the order of their first
  /// rows.
  template <class F>
  void for_each_group(aggregation& set, F const& f) const;
  /// The keys of the groups, those of JSON without their kinds. Throws data_error if two are equal.
  [[nodiscard]] std::vector<text_buffer> keys_as_text() const;

  std::vector<part_file> pieces_;  // by their rows
  piece_header about_;
  group_table table_;
  std::vector<std::vector<std::uint32_t>> groups_;  // of the rows of each piece
};

/// Throws data_error unless the piece was made by this request, which is that of `other`.
void expect_request(part_file const& one, piece_request const& request, std::string const& other);
/// Throws data_error unless the pieces were made by the same request. Of those with rows, also the
/// columns must agree.
void expect_same_request(part_file const& one, part_file const& other);
/// The part with its first row at `row`, as a piece whose values have no positions. Throws
/// data_error, which names the file `moved`, if results depend on them.
[[nodiscard]] part_file moved_to(std::uint64_t row, part_file part, std::string const& moved);
/// Gives the columns of `whole` the types that they have in the rows of both.
void join_types(piece_header& whole, piece_header const& more, std::string const& name);

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
[[nodiscard]] part_file part_before(std::string const& path);

}  // namespace upsweep::cli
