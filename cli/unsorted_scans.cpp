/// Puts the rows of a chunk together by group, scans each group, and puts the results back.
#include <cli/unsorted_scans.hpp>

#include <new>

namespace upsweep::cli {

unsorted_scans::unsorted_scans(std::size_t columns, int threads, bool on_gpu,
                               std::function<std::unique_ptr<widening_set>()> make)
    : columns_(columns),
      on_gpu_(on_gpu),
      make_(std::move(make)),
      table_(columns),
      pool_(threads, true),
      shared_(on_gpu ? nullptr : make_()) {}

widening_set& unsorted_scans::operators(std::uint32_t group, std::uint64_t row) {
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
  std::vector<io::typed_column> values;
  for (auto const& column : rows.columns) values.push_back(slice(column, of.first, of.n));
  set.scan(kind, values, rows.numbers.subspan(of.first, of.n));
  auto const results = set.rows();
  if (by_group_.empty())
    for (auto const& column : results) by_group_.emplace_back(column.type);
  for (std::size_t c = 0; c < results.size(); ++c) by_group_[c].append(results[c]);
  set.clear();
  if (on_gpu_) return;
  latest_.clear();
  set.save(latest_);
  saved_[of.group].assign(latest_.begin(), latest_.end());
}

std::vector<io::typed_column> unsorted_scans::scan(scan_kind kind, io::chunk const& rows) try {
  table_.number(std::span(rows.keys).first(columns_), rows.rows, groups_);
  if (on_gpu_)
    sets_.resize(table_.size());
  else
    saved_.resize(table_.size());
  pool_.clear();
  io::chunk values = rows;
  values.keys.clear();
  pool_.append(values, 0, groups_);
  auto const order = pool_.sort();
  auto const sorted = pool_.rows();
  by_group_.clear();
  for_each_run(pool_.groups(), [&](group_rows const& of) { scan_group(kind, sorted, of); });
  results_.clear();
  std::vector<io::typed_column> all;
  for (auto& column : by_group_) results_.push_back(put_back(column, order));
  for (auto const& column : results_) all.push_back(column.view());
  return all;
} catch (std::bad_alloc const&) {
  table_.refuse_more();
}

}  // namespace upsweep::cli
