/// geometric-mean, harmonic-mean and rms: the sum of a function of the values.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/means.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// Sums with the operator that `sum` is, and finishes as the library's operator `Mean` does.
template <class Function>
class transformed_mean final : public folding {
 public:
  transformed_mean(std::string name, std::unique_ptr<folding> sum)
      : fields_{{std::move(name), io::dtype::f64}}, sum_(std::move(sum)) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void restart(std::uint64_t first_row) override {
    sum_->restart(first_row);
    count_ = 0;
  }
  void reduce(std::span<io::typed_column const> values) override {
    sum_->reduce(transformed(values));
    count_ += values[0].size();
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const n = values[0].size();
    sum_->scan(kind, transformed(values), results);
    auto* const sums = reinterpret_cast<double*>(results[0].bytes()) + results[0].size() - n;
    std::uint64_t const first = count_ + (kind == scan_kind::inclusive ? 1 : 0);
    for (std::size_t i = 0; i < n; ++i) sums[i] = finished(sums[i], first + i);
    count_ += n;
  }
  void result(std::span<column_buffer> results) override {
    column_buffer sum(io::dtype::f64);
    sum_->result(std::span(&sum, 1));
    results[0].push(finished(sum.view().as<double>()[0], count_));
  }
  void save(saved_state& to) const override {
    put(to, count_);
    sum_->save(to);
  }
  void load(saved_reader& from) override {
    count_ = from.take<std::uint64_t>();
    sum_->load(from);
  }
  [[nodiscard]] std::uint64_t position() const noexcept override { return sum_->position(); }
  void place(std::uint64_t position) override { sum_->place(position); }
  [[nodiscard]] bool takes_piece(piece of) const noexcept override { return sum_->takes_piece(of); }
  void save_part(saved_state& to) const override {
    put(to, count_);
    sum_->save_part(to);
  }
  void join_part(saved_reader& from) override {
    count_ += from.take<std::uint64_t>();
    sum_->join_part(from);
  }

 private:
  std::vector<io::typed_column> transformed(std::span<io::typed_column const> values) {
    auto const x = values[0].as<double>();
    function_of_values_.clear();
    std::ranges::transform(x, function_of_values_.extend<double>(x.size()).begin(), Function::to);
    return {function_of_values_.view()};
  }
  static double finished(double sum, std::uint64_t count) {
    return mean_of_function<Function>{}.finish({sum, count});
  }
  std::vector<result_field> fields_;
  std::unique_ptr<folding> sum_;
  std::uint64_t count_ = 0;
  column_buffer function_of_values_{io::dtype::f64};
};

}  // namespace

std::unique_ptr<folding> make_transformed_mean(operator_use const& use,
                                               folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  auto sum = make_operator<plus>(use, io::dtype::f64, settings);
  if (use.id == only_here::geometric_mean)
    return std::make_unique<transformed_mean<detail::logarithm>>(use.name, std::move(sum));
  if (use.id == only_here::harmonic_mean)
    return std::make_unique<transformed_mean<detail::reciprocal>>(use.name, std::move(sum));
  return std::make_unique<transformed_mean<detail::square>>(use.name, std::move(sum));
}

}  // namespace upsweep::cli
