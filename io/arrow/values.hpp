/// The columns of Arrow as numbers and strings.
#pragma once

#include <io/arrow/check.hpp>
#include <io/column_source.hpp>

#include <arrow/array.h>
#include <arrow/type.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace upsweep::io {

[[nodiscard]] source_column describe(arrow::Field const& field);

/// The values of one column of a batch, and the memory in which they are.
class arrow_values {
 public:
  /// `column` says what they are.
  void take(std::shared_ptr<arrow::Array> array, source_column const& column,
            kept_exception const& errors);
  [[nodiscard]] source_values const& view() const noexcept { return view_; }

 private:
  void take_texts(arrow::Array const& array, bool drops_zeros);

  std::shared_ptr<arrow::Array> array_;
  std::vector<std::uint8_t> present_, booleans_;
  text_buffer texts_;
  source_values view_;
};

}  // namespace upsweep::io
