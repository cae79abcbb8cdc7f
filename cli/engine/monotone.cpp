/// Scans whose results never decrease: the running maximum of another operator's results.
#include <cli/engine/aggregate.hpp>
#include <upsweep/by_name/run.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

class monotone_aggregate final : public aggregate {
 public:
  monotone_aggregate(std::unique_ptr<aggregate> inner, int threads)
      : aggregate(inner->takes(), inner->fields()),
        inner_(std::move(inner)),
        on_{.threads = threads} {
    for (auto const& field : fields()) largest_.emplace_back(field.type);
  }

  void initialize(std::uint64_t first_row) override {
    inner_->initialize(first_row);
    for (auto& column : largest_) column.clear();
  }
  void number(std::span<std::uint64_t const> rows) override { inner_->number(rows); }
  void update(std::span<io::typed_column const> values) override { inner_->update(values); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    inner_->scan(kind, values, results);
    for (std::size_t f = 0; f < results.size(); ++f)
      raise(results[f], values[0].size(), largest_[f]);
  }
  void finalize(std::span<column_buffer> results) override { inner_->finalize(results); }
  void save(saved_state& to) const override {
    inner_->save(to);
    for (auto const& column : largest_) column.save(to);
  }
  void load(saved_reader& from) override {
    inner_->load(from);
    for (auto& column : largest_) column.load(from);
  }

 private:
  /// Replaces each of the last n results by the largest so far, including those of earlier calls.
  void raise(column_buffer& results, std::size_t n, column_buffer& largest) const {
    auto const* const running = dynamic::find(catalog::id::max, results.type());
    std::byte* const latest = results.bytes() + (results.size() - n) * size_of(results.type());
    bool const has_largest = largest.size() > 0;
    running->inclusive_scan(
        latest, n, {.on = on_, .initial = has_largest ? largest.bytes() : nullptr}, latest);
    largest.clear();
    largest.append(slice(results.view(), results.size() - 1, 1));
  }

  std::unique_ptr<aggregate> inner_;
  cpu on_;
  std::vector<column_buffer> largest_;  // for each field: the largest result so far, if any
};

}  // namespace

std::unique_ptr<aggregate> make_monotone(std::unique_ptr<aggregate> inner,
                                         aggregate_settings const& settings) {
  return std::make_unique<monotone_aggregate>(std::move(inner), settings.threads);
}

}  // namespace upsweep::cli
