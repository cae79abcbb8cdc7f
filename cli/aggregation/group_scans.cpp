/// Turns rows and results, and scans the groups of a table.
#include <cli/aggregation/group_scans.hpp>
#include <cli/engine/dispatch.hpp>

#include <algorithm>
#include <stdexcept>

namespace upsweep::cli {

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
  auto& [count, columns, present, texts, joined, numbers] = rows_;
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
  std::vector<std::size_t> positions;
  row_buffer turned;
  for (auto const& [group, start, size] : groups_) {
    std::size_t const last = start + size - 1;
    auto const for_each_block = [&](auto const& f) {
      for (std::size_t done = 0; done < size; done += block) {
        std::size_t const n = std::min(block, size - done);
        if (!from_end) {
          f(values_, start + done, n, start + done);
          continue;
        }
        positions.clear();
        for (std::size_t i = 0; i < n; ++i) positions.push_back(last - done - i);
        turned.take(values_, positions);
        f(turned.view(), 0, n, last - done);
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
