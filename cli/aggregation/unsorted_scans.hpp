/// Scans of groups whose rows may be anywhere in the input.
#pragma once

#include <cli/aggregation/aggregation.hpp>
#include <cli/engine/group_table.hpp>
#include <cli/engine/row_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace upsweep::cli {

/// All groups share one set of operators, which continue each group where its latest row was. On a
/// GPU, whose operators are not saved, each group has its own.
class unsorted_scans {
 public:
  using factory = std::function<std::unique_ptr<aggregation>()>;

  /// The first `columns` keys of the rows are those of the groups; after the first `written` are
  /// the strings that operators take.
  unsorted_scans(std::size_t columns, std::size_t written, int threads, bool on_gpu, factory make);

  /// The results of the rows of a chunk, in their order; valid until the next call. Throws
  /// io_error when there is no memory for another group.
  [[nodiscard]] io::chunk scan(scan_kind kind, io::chunk const& rows);

 private:
  void scan_group(scan_kind kind, io::chunk const& rows, group_rows const& of);
  /// The operators of the group, whose next row is `row`.
  aggregation& operators(std::uint32_t group, std::uint64_t row);

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
