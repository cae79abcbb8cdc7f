/// The loop over the chunks of an input, and reading all of it for commands that cannot stream.
#pragma once

#include <cli/engine/row_pool.hpp>
#include <cli/output/progress.hpp>
#include <io/input.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::cli {

/// Calls f(chunk) for all rows of the input, chunk by chunk, and shows the progress.
template <class F>
void for_each_chunk(io::input& in, F const& f) {
  progress meter(in->bytes_total().value_or(0));
  std::uint64_t shown = 0;
  io::chunk rows;
  while (in->next(rows)) {
    f(rows);
    meter.advance(in->bytes_read() - shown);
    shown = in->bytes_read();
  }
}

/// All rows: those of `owned`, to which they are appended, or the values of a .npy file, which are
/// mapped if possible. `joined`: how many of its keys the input joins.
[[nodiscard]] io::chunk read_whole(io::input& in, row_buffer& owned, std::size_t joined = 0);

/// For the rows of such an input, still without them. Columns of integers become f64 in a stream.
[[nodiscard]] row_buffer rows_of(io::input const& in, std::size_t joined);

}  // namespace upsweep::cli
