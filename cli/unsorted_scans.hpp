/// Scans of groups whose rows may be anywhere in the input.
#pragma once

#include <cli/engine/group_table.hpp>
#include <cli/engine/row_pool.hpp>
#include <cli/widening_set.hpp>

#include <functional>
#include <memory>
#include <vector>

namespace upsweep::cli {

/// Each group has its own operators, which continue where its latest row was.
class unsorted_scans {
 public:
  /// `columns`: how many columns the keys have.
  unsorted_scans(std::size_t columns, int threads,
                 std::function<std::unique_ptr<widening_set>()> make);

  /// The results of the rows of a chunk, in their order; valid until the next call. Throws
  /// data_error when there is no memory for another group.
  [[nodiscard]] std::vector<io::typed_column> scan(scan_kind kind, io::chunk const& rows);

 private:
  void scan_group(scan_kind kind, io::chunk const& rows, group_rows const& of);

  std::size_t columns_;
  std::function<std::unique_ptr<widening_set>()> make_;
  group_table table_;
  row_pool pool_;
  std::vector<std::unique_ptr<widening_set>> sets_;
  std::vector<std::uint32_t> groups_;
  std::vector<column_buffer> by_group_, results_;
};

}  // namespace upsweep::cli
