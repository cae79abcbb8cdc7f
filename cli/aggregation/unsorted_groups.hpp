/// The reduction of groups whose rows may be anywhere in the input.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/engine/group_table.hpp>
#include <cli/engine/row_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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
  unsorted_groups(std::size_t columns, bool numbered, int threads, factory make,
                  starter start = {});

  void add(io::chunk const& rows);
  [[nodiscard]] std::size_t size() const noexcept { return table_.size(); }
  /// Calls write(rows) for the results of all groups, in the order in which they first appeared:
  /// keys, strings of results, columns of results.
  void finish(std::function<void(io::chunk const&)> const& write);

 private:
  static constexpr std::size_t many = 256;                    // rows of a group
  static constexpr std::size_t least = std::size_t{1} << 17;  // rows in the pool
  [[nodiscard]] bool is_worth_sorting() const;
  void distribute();
  void start(aggregation& of, std::uint32_t group, std::uint64_t row) const;
  void give(std::uint32_t group, io::chunk const& rows, std::size_t first, std::size_t n);

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
