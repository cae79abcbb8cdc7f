/// Turns columns and strings, and turns the results back.
#include <cli/engine/rows_from_end.hpp>

#include <cstring>

namespace upsweep::cli {

row_buffer turned_rows(io::chunk const& from, std::size_t last, std::size_t n) {
  row_buffer all;
  all.open_like(from);
  for (std::size_t c = 0; c < all.columns.size(); ++c)
    all.columns[c].append_strided(from.columns[c], last, -1, n);
  for (std::size_t c = 0; c < all.present.size(); ++c)
    all.present[c].append_strided(from.present[c], last, -1, n);
  for (std::size_t k = 0; k < all.texts.size(); ++k)
    for (std::size_t i = 0; i < n && from.keys[k].size() > 0; ++i)
      all.texts[k].push(from.keys[k][last - i]);
  bool const numbered = !from.numbers.empty() || !all.texts.empty();  // for errors of strings
  for (std::size_t i = 0; i < n && numbered; ++i) all.numbers.push_back(from.number(last - i));
  return all;
}

results_by_row::results_by_row(std::span<io::column_info const> columns, std::size_t texts,
                               std::size_t rows, bool from_end)
    : from_end_(from_end), positions_(texts == 0 ? 0 : rows) {
  rows_.texts.resize(texts);
  for (auto const& info : columns) rows_.columns.emplace_back(info.type).resize(rows);
}

void results_by_row::take(io::chunk const& rows, std::size_t first, std::size_t n) {
  std::size_t const least = from_end_ ? first + 1 - n : first;
  auto const store = [&](io::typed_column from, column_buffer& to) {
    column_buffer back(to.type());
    if (from_end_)
      back.append_strided(from, n - 1, -1, n);
    else
      back.append(from);
    std::memcpy(to.bytes() + least * size_of(back.type()), back.bytes(), n * size_of(back.type()));
  };
  auto& [columns, present, texts, numbers] = rows_;
  for (std::size_t c = 0; c < columns.size(); ++c) store(rows.columns[c], columns[c]);
  for (std::size_t c = present.size(); c < rows.present.size(); ++c)
    present.emplace_back(io::dtype::boolean).resize(columns[c].size());
  for (std::size_t c = 0; c < present.size(); ++c) store(rows.present[c], present[c]);
  if (texts.empty()) return;
  for (std::size_t i = 0; i < n; ++i)
    positions_[from_end_ ? first - i : first + i] = texts[0].size() + i;
  for (std::size_t t = 0; t < texts.size(); ++t) texts[t].append(rows.keys[t], 0, n);
}

void results_by_row::put_back(std::span<std::uint32_t const> order) {
  if (!order.empty()) {
    for (auto& column : rows_.columns) column = cli::put_back(column, order);
    for (auto& column : rows_.present) column = cli::put_back(column, order);
    auto const positions = positions_;
    for (std::size_t i = 0; i < positions.size(); ++i) positions_[order[i]] = positions[i];
  }
  for (auto& texts : rows_.texts) texts = texts.at(positions_);
}

}  // namespace upsweep::cli
