/// geometric-mean, harmonic-mean and rms: the sum of a function of the values.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/ops/means.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// The sum of the squares of numbers that are all above `least` or below `end`, which are
/// multiplied by 2^scale; others count as 0. It is begun with the first of them.
class scaled_squares {
 public:
  scaled_squares(double least, double end, int scale) : least_(least), end_(end), scale_(scale) {}

  template <class Make>
  void add(std::span<double const> x, std::uint64_t before, Make const& make) {
    auto const counts = [this](double v) {
      double const size = std::fabs(v);
      return size >= least_ && size < end_ && size != 0;
    };
    if (!sum_ && std::ranges::none_of(x, counts)) return;
    constexpr std::uint64_t block = 1 << 16;
    if (!sum_)
      for (sum_ = make(); before > 0; before -= std::min(before, block))
        push(std::vector<double>(static_cast<std::size_t>(std::min(before, block))));
    std::vector<double> squares;
    for (double const v : x) {
      double const scaled = counts(v) ? std::ldexp(v, scale_) : 0;
      squares.push_back(scaled * scaled);
    }
    push(squares);
  }
  void clear() { sum_.reset(); }
  [[nodiscard]] bool empty() const { return !sum_; }
  [[nodiscard]] double root_mean(std::uint64_t count) const {
    column_buffer sum(io::dtype::f64);
    sum_->result(std::span(&sum, 1));
    return std::ldexp(std::sqrt(sum.view().as<double>()[0] / static_cast<double>(count)), -scale_);
  }

 private:
  void push(std::vector<double> const& values) {
    io::typed_column const column = io::as_column(io::dtype::f64, std::span<double const>(values));
    sum_->reduce(std::span(&column, 1));
  }
  double least_, end_;
  int scale_;
  std::unique_ptr<folding> sum_;
};

/// Sums with the operator that `sum` is, and finishes as the library's operator `Mean` does.
template <class Function>
class transformed_mean final : public folding {
 public:
  using maker = std::function<std::unique_ptr<folding>()>;

  transformed_mean(std::string name, maker make)
      : fields_{{std::move(name), io::dtype::f64}}, make_(std::move(make)), sum_(make_()) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void restart(std::uint64_t first_row) override {
    sum_->restart(first_row);
    count_ = 0;
    large_.clear(), small_.clear();
  }
  void reduce(std::span<io::typed_column const> values) override {
    sum_->reduce(transformed(values));
    if constexpr (std::is_same_v<Function, detail::square>) {
      large_.add(values[0].as<double>(), count_, make_);
      small_.add(values[0].as<double>(), count_, make_);
    }
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
    double const total = sum.view().as<double>()[0];
    if (total == detail::infinity<double> && !large_.empty())
      results[0].push(large_.root_mean(count_));
    else if (total < 0x1p-900 && !small_.empty())
      results[0].push(small_.root_mean(count_));
    else
      results[0].push(finished(total, count_));
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
  maker make_;
  std::unique_ptr<folding> sum_;
  // Where the sum of squares overflows or loses digits, numbers of other sizes do not count.
  scaled_squares large_{0x1p400, detail::infinity<double>, -600}, small_{0, 0x1p-400, 600};
  std::uint64_t count_ = 0;
  column_buffer function_of_values_{io::dtype::f64};
};

}  // namespace

std::unique_ptr<folding> make_transformed_mean(operator_use const& use,
                                               folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  auto sum = [use, settings] { return make_operator<plus>(use, io::dtype::f64, settings); };
  if (use.id == tool_operators::geometric_mean)
    return std::make_unique<transformed_mean<detail::logarithm>>(use.name, std::move(sum));
  if (use.id == tool_operators::harmonic_mean)
    return std::make_unique<transformed_mean<detail::reciprocal>>(use.name, std::move(sum));
  return std::make_unique<transformed_mean<detail::square>>(use.name, std::move(sum));
}

}  // namespace upsweep::cli
