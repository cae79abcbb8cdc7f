/// An operator over columns of text.
#pragma once

#include <cli/engine/operators.hpp>
#include <cli/engine/saved_state.hpp>
#include <io/dtype.hpp>
#include <io/number_spelling.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace upsweep::cli {

/// Rows [first, end) of a chunk, and the columns of them that an operator takes.
struct text_rows {
  io::chunk const& chunk;
  io::text_column const* column;  ///< null for count of the rows
  io::text_column const* other;   ///< of argmax:price:name, the names
  std::size_t first, end;

  [[nodiscard]] std::string_view operator[](std::size_t row) const { return (*column)[row]; }
  /// "Row 3: ", with the number of the row in the file from 1, for errors.
  [[nodiscard]] std::string place(std::size_t row) const;
};

class text_aggregate {
 public:
  virtual ~text_aggregate() = default;
  virtual void initialize() = 0;
  virtual void update(text_rows const& rows) = 0;
  /// Whether the result is a number, u64, instead of a text.
  [[nodiscard]] virtual bool is_number() const noexcept { return false; }
  /// Valid until the next call. Throws data_error if there were no rows and the operator needs one.
  [[nodiscard]] virtual std::string_view text() const { return {}; }
  [[nodiscard]] virtual std::uint64_t number() const { return 0; }
  /// False if text() would throw that error.
  [[nodiscard]] virtual bool has_result() const noexcept { return true; }
  /// Appends what combine() needs of the rows since initialize().
  virtual void serialize(saved_state& to) const = 0;
  /// Adds the rows of a later piece.
  virtual void combine(saved_reader& from) = 0;
};

/// Throws data_error: there were no rows, but the operator `name` needs one.
[[noreturn]] void refuse_empty(std::string_view name);

/// concat, distinct and distinct-list.
[[nodiscard]] std::unique_ptr<text_aggregate> make_text_list(operator_use const& use);
/// decimal-sum, decimal-mean and decimal-product.
[[nodiscard]] std::unique_ptr<text_aggregate> make_decimals(operator_use const& use,
                                                            std::string const& column,
                                                            io::number_spelling const& numbers);
/// argmax:price:name and its like: the name in the row of the largest price. `from_end`: the last
/// row comes first.
[[nodiscard]] std::unique_ptr<text_aggregate> make_arg_text(operator_use const& use,
                                                            std::string const& column,
                                                            io::number_spelling const& numbers,
                                                            bool from_end);

}  // namespace upsweep::cli
