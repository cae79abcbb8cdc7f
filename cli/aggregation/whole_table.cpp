/// Reads the table, and scans its groups block by block.
#include <cli/aggregation/whole_table.hpp>

#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/group_table.hpp>
#include <cli/engine/groups.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace upsweep::cli {

whole_table::whole_table(io::input& in, whole_table_options const& options)
    : pool_(options.threads, options.numbered, options.keys), keys_(options.keys) {
  if (options.maps_arrays && in.shape() && !in.fortran_order()) {
    auto const array = in.array();
    values_.columns.push_back({array.type, array.bytes});
    rows_ = values_.columns[0].size();
    if (rows_ > 0) groups_.push_back({0, 0, rows_});
    return;
  }
  read(in, options);
  if (!options.sorted) order_ = pool_.sort();
  values_ = pool_.rows();
  rows_ = pool_.size();
  for_each_run(pool_.groups(), [&](group_rows const& of) { groups_.push_back(of); });
}

void whole_table::read(io::input& in, whole_table_options const& options) {
  group_runs runs(options.by, options.allow_repeats);
  group_table groups(options.by.size());
  std::vector<std::uint32_t> numbers;
  std::uint32_t run = 0;
  for_each_chunk(in, [&](io::chunk const& rows) {
    for (std::size_t k = 0; k < keys_.size(); ++k) keys_[k].append(rows.keys[k], 0, rows.rows);
    if (options.sorted) {
      numbers.clear();
      runs.for_each(rows, [&](std::size_t, std::size_t n, bool is_new) {
        run += is_new;
        numbers.insert(numbers.end(), n, run);
      });
    } else {
      groups.number(std::span(rows.keys).first(options.by.size()), 0, rows.rows, numbers);
    }
    pool_.append(rows, 0, numbers);
  });
}

std::vector<io::text_column> whole_table::keys() const {
  std::vector<io::text_column> all;
  for (auto const& keys : keys_) all.push_back(keys.view());
  return all;
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
