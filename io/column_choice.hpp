/// Finds the columns that a user chooses: a name, a position from 1, a range of either, or "all".
#pragma once

#include <io/error.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::io {

/// A column that the file does not have, with the names of those that it has.
class no_such_column : public usage_error {
 public:
  no_such_column(std::string const& sentence, std::string column, std::vector<std::string> names)
      : usage_error(sentence), column_(std::move(column)), names_(std::move(names)) {}
  [[nodiscard]] std::string const& column() const noexcept { return column_; }
  [[nodiscard]] std::vector<std::string> const& names() const noexcept { return names_; }

 private:
  std::string column_;
  std::vector<std::string> names_;
};

/// The columns of a file, among which `find_columns` chooses.
struct column_table {
  std::vector<std::string> names;  ///< empty if the columns have none
  std::size_t width = 0;
  std::string file;
  std::string there;  ///< what the file has, for messages: "it has columns a, b."
};

struct chosen_columns {
  std::vector<std::size_t> columns;  ///< indices from 0, in the order of the file
  bool open = false;                 ///< up to the last column: "all" or "3-"
  bool all = false;
};

/// The columns that `wanted` chooses. A name takes precedence over what else it may mean. A range
/// "2-4", "3-", "price-qty" includes both ends. Throws usage_error if a column does not exist, if a
/// name occurs twice, or if a range is reversed.
[[nodiscard]] chosen_columns find_columns(std::string const& wanted, column_table const& table);
/// The columns that each of `wanted` chooses. Throws usage_error also if one of the last `single`
/// chooses several.
[[nodiscard]] std::vector<chosen_columns> find_each(std::vector<std::string> const& wanted,
                                                    std::size_t single, column_table const& table);

/// True if `wanted` needs a header: it is neither a position, nor a range of them, nor "all".
[[nodiscard]] bool chooses_by_name(std::string_view wanted) noexcept;
/// True if `wanted` is a single position, from 1.
[[nodiscard]] bool is_position(std::string_view wanted) noexcept;

}  // namespace upsweep::io
