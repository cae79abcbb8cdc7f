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

/// For the rows of an input that joins so many of its keys, still without them. Columns of integers
/// become f64 in a stream.
[[nodiscard]] inline row_buffer rows_of(io::input const& in, std::size_t joined) {
  row_buffer all(in->columns, in->keys.size() - joined);
  if (joined > 0) all.joined.emplace();
  return all;
}

/// All rows: those of `owned`, to which they are appended, or the values of a .npy file, which are
/// mapped if possible.
[[nodiscard]] inline io::chunk read_whole(io::input& in, row_buffer& owned,
                                          std::size_t joined = 0) {
  bool const is_one_column = in->columns.size() == 1 && in->columns[0].name == "value";
  if (in->shape && !in->fortran_order && is_one_column) {
    auto const array = in->array();
    io::chunk mapped;
    mapped.columns.push_back({array.type, array.bytes});
    mapped.rows = mapped.columns[0].size();
    return mapped;
  }
  owned = rows_of(in, joined);
  if (owned.joined) owned.joined->characters.reserve(in->bytes_total().value_or(0));
  for_each_chunk(in, [&](io::chunk const& rows) { owned.append(rows); });
  return owned.view();
}

}  // namespace upsweep::cli
