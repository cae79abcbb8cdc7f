/// Appends chunks, unless the input is an array that can be mapped.
#include <cli/aggregation/whole_input.hpp>

namespace upsweep::cli {

row_buffer rows_of(io::input const& in, std::size_t joined) {
  row_buffer all(in->columns, in->keys.size() - joined);
  if (joined > 0) all.joined.emplace();
  return all;
}

io::chunk read_whole(io::input& in, row_buffer& owned, std::size_t joined) {
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
