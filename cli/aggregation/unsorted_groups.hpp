/// The reduction of groups whose rows may be anywhere in the input.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/engine/groups.hpp>
#include <cli/engine/row_pool.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

/// Rows wait in a pool, which is sorted by group when it is full. A group with many rows has an
/// aggregation of its own, which takes them; the rows of the others stay in the pool. Each group's
/// results have the bits of its own reduction. Memory: the keys of all groups, an aggregation for
/// each group of 256 rows or more, and up to four times the rows of the others.
class unsorted_groups {
 public:
  using factory = std::function<std::unique_ptr<aggregation>()>;
  /// Called for the group with these keys (group_table) before its first row is added.
  using starter = std::function<void(aggregation&, std::string const& keys)>;

  /// `columns`: how many columns the keys have.
  unsorted_groups(std::size_t columns, bool numbered, int threads, factory make, starter start = {})
      : columns_(columns),
        make_(std::move(make)),
        start_(std::move(start)),
        table_(columns),
        pool_(threads, numbered, columns) {}

  void add(io::chunk const& rows) try {
    table_.number(std::span(rows.keys).first(columns_), 0, rows.rows, groups_);
    own_.resize(table_.size());
    waiting_.resize(table_.size());
    last_types_.clear();
    for (auto const& column : rows.columns) last_types_.push_back(slice(column, 0, 0));
    keys_ = rows.keys.size();
    std::size_t first = 0;  // rows from here on are for the pool
    auto const pool_until = [&](std::size_t end) {
      if (end > first) pool_.append(rows, first, std::span(groups_).subspan(first, end - first));
    };
    for_each_run(groups_, [&](group_rows const& of) {
      if (of.n >= many && waiting_[of.group] == 0) {
        pool_until(of.first);
        give(of.group, rows, of.first, of.n);
        first = of.first + of.n;
      } else {
        waiting_[of.group] += static_cast<std::uint32_t>(of.n);
      }
    });
    pool_until(groups_.size());
    if (pool_.size() < limit_) return;
    if (is_worth_sorting())
      distribute();
    else
      limit_ = 2 * pool_.size();
  } catch (std::bad_alloc const&) {
    table_.refuse_more();
  }

  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  /// Calls write(rows) for the results of all groups, in the order in which they first appeared:
  /// keys, strings of results, columns of results.
  void finish(std::function<void(io::chunk const&)> const& write) try {
    pool_.sort();
    auto const rows = pool_.rows();
    auto const groups = pool_.groups();
    io::chunk none;  // tells each aggregation the final types
    none.columns = last_types_;
    none.keys.resize(keys_);
    auto const shared = make_();
    row_buffer results;
    std::size_t written = 0;
    auto const take = [&](aggregation& from) {
      results.append(from.rows());
      from.clear();
    };
    auto const write_until = [&](std::size_t end) {
      take(*shared);
      io::chunk out;
      out.rows = end - written;
      std::vector<text_buffer> keys(columns_);
      for (std::size_t k = 0; k < columns_; ++k) {
        keys[k].append(table_.keys()[k].view(), written, out.rows);
        out.keys.push_back(keys[k].view());
      }
      auto const found = results.view();
      out.keys.insert(out.keys.end(), found.keys.begin(), found.keys.end());
      out.columns = found.columns;
      out.present = found.present;
      write(out);
      results = {};
      written = end;
    };
    std::size_t at = 0;
    for (std::uint32_t group = 0; group < table_.size(); ++group) {
      std::size_t end = at;
      while (end < groups.size() && groups[end] == group) ++end;
      if (own_[group]) {
        take(*shared);
        if (end > at) give(group, rows, at, end - at);  // an empty pool has no columns
        own_[group]->add(none, 0, 0);
        own_[group]->finish();
        take(*own_[group]);
        own_[group].reset();
      } else {
        start(*shared, group, rows.number(at));
        shared->add(rows, at, end - at);
        shared->finish();
      }
      at = end;
      if (group + 1 - written == 4096) write_until(group + 1);
    }
    if (written < table_.size()) write_until(table_.size());
  } catch (std::bad_alloc const&) {
    table_.refuse_more();
  }

 private:
  static constexpr std::size_t many = 256;                    // rows of a group
  static constexpr std::size_t least = std::size_t{1} << 17;  // rows in the pool
  /// Whether half of the pool's rows would leave it.
  [[nodiscard]] bool is_worth_sorting() const {
    std::size_t leaving = 0;
    for (std::size_t group = 0; group < waiting_.size(); ++group)
      if (own_[group] || waiting_[group] >= many) leaving += waiting_[group];
    return 2 * leaving >= pool_.size();
  }
  void distribute() {
    pool_.sort();
    auto const rows = pool_.rows();
    std::vector<group_rows> kept;
    std::size_t left = 0;
    for_each_run(pool_.groups(), [&](group_rows const& of) {
      if (own_[of.group] || of.n >= many) {
        give(of.group, rows, of.first, of.n);
        waiting_[of.group] = 0;
      } else {
        kept.push_back(of);
        left += of.n;
      }
    });
    if (left < pool_.size()) pool_.keep_only(kept);
    limit_ = std::max(least, 2 * left);
  }
  void start(aggregation& of, std::uint32_t group, std::uint64_t row) const {
    of.restart(row);
    if (start_) start_(of, joined_keys(table_.keys(), group));
  }
  void give(std::uint32_t group, io::chunk const& rows, std::size_t first, std::size_t n) {
    auto& own = own_[group];
    if (!own) {
      own = make_();
      start(*own, group, rows.number(first));
    }
    own->add(rows, first, n);
  }

  std::size_t columns_;
  factory make_;
  starter start_;
  group_table table_;
  row_pool pool_;
  std::size_t limit_ = least;
  std::vector<std::unique_ptr<aggregation>> own_;  // null: the group's rows are in the pool
  std::vector<std::uint32_t> waiting_;             // how many rows the group has in the pool
  std::vector<std::uint32_t> groups_;
  std::vector<io::typed_column> last_types_;  // empty columns, of the types of the latest chunk
  std::size_t keys_ = 0;                      // how many the latest chunk had
};

}  // namespace upsweep::cli
