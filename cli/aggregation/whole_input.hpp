/// The loop over the chunks of an input, and reading all of it for commands that cannot stream.
#pragma once

#include <cli/engine/row_pool.hpp>
#include <cli/output/progress.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::cli {

/// Calls f(chunk) for all rows of the input, chunk by chunk, and shows the progress.
template <class F>
void for_each_chunk(io::input& in, F const& f) {
  progress meter(in.bytes_total().value_or(0));
  std::uint64_t shown = 0;
  io::chunk rows;
  while (in.next(rows)) {
    f(rows);
    meter.advance(in.bytes_read() - shown);
    shown = in.bytes_read();
  }
}

/// The rows of an input, which must exist as long as this.
struct whole_input {
  whole_input() = default;
  /// For the rows of `in`, still without them.
  whole_input(io::input const& in, std::size_t joins);
  /// Appends the rows of a chunk, or those at these positions.
  void append(io::chunk const& chunk);
  void append(io::chunk const& chunk, std::span<std::size_t const> positions);
  /// Keeps only the rows at these positions, in that order.
  void keep(std::span<std::size_t const> positions);
  /// Makes `columns` those of `owned`, after the latest call of `append` or `keep`.
  void view_columns() { columns = owned.view().columns; }
  [[nodiscard]] io::text_column key(std::size_t k) const { return owned.texts[k].view(); }

  row_buffer owned;  ///< its columns are those of `columns`, unless those are mapped
  std::vector<io::typed_column> columns;  ///< f64 if a column of integers became f64 in a stream
  std::optional<text_buffer> joined;      ///< after input::join_keys
  std::size_t rows = 0;
};

/// Reads all rows. The values of a .npy file are mapped if possible. `joined`: how many of its keys
/// the input joins.
[[nodiscard]] whole_input read_whole(io::input& in, std::size_t joined = 0);

}  // namespace upsweep::cli
