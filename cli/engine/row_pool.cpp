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

void row_pool::append(io::chunk const& rows, std::size_t first,
                      std::span<std::uint32_t const> groups) {
  std::size_t const n = groups.size();
  if (groups_.empty()) {
    columns_.clear();
    for (auto const& column : rows.columns) columns_.emplace_back(column.type);
    present_.assign(rows.present.size(), column_buffer(io::dtype::boolean));
    texts_.resize(rows.keys.size());
  }
  groups_.insert(groups_.end(), groups.begin(), groups.end());
  if (numbered_)
    for (std::size_t i = first; i < first + n; ++i) numbers_.push_back(rows.number(i));
  for (std::size_t c = 0; c < columns_.size(); ++c)
    append_widening(columns_[c], slice(rows.columns[c], first, n));
  for (std::size_t c = 0; c < present_.size(); ++c)
    present_[c].append(slice(rows.present[c], first, n));
  for (std::size_t k = dropped_; k < texts_.size(); ++k) texts_[k].append(rows.keys[k], first, n);
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
  std::ranges::for_each(columns_, rearrange_column);
  std::ranges::for_each(present_, rearrange_column);
  for (std::size_t k = dropped_; k < texts_.size(); ++k) {
    text_buffer moved;
    auto const from = texts_[k].view();
    for (std::size_t i = 0; i < n; ++i) moved.push(from[row(i)]);
    texts_[k] = std::move(moved);
  }
  std::vector<std::uint64_t> numbers;
  if (numbered_)
    for (std::size_t i = 0; i < n; ++i) numbers.push_back(numbers_[row(i)]);
  numbers_ = std::move(numbers);
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
  if (columns_.empty() && texts_.empty()) {
    for (auto const& column : rows.columns) columns_.emplace_back(column.type);
    present_.assign(rows.present.size(), column_buffer(io::dtype::boolean));
    texts_.resize(rows.keys.size());
  }
  for (std::size_t c = 0; c < columns_.size(); ++c) columns_[c].append(rows.columns[c]);
  for (std::size_t c = 0; c < present_.size(); ++c) present_[c].append(rows.present[c]);
  for (std::size_t k = 0; k < texts_.size(); ++k) texts_[k].append(rows.keys[k], 0, rows.rows);
}

void row_buffer::put_back(std::span<std::uint32_t const> order) {
  for (auto& column : columns_) column = cli::put_back(column, order);
  for (auto& column : present_) column = cli::put_back(column, order);
  if (texts_.empty()) return;
  std::vector<std::size_t> places(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) places[order[i]] = i;
  for (auto& texts : texts_) {
    text_buffer moved;
    moved.append(texts.view(), places);
    texts = std::move(moved);
  }
}

io::chunk row_buffer::view() const {
  io::chunk rows;
  for (auto const& column : columns_) rows.columns.push_back(column.view());
  for (auto const& column : present_) rows.present.push_back(column.view());
  for (auto const& texts : texts_) rows.keys.push_back(texts.view());
  return rows;
}

void row_buffer::clear() {
  columns_.clear();
  present_.clear();
  texts_.clear();
}

io::chunk row_pool::rows() const {
  io::chunk all;
  all.rows = size();
  for (auto const& column : columns_) all.columns.push_back(column.view());
  for (auto const& column : present_) all.present.push_back(column.view());
  for (auto const& texts : texts_) all.keys.push_back(texts.view());
  all.numbers = numbers_;
  return all;
}

}  // namespace upsweep::cli
