/// share and cumulative-share: values and running sums, divided by the sum of the group.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_folding.hpp>

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

}  // namespace

std::unique_ptr<folding> make_share(operator_use const& use, folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  auto const sum = [&] { return make_streamed(catalog::id::sum, use, io::dtype::f64, settings); };
  return std::make_unique<share_folding>(use.name, sum(),
                                         use.id == tool_operators::share ? nullptr : sum());
}

}  // namespace upsweep::cli
