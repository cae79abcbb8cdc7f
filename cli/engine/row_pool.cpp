/// Sorts the positions of the rows by group, and moves every column once.
#include <cli/engine/row_pool.hpp>

#include <upsweep/by_name/verbs/sorts.hpp>

#include <algorithm>
#include <limits>
#include <new>
#include <numeric>
#include <utility>

namespace upsweep::cli {

row_buffer::row_buffer(std::span<io::column_info const> infos, std::size_t keys) : texts(keys) {
  for (auto const& info : infos) columns.emplace_back(info.type);
}

/// Has the columns of a chunk, of its types.
void row_buffer::open_like(io::chunk const& chunk) {
  while (columns.size() < chunk.columns.size())
    columns.emplace_back(chunk.columns[columns.size()].type);
  while (present.size() < chunk.present.size()) present.emplace_back(io::dtype::boolean);
  texts.resize(std::max(texts.size(), chunk.keys.size()));
  if (chunk.joined && !joined) joined.emplace();
}

void row_buffer::append(io::chunk const& chunk) {
  append(chunk, 0, chunk.rows);
  numbers.insert(numbers.end(), chunk.numbers.begin(), chunk.numbers.end());
}

void row_buffer::append(io::chunk const& chunk, std::size_t first, std::size_t n,
                        std::size_t dropped) {
  open_like(chunk);
  if (n == 0) return;  // whose types are not final
  rows += n;
  for (std::size_t c = 0; c < columns.size(); ++c)
    append_widening(columns[c], slice(chunk.columns[c], first, n));
  for (std::size_t c = 0; c < present.size(); ++c)
    present[c].append(slice(chunk.present[c], first, n));
  for (std::size_t k = dropped; k < texts.size(); ++k) texts[k].append(chunk.keys[k], first, n);
  if (joined) joined->append(*chunk.joined, first, n);
}

void row_buffer::append(io::chunk const& chunk, std::span<std::size_t const> positions) {
  open_like(chunk);
  rows += positions.size();
  for (std::size_t c = 0; c < columns.size(); ++c) {
    append_widening(columns[c], {chunk.columns[c].type, {}});
    columns[c].append(chunk.columns[c], positions);
  }
  for (std::size_t c = 0; c < present.size(); ++c) present[c].append(chunk.present[c], positions);
  for (std::size_t k = 0; k < texts.size(); ++k)
    if (chunk.keys[k].size() > 0) texts[k].append(chunk.keys[k], positions);
  if (joined) joined->append(*chunk.joined, positions);
}

void row_buffer::take(io::chunk const& chunk, std::span<std::size_t const> positions) {
  clear();
  append(chunk, positions);
  for (std::size_t const row : positions) numbers.push_back(chunk.number(row));
}

void row_buffer::clear() {
  rows = 0;
  for (auto& column : columns) column.clear();
  for (auto& column : present) column.clear();
  for (auto& column : texts) column.clear();
  if (joined) joined->clear();
  numbers.clear();
}

void row_buffer::keep(std::span<std::size_t const> positions) {
  auto const keep_in = [&](column_buffer& column) {
    column_buffer kept(column.type());
    kept.append(column.view(), positions);
    column = std::move(kept);
  };
  std::ranges::for_each(columns, keep_in);
  std::ranges::for_each(present, keep_in);
  for (auto& column : texts)
    if (column.size() > 0) column = column.at(positions);
  if (joined) joined = joined->at(positions);
  rows = positions.size();
  std::vector<std::uint64_t> kept;
  for (std::size_t i = 0; i < positions.size() && !numbers.empty(); ++i)
    kept.push_back(numbers[positions[i]]);
  numbers = std::move(kept);
}

void row_buffer::put_back(std::span<std::uint32_t const> order) {
  std::vector<std::size_t> positions(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) positions[order[i]] = i;
  keep(positions);
}

io::chunk row_buffer::view() const {
  io::chunk all;
  all.rows = rows;
  if (joined) all.joined = joined->view();
  for (auto const& column : columns) all.columns.push_back(column.view());
  for (auto const& column : present) all.present.push_back(column.view());
  for (auto const& column : texts) all.keys.push_back(column.view());
  all.numbers = numbers;
  return all;
}

io::chunk fields_of(io::chunk const& rows, std::size_t first, std::size_t n) {
  io::chunk fields;
  fields.rows = rows.rows;
  fields.joined = rows.joined;
  if (!rows.joined) {
    auto const keys = std::span(rows.keys).subspan(first, n);
    fields.keys.assign(keys.begin(), keys.end());
  }
  return fields;
}

void row_pool::append(io::chunk const& rows, std::size_t first,
                      std::span<std::uint32_t const> groups) {
  std::size_t const n = groups.size();
  if (groups_.empty()) rows_ = {};
  groups_.insert(groups_.end(), groups.begin(), groups.end());
  if (numbered_)
    for (std::size_t i = first; i < first + n; ++i) rows_.numbers.push_back(rows.number(i));
  rows_.append(rows, first, n, dropped_);
}

std::vector<std::uint32_t> row_pool::sort() {
  if (size() > std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  std::vector<std::uint32_t> order(size());
  std::iota(order.begin(), order.end(), std::uint32_t{0});
  dynamic::sort_by_key({.threads = threads_}, io::dtype::u32, groups_.data(), io::dtype::u32,
                       order.data(), size(), false);
  rows_.keep(std::vector<std::size_t>(order.begin(), order.end()));
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
  rows_.keep(order);
  groups_ = std::move(groups);
}

}  // namespace upsweep::cli
