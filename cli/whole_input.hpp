/// The loop over the chunks of an input, and reading all of it for commands that cannot stream.
#pragma once

#include <cli/engine/buffers.hpp>
#include <cli/progress.hpp>
#include <io/input.hpp>

#include <cstdint>
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
  std::vector<column_buffer> owned;       ///< of `columns`, unless those are mapped
  std::vector<io::typed_column> columns;  ///< f64 if a column of integers became f64 in a stream
  std::vector<text_buffer> keys;
  std::size_t rows = 0;
};

/// Reads all rows. The values of a .npy file are mapped if possible.
[[nodiscard]] whole_input read_whole(io::input& in);

}  // namespace upsweep::cli
