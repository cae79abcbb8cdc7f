/// The values of an expression as a column.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/expression/expression.hpp>
#include <io/input.hpp>
#include <io/text_types.hpp>

#include <cstddef>

namespace upsweep::cli {

/// The type of the column; f64 for strings.
[[nodiscard]] io::dtype dtype_of(expression_type type) noexcept;

/// Appends the values of an expression that is no text, and to `present`, unless `missing` is null,
/// whether each is known. See expressions::evaluate.
void append_numbers(expressions& of, std::size_t expression, io::chunk const& rows,
                    io::missing_words const* missing, column_buffer& to, column_buffer& present);
/// Appends the values as strings, codes as they are written, and to `present`, if it is there,
/// whether each is known. A missing one is empty; -0 is 0.
void append_texts(expressions& of, std::size_t expression, io::chunk const& rows,
                  io::missing_words const* missing, text_buffer& to,
                  column_buffer* present = nullptr);

}  // namespace upsweep::cli
