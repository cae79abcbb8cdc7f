/// Turns columns and strings, and turns the results back.
#include <cli/engine/rows_from_end.hpp>

#include <cli/engine/row_pool.hpp>

#include <cstring>
#include <utility>

namespace upsweep::cli {

turned_rows::turned_rows(io::chunk const& from, std::size_t last, std::size_t n)
    : texts_(from.keys.size()) {
  for (auto const& column : from.columns)
    columns_.emplace_back(column.type).append_strided(column, last, -1, n);
  for (auto const& column : from.present)
    present_.emplace_back(column.type).append_strided(column, last, -1, n);
  for (std::size_t k = 0; k < texts_.size(); ++k)
    for (std::size_t i = 0; i < n && from.keys[k].size() > 0; ++i)
      texts_[k].push(from.keys[k][last - i]);
  bool const numbered = !from.numbers.empty() || !texts_.empty();  // for errors of strings
  for (std::size_t i = 0; i < n && numbered; ++i) numbers_.push_back(from.number(last - i));
}

io::chunk turned_rows::view() const {
  io::chunk rows;
  for (auto const& column : columns_) rows.columns.push_back(column.view());
  for (auto const& column : present_) rows.present.push_back(column.view());
  for (auto const& texts : texts_) rows.keys.push_back(texts.view());
  rows.numbers = numbers_;
  return rows;
}

results_by_row::results_by_row(std::span<io::column_info const> columns, std::size_t texts,
                               std::size_t rows, bool from_end)
    : from_end_(from_end), texts_(texts), places_(texts == 0 ? 0 : rows) {
  for (auto const& info : columns) columns_.emplace_back(info.type).resize(rows);
}

void results_by_row::take(io::chunk const& rows, std::size_t first, std::size_t n) {
  std::size_t const least = from_end_ ? first + 1 - n : first;
  auto const place = [&](io::typed_column from, column_buffer& to) {
    column_buffer back(to.type());
    if (from_end_)
      back.append_strided(from, n - 1, -1, n);
    else
      back.append(from);
    std::memcpy(to.bytes() + least * size_of(back.type()), back.bytes(), n * size_of(back.type()));
  };
  for (std::size_t c = 0; c < columns_.size(); ++c) place(rows.columns[c], columns_[c]);
  for (std::size_t c = present_.size(); c < rows.present.size(); ++c)
    present_.emplace_back(io::dtype::boolean).resize(columns_[c].size());
  for (std::size_t c = 0; c < present_.size(); ++c) place(rows.present[c], present_[c]);
  if (texts_.empty()) return;
  for (std::size_t i = 0; i < n; ++i)
    places_[from_end_ ? first - i : first + i] = texts_[0].size() + i;
  for (std::size_t t = 0; t < texts_.size(); ++t) texts_[t].append(rows.keys[t], 0, n);
}

void results_by_row::put_back(std::span<std::uint32_t const> order) {
  if (!order.empty()) {
    for (auto& column : columns_) column = cli::put_back(column, order);
    for (auto& column : present_) column = cli::put_back(column, order);
    auto const places = places_;
    for (std::size_t i = 0; i < places.size(); ++i) places_[order[i]] = places[i];
  }
  for (auto& texts : texts_) {
    text_buffer moved;
    moved.append(texts.view(), places_);
    texts = std::move(moved);
  }
}

io::chunk results_by_row::view() const {
  io::chunk rows;
  for (auto const& column : columns_) rows.columns.push_back(column.view());
  for (auto const& column : present_) rows.present.push_back(column.view());
  for (auto const& texts : texts_) rows.keys.push_back(texts.view());
  return rows;
}

}  // namespace upsweep::cli
