/// Appends chunks, widens columns of integers that turn into decimals.
#include <cli/aggregation/whole_input.hpp>

#include <utility>

namespace upsweep::cli {

whole_input::whole_input(io::input const& in, std::size_t joins)
    : keys(in.key_names().size() - joins) {
  for (auto const& info : in.columns()) owned.emplace_back(info.type);
  if (joins > 0) joined.emplace();
}

void whole_input::append(io::chunk const& chunk) {
  for (std::size_t c = 0; c < owned.size(); ++c) append_widening(owned[c], chunk.columns[c]);
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k].append(chunk.keys[k], 0, chunk.rows);
  if (joined) joined->append(*chunk.joined, 0, chunk.rows);
  rows += chunk.rows;
}

void whole_input::append(io::chunk const& chunk, std::span<std::size_t const> positions) {
  for (std::size_t c = 0; c < owned.size(); ++c) {
    column_buffer values(chunk.columns[c].type);
    values.append(chunk.columns[c], positions);
    append_widening(owned[c], values.view());
  }
  for (std::size_t k = 0; k < keys.size(); ++k) keys[k].append(chunk.keys[k], positions);
  if (joined) joined->append(*chunk.joined, positions);
  rows += positions.size();
}

void whole_input::keep(std::span<std::size_t const> positions) {
  io::chunk all;
  all.rows = rows;
  for (auto const& column : owned) all.columns.push_back(column.view());
  for (auto const& column : keys) all.keys.push_back(column.view());
  if (joined) all.joined = joined->view();
  whole_input kept;
  for (auto const& column : owned) kept.owned.emplace_back(column.type());
  kept.keys.resize(keys.size());
  if (joined) kept.joined.emplace();
  kept.append(all, positions);
  *this = std::move(kept);
}

void whole_input::view_columns() {
  columns.clear();
  for (auto const& column : owned) columns.push_back(column.view());
}

whole_input read_whole(io::input& in, std::size_t joined) {
  whole_input all(in, joined);
  bool const is_one_column = in.columns().size() == 1 && in.columns()[0].name == "value";
  if (in.shape() && !in.fortran_order() && is_one_column) {
    auto const array = in.array();
    all.owned.clear();
    all.columns.push_back({array.type, array.bytes});
    all.rows = all.columns[0].size();
    return all;
  }
  if (all.joined) all.joined->reserve(in.bytes_total().value_or(0));
  for_each_chunk(in, [&](io::chunk const& rows) { all.append(rows); });
  all.view_columns();
  return all;
}

}  // namespace upsweep::cli
