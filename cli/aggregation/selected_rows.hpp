/// Some rows of a chunk, copied together.
#pragma once

#include <cli/engine/buffers.hpp>
#include <io/dtype.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::cli {

class selected_rows {
 public:
  /// Takes the rows of a chunk at these positions, with their numbers, but without joined fields,
  /// instead of those taken before.
  void take(io::chunk const& rows, std::span<std::size_t const> positions);
  [[nodiscard]] io::chunk view() const;

 private:
  std::vector<column_buffer> columns_, present_;
  std::vector<text_buffer> keys_;
  std::vector<std::uint64_t> numbers_;
};

}  // namespace upsweep::cli
