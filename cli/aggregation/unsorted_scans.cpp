/// Puts the rows of a chunk together by group, scans each group, and puts the results back.
#include <cli/aggregation/unsorted_scans.hpp>

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <utility>

namespace upsweep::cli {

unsorted_scans::unsorted_scans(std::size_t columns, std::size_t written, int threads, bool on_gpu,
                               factory make)
    : columns_(columns),
      on_gpu_(on_gpu),
      make_(std::move(make)),
      table_(columns),
      pool_(threads, true, written),
      shared_(on_gpu ? nullptr : make_()) {}

aggregation& unsorted_scans::operators(std::uint32_t group, std::uint64_t row) {
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

void unsorted_scans::scan_group(scan_kind kind, io::chunk const& rows, group_rows const& of) {
  auto& set = operators(of.group, rows.number(of.first));
  set.scan(kind, rows, of.first, of.n);
  results_.append(set.rows());
  set.clear();
  if (on_gpu_) return;
  latest_.clear();
  set.save(latest_);
  saved_[of.group].assign(latest_.begin(), latest_.end());
}

io::chunk unsorted_scans::scan(scan_kind kind, io::chunk const& rows) try {
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

}  // namespace upsweep::cli
