/// share and cumulative-share: values and running sums, divided by the sum of the group.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_folding.hpp>
#include <upsweep/core/number_types.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

class share_folding final : public folding {
 public:
  share_folding(std::string name, std::unique_ptr<folding> total, std::unique_ptr<folding> running)
      : fields_{{std::move(name), io::dtype::f64}},
        total_(std::move(total)),
        running_(std::move(running)) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void restart(std::uint64_t first_row) override {
    total_->restart(first_row);
    if (running_) running_->restart(first_row);
  }
  void reduce(std::span<io::typed_column const> values) override { total_->reduce(values); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    if (running_)
      running_->scan(kind, values, results);
    else
      results[0].append(values[0]);
    column_buffer total(io::dtype::f64);
    total_->result(std::span(&total, 1));
    double const sum = total.view().as<double>()[0];
    auto* const share = reinterpret_cast<double*>(results[0].bytes()) + results[0].size() - n;
    for (std::size_t i = 0; i < n; ++i) share[i] /= sum;
  }
  void result(std::span<column_buffer> /*results*/) override {
    throw std::logic_error("share: upsweep reduce refuses it");
  }

 private:
  std::vector<result_field> fields_;
  std::unique_ptr<folding> total_, running_;
};

/// The same of integers of 64 bits, whose sums are exact: only a share is rounded.
template <class T>
class share_of_integers final : public folding {
 public:
  share_of_integers(std::string name, bool cumulative)
      : fields_{{std::move(name), io::dtype::f64}}, cumulative_(cumulative) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return dynamic::dtype_of<T>; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  void restart(std::uint64_t /*first_row*/) override { total_ = running_ = 0; }
  void reduce(std::span<io::typed_column const> values) override {
    for (T const x : values[0].as<T>()) total_ += x;
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const x = values[0].as<T>();
    auto const out = results[0].extend<double>(x.size());
    auto const sum = static_cast<double>(total_);
    for (std::size_t i = 0; i < x.size(); ++i) {
      running_ += x[i];
      out[i] = static_cast<double>(cumulative_ ? running_ : int128{x[i]}) / sum;
    }
  }
  void result(std::span<column_buffer> /*results*/) override {
    throw std::logic_error("share: upsweep reduce refuses it");
  }

 private:
  std::vector<result_field> fields_;
  bool cumulative_;
  int128 total_ = 0, running_ = 0;
};

}  // namespace

std::unique_ptr<folding> make_share(operator_use const& use, io::dtype type,
                                    folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  bool const cumulative = use.id == tool_operators::cumulative_share;
  if (type == io::dtype::i64)
    return std::make_unique<share_of_integers<std::int64_t>>(use.name, cumulative);
  if (type == io::dtype::u64)
    return std::make_unique<share_of_integers<std::uint64_t>>(use.name, cumulative);
  auto const sum = [&] { return make_streamed(catalog::id::sum, use, io::dtype::f64, settings); };
  return std::make_unique<share_folding>(use.name, sum(), cumulative ? sum() : nullptr);
}

}  // namespace upsweep::cli
