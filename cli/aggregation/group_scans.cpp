/// Turns rows and results, and scans the groups of a table.
#include <cli/aggregation/group_scans.hpp>
#include <cli/engine/dispatch.hpp>

#include <algorithm>
#include <stdexcept>

namespace upsweep::cli {
namespace {

/// Rows last, last - 1, ..., `n` of them.
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

}  // namespace

results_by_row::results_by_row(std::span<io::column_info const> columns, std::size_t texts,
                               std::size_t rows, bool from_end)
    : from_end_(from_end), rows_(columns, texts), positions_(from_end && texts > 0 ? rows : 0) {
  for (auto& column : rows_.columns)
    if (from_end) column.resize(rows);
}

void results_by_row::take(io::chunk const& rows, std::size_t first, std::size_t n) {
  if (!from_end_) return rows_.append(rows);
  auto const store = [&](io::typed_column from, column_buffer& to) {
    if (from.type != to.type()) throw std::logic_error("results_by_row: not the column's type");
    dispatch(from.type, [&]<class T>() {
      std::ranges::reverse_copy(from.as<T>().first(n),
                                reinterpret_cast<T*>(to.bytes()) + (first + 1 - n));
    });
  };
  auto& [columns, present, texts, numbers] = rows_;
  for (std::size_t c = present.size(); c < rows.present.size(); ++c)
    present.emplace_back(io::dtype::boolean).resize(columns[c].size());
  for (std::size_t c = 0; c < columns.size(); ++c) store(rows.columns[c], columns[c]);
  for (std::size_t c = 0; c < present.size(); ++c) store(rows.present[c], present[c]);
  for (std::size_t i = 0; i < n && !texts.empty(); ++i) positions_[first - i] = texts[0].size() + i;
  for (std::size_t t = 0; t < texts.size(); ++t) texts[t].append(rows.keys[t], 0, n);
}

results_by_row whole_table::scan(aggregation& set, scan_kind kind, bool from_end) const {
  constexpr std::size_t block = std::size_t{1} << 16;
  results_by_row results(set.columns(), set.texts().size(), rows_, from_end);
  for (auto const& [group, start, size] : groups_) {
    std::size_t const last = start + size - 1;
    auto const for_each_block = [&](auto const& f) {
      for (std::size_t done = 0; done < size; done += block) {
        std::size_t const n = std::min(block, size - done);
        if (from_end)
          f(turned_rows(values_, last - done, n).view(), 0, n, last - done);
        else
          f(values_, start + done, n, start + done);
      }
    };
    set.restart(values_.number(from_end ? last : start));
    if (set.looks_ahead())
      for_each_block([&](io::chunk const& rows, std::size_t first, std::size_t n, std::size_t) {
        set.collect(rows, first, n);
      });
    for_each_block([&](io::chunk const& rows, std::size_t first, std::size_t n, std::size_t at) {
      set.scan(kind, rows, first, n);
      results.take(set.rows(), at, n);
      set.clear();
    });
  }
  results.put_back(order_);
  return results;
}

}  // namespace upsweep::cli
