/// Gathers the elements of each column.
#include <cli/aggregation/selected_rows.hpp>

#include <cstring>

namespace upsweep::cli {

namespace {

column_buffer gathered(io::typed_column values, std::span<std::size_t const> positions) {
  column_buffer all(values.type);
  all.resize(positions.size());
  std::size_t const size = size_of(values.type);
  for (std::size_t i = 0; i < positions.size(); ++i)
    std::memcpy(all.bytes() + i * size, element(values, positions[i]), size);
  return all;
}

}  // namespace

void selected_rows::take(io::chunk const& rows, std::span<std::size_t const> positions) {
  columns_.clear();
  present_.clear();
  keys_.resize(rows.keys.size());
  numbers_.clear();
  for (auto const& column : rows.columns) columns_.push_back(gathered(column, positions));
  for (auto const& column : rows.present) present_.push_back(gathered(column, positions));
  for (std::size_t k = 0; k < keys_.size(); ++k) {
    keys_[k].clear();
    keys_[k].append(rows.keys[k], positions);
  }
  for (std::size_t const row : positions) numbers_.push_back(rows.number(row));
}

io::chunk selected_rows::view() const {
  io::chunk all;
  all.rows = numbers_.size();
  all.numbers = numbers_;
  for (auto const& column : columns_) all.columns.push_back(column.view());
  for (auto const& column : present_) all.present.push_back(column.view());
  for (auto const& column : keys_) all.keys.push_back(column.view());
  return all;
}

}  // namespace upsweep::cli
