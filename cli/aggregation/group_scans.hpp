/// Scans of groups: of a table in memory, also from its end, and chunk by chunk of rows that may be
/// anywhere in the input.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/aggregation/whole_input.hpp>
#include <cli/engine/dispatch.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/row_pool.hpp>
#include <io/dtype.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// The results of all rows, in the order of the rows.
class results_by_row {
 public:
  results_by_row(std::span<io::column_info const> columns, std::size_t texts, std::size_t rows,
                 bool from_end)
      : from_end_(from_end), rows_(columns, texts), positions_(from_end && texts > 0 ? rows : 0) {
    for (auto& column : rows_.columns)
      if (from_end) column.resize(rows);
  }
  /// Takes those of the next rows; from the end: those of rows first, first - 1, ...
  void take(io::chunk const& rows, std::size_t first, std::size_t n) {
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
    for (std::size_t i = 0; i < n && !texts.empty(); ++i)
      positions_[first - i] = texts[0].size() + i;
    for (std::size_t t = 0; t < texts.size(); ++t) texts[t].append(rows.keys[t], 0, n);
  }
  /// When all are there: moves row i to row order[i], unless `order` is empty.
  void put_back(std::span<std::uint32_t const> order) {
    for (auto& texts : rows_.texts)
      if (from_end_) texts = texts.at(positions_);
    if (!order.empty()) rows_.put_back(order);
  }
  [[nodiscard]] io::chunk view() const { return rows_.view(); }

 private:
  bool from_end_;
  row_buffer rows_;  // from the end, strings until put_back in the order of the scan
  std::vector<std::size_t> positions_;  // of each row: where its strings are
};

struct whole_table_options {
  std::vector<std::string> by;  ///< the names of the first keys, by which rows are grouped
  std::size_t keys = 0;         ///< how many keys are kept in the order of the input
  bool sorted = true;           ///< groups are runs of equal keys
  bool allow_repeats = false;
  bool numbered = false;     ///< row numbers are needed
  bool maps_arrays = false;  ///< a .npy array is mapped instead of read
  int threads = 0;
};

/// All rows of an input. A .npy file may be mapped; everything else is read into memory.
class whole_table {
 public:
  whole_table(io::input& in, whole_table_options const& options)
      : pool_(options.threads, options.numbered, options.keys), keys_(options.keys) {
    if (options.maps_arrays && in->shape && !in->fortran_order) {
      auto const array = in->array();
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

  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// The keys that are kept, in the order of the input.
  [[nodiscard]] std::vector<io::text_column> keys() const {
    std::vector<io::text_column> all;
    for (auto const& keys : keys_) all.push_back(keys.view());
    return all;
  }
  /// Scans each group, from its last row to its first if that is wished.
  [[nodiscard]] results_by_row scan(aggregation& set, scan_kind kind, bool from_end) const {
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

 private:
  void read(io::input& in, whole_table_options const& options) {
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

  row_pool pool_;
  std::vector<text_buffer> keys_;
  std::vector<std::uint32_t> order_;  // where each row of the pool was; empty: where it is
  io::chunk values_;                  // of the pool or the mapped array, as operators take them
  std::vector<group_rows> groups_;
  std::size_t rows_ = 0;
};

/// All groups share one set of operators, which continue each group where its latest row was. On a
/// GPU, whose operators are not saved, each group has its own.
class unsorted_scans {
 public:
  using factory = std::function<std::unique_ptr<aggregation>()>;

  /// The first `columns` keys of the rows are those of the groups; after the first `written` are
  /// the strings that operators take.
  unsorted_scans(std::size_t columns, std::size_t written, int threads, bool on_gpu, factory make)
      : columns_(columns),
        on_gpu_(on_gpu),
        make_(std::move(make)),
        table_(columns),
        pool_(threads, true, written),
        shared_(on_gpu ? nullptr : make_()) {}

  /// The results of the rows of a chunk, in their order; valid until the next call. Throws
  /// io_error when there is no memory for another group.
  [[nodiscard]] io::chunk scan(scan_kind kind, io::chunk const& rows) try {
    table_.number(std::span(rows.keys).first(columns_), 0, rows.rows, groups_);
    if (on_gpu_)
      sets_.resize(table_.size());
    else
      saved_.resize(table_.size());
    pool_.clear();
    pool_.append(rows, 0, groups_);
    auto const order = pool_.sort();
    auto const sorted = pool_.rows();
    results_ = {};
    for_each_run(pool_.groups(), [&](group_rows const& of) { scan_group(kind, sorted, of); });
    results_.put_back(order);
    return results_.view();
  } catch (std::bad_alloc const&) {
    table_.refuse_more();
  }

 private:
  void scan_group(scan_kind kind, io::chunk const& rows, group_rows const& of) {
    auto& set = operators(of.group, rows.number(of.first));
    set.scan(kind, rows, of.first, of.n);
    results_.append(set.rows());
    set.clear();
    if (on_gpu_) return;
    latest_.clear();
    set.save(latest_);
    saved_[of.group].assign(latest_.begin(), latest_.end());
  }
  /// The operators of the group, whose next row is `row`.
  aggregation& operators(std::uint32_t group, std::uint64_t row) {
    if (!on_gpu_) {
      if (saved_[group].empty())
        shared_->restart(row);
      else
        shared_->load(saved_[group]);
      return *shared_;
    }
    auto& own = sets_[group];
    if (!own) {
      own = make_();
      own->restart(row);
    }
    return *own;
  }

  std::size_t columns_;
  bool on_gpu_;
  factory make_;
  group_table table_;
  row_pool pool_;
  std::unique_ptr<aggregation> shared_;
  std::vector<saved_state> saved_;  // of each group; empty: it has no rows yet
  saved_state latest_;
  std::vector<std::unique_ptr<aggregation>> sets_;  // of each group, on a GPU
  std::vector<std::uint32_t> groups_;
  row_buffer results_;
};

}  // namespace upsweep::cli
