/// Sorts the positions of the rows by group, and moves every column once.
#include <cli/engine/row_pool.hpp>

#include <upsweep/by_name/verbs/sorts.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace upsweep::cli {

void row_buffer::open_like(io::chunk const& rows) {
  columns.clear();
  for (auto const& column : rows.columns) columns.emplace_back(column.type);
  present.assign(rows.present.size(), column_buffer(io::dtype::boolean));
  texts.resize(rows.keys.size());
}

void row_pool::append(io::chunk const& rows, std::size_t first,
                      std::span<std::uint32_t const> groups) {
  std::size_t const n = groups.size();
  if (groups_.empty()) rows_.open_like(rows);
  auto& [columns, present, texts, numbers] = rows_;
  groups_.insert(groups_.end(), groups.begin(), groups.end());
  if (numbered_)
    for (std::size_t i = first; i < first + n; ++i) numbers.push_back(rows.number(i));
  for (std::size_t c = 0; c < columns.size(); ++c)
    append_widening(columns[c], slice(rows.columns[c], first, n));
  for (std::size_t c = 0; c < present.size(); ++c)
    present[c].append(slice(rows.present[c], first, n));
  for (std::size_t k = dropped_; k < texts.size(); ++k) texts[k].append(rows.keys[k], first, n);
}

/// Row i becomes what row(i) was, for i < n.
template <class Row>
void row_pool::rearrange(std::size_t n, Row const& row) {
  auto const rearrange_column = [&](column_buffer& column) {
    column_buffer moved(column.type());
    moved.resize(n);
    auto const move = [&]<class Bits>(Bits) {
      auto const* const from = reinterpret_cast<Bits const*>(column.bytes());
      auto* const to = reinterpret_cast<Bits*>(moved.bytes());
      for (std::size_t i = 0; i < n; ++i) to[i] = from[row(i)];
    };
    std::size_t const size = size_of(column.type());
    if (size == 8)
      move(std::uint64_t{});
    else if (size == 4)
      move(std::uint32_t{});
    else if (size == 2)
      move(std::uint16_t{});
    else
      move(std::uint8_t{});
    column = std::move(moved);
  };
  std::ranges::for_each(rows_.columns, rearrange_column);
  std::ranges::for_each(rows_.present, rearrange_column);
  for (std::size_t k = dropped_; k < rows_.texts.size(); ++k) {
    text_buffer moved;
    auto const from = rows_.texts[k].view();
    for (std::size_t i = 0; i < n; ++i) moved.push(from[row(i)]);
    rows_.texts[k] = std::move(moved);
  }
  std::vector<std::uint64_t> numbers;
  if (numbered_)
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(rows_.numbers[row(i)]);
  rows_.numbers = std::move(numbers);
}

std::vector<std::uint32_t> row_pool::sort() {
  if (size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  dynamic::sort_by_key({.threads = threads_}, io::dtype::u32, groups_.data(), io::dtype::u32,
                       order.data(), size(), false);
  rearrange(size(), [&](std::size_t i) { return order[i]; });
  return order;
}

void row_pool::clear() {
  keep_only({});
}

void row_pool::keep_only(std::span<group_rows const> kept) {
  std::vector<std::size_t> order;
  std::vector<std::uint32_t> groups;
  for (auto const& of : kept) {
    groups.insert(groups.end(), of.n, of.group);
    for (std::size_t i = of.first; i < of.first + of.n; ++i) order.push_back(i);
  }
  rearrange(order.size(), [&](std::size_t i) { return order[i]; });
  groups_ = std::move(groups);
}

column_buffer put_back(column_buffer& column, std::span<std::uint32_t const> order) {
  column_buffer out(column.type());
  out.resize(column.size());
  std::size_t const size = size_of(column.type());
  for (std::size_t i = 0; i < order.size(); ++i)
    std::memcpy(out.bytes() + order[i] * size, column.bytes() + i * size, size);
  return out;
}

void row_buffer::append(io::chunk const& rows) {
  if (columns.empty() && texts.empty()) open_like(rows);
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].append(rows.columns[c]);
  for (std::size_t c = 0; c < present.size(); ++c) present[c].append(rows.present[c]);
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k].append(rows.keys[k], 0, rows.rows);
}

void row_buffer::take(io::chunk const& rows, std::span<std::size_t const> positions) {
  *this = {};
  open_like(rows);
  for (std::size_t c = 0; c < columns.size(); ++c) columns[c].append(rows.columns[c], positions);
  for (std::size_t c = 0; c < present.size(); ++c) present[c].append(rows.present[c], positions);
  for (std::size_t k = 0; k < texts.size(); ++k) texts[k].append(rows.keys[k], positions);
  for (std::size_t const row : positions) numbers.push_back(rows.number(row));
}

void row_buffer::put_back(std::span<std::uint32_t const> order) {
  for (auto& column : columns) column = cli::put_back(column, order);
  for (auto& column : present) column = cli::put_back(column, order);
  if (texts.empty()) return;
  std::vector<std::size_t> positions(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  for (auto& column : texts) column = column.at(positions);
}

io::chunk row_buffer::view(std::size_t rows) const {
  io::chunk all;
  all.rows = rows;
  for (auto const& column : columns) all.columns.push_back(column.view());
  for (auto const& column : present) all.present.push_back(column.view());
  for (auto const& column : texts) all.keys.push_back(column.view());
  all.numbers = numbers;
  return all;
}

}  // namespace upsweep::cli
