/// share and cumulative-share: values and running sums, divided by the sum of the group.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/integer_quotient.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_aggregate.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>

namespace upsweep::cli {

namespace {

class share_aggregate final : public aggregate {
 public:
  share_aggregate(std::string name, std::unique_ptr<aggregate> total,
                  std::unique_ptr<aggregate> running)
      : aggregate(io::dtype::f64, {{std::move(name), io::dtype::f64}}),
        total_(std::move(total)),
        running_(std::move(running)) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t first_row) override {
    total_->initialize(first_row);
    if (running_) running_->initialize(first_row);
  }
  void update(std::span<io::typed_column const> values) override { total_->update(values); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    if (running_)
      running_->scan(kind, values, results);
    else
      results[0].append(values[0]);
    column_buffer total(io::dtype::f64);
    total_->finalize(std::span(&total, 1));
    double const sum = total.view().as<double>()[0];
    auto* const share = reinterpret_cast<double*>(results[0].bytes()) + results[0].size() - n;
    for (std::size_t i = 0; i < n; ++i) share[i] /= sum;
  }

 private:
  std::unique_ptr<aggregate> total_, running_;
};

/// The same of integers of 64 bits, whose sums are exact: only a share is rounded.
template <class T>
class share_of_integers final : public aggregate {
 public:
  share_of_integers(std::string name, bool cumulative)
      : aggregate(dynamic::dtype_of<T>, {{std::move(name), io::dtype::f64}}),
        cumulative_(cumulative) {}

  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void initialize(std::uint64_t /*first_row*/) override { total_ = running_ = 0; }
  void update(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) total_ += x;
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    auto const out = results[0].extend<double>(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      running_ += x[i];
      out[i] = integer_quotient(cumulative_ ? running_ : int128{x[i]}, total_);
    }
  }

 private:
  bool cumulative_;
  int128 total_ = 0, running_ = 0;
};

}  // namespace

std::unique_ptr<aggregate> make_share(operator_use const& use, io::dtype type,
                                      aggregate_settings const& settings) {
  bool const cumulative = use.id == tool_operator("cumulative-share");
  if (type == io::dtype::i64)
    return std::make_unique<share_of_integers<std::int64_t>>(use.name, cumulative);
  if (type == io::dtype::u64)
    return std::make_unique<share_of_integers<std::uint64_t>>(use.name, cumulative);
  auto const sum = [&] { return make_streamed(catalog::id::sum, use, io::dtype::f64, settings); };
  return std::make_unique<share_aggregate>(use.name, sum(), cumulative ? sum() : nullptr);
}

}  // namespace upsweep::cli
