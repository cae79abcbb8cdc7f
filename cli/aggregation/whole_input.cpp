/// Appends chunks, widens columns of integers that turn into decimals.
#include <cli/aggregation/whole_input.hpp>

#include <utility>

namespace upsweep::cli {

whole_input::whole_input(io::input const& in, std::size_t joins)
    : owned(in.columns(), in.key_names().size() - joins) {
  if (joins > 0) joined.emplace();
}

void whole_input::append(io::chunk const& chunk) {
  owned.append(chunk);
  if (joined) joined->append(*chunk.joined, 0, chunk.rows);
  rows += chunk.rows;
}

void whole_input::append(io::chunk const& chunk, std::span<std::size_t const> positions) {
  owned.append(chunk, positions);
  if (joined) joined->append(*chunk.joined, positions);
  rows += positions.size();
}

void whole_input::keep(std::span<std::size_t const> positions) {
  owned.keep(positions);
  if (joined) joined = joined->at(positions);
  rows = positions.size();
}

whole_input read_whole(io::input& in, std::size_t joined) {
  whole_input all(in, joined);
  bool const is_one_column = in.columns().size() == 1 && in.columns()[0].name == "value";
  if (in.shape() && !in.fortran_order() && is_one_column) {
    auto const array = in.array();
    all.owned.columns.clear();
    all.columns.push_back({array.type, array.bytes});
    all.rows = all.columns[0].size();
    return all;
  }
  if (all.joined) all.joined->characters.reserve(in.bytes_total().value_or(0));
  for_each_chunk(in, [&](io::chunk const& rows) { all.append(rows); });
  all.view_columns();
  return all;
}

}  // namespace upsweep::cli
