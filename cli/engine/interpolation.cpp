/// interpolate: values for the rows between two that have one.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <upsweep/core/line_between.hpp>

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

/// On the line through the values before and after, over the numbers of the rows of the group or
/// over a second column.
class interpolation final : public folding {
 public:
  explicit interpolation(std::string name) : fields_{{std::move(name), io::dtype::f64}} {}

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  [[nodiscard]] bool looks_ahead() const noexcept override { return true; }
  [[nodiscard]] bool fills_gaps() const noexcept override { return true; }
  [[nodiscard]] io::typed_column filled() const noexcept override { return filled_.view(); }

  void restart(std::uint64_t /*first_row*/) override {
    known_.clear();
    rows_ = scanned_ = next_ = 0;
  }
  void gaps(std::span<io::typed_column const> present) override {
    present_.assign(present.begin(), present.end());
  }
  void reduce(std::span<io::typed_column const> values) override {
    take(values);
    for (std::size_t i = 0; i < values[0].size(); ++i, ++rows_)
      if (has(0, i) && has(1, i)) known_.push_back({place(i, rows_), y()[i]});
  }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::size_t const n = values[0].size();
    take(values);
    filled_.clear();
    auto const out = results[0].extend<double>(n);
    auto const is_there = filled_.extend<bool>(n);
    for (std::size_t i = 0; i < n; ++i, ++scanned_) {
      bool const is_known = has(0, i), has_position = has(1, i);
      if (is_known && has_position) ++next_;
      bool const between = has_position && next_ > 0 && next_ < known_.size();
      is_there[i] = is_known || between;
      out[i] = is_known ? y()[i] : between ? at(place(i, scanned_)) : 0;
    }
  }
  void result(std::span<column_buffer> /*results*/) override {
    throw std::logic_error("interpolate: upsweep reduce refuses it");
  }

 private:
  struct point {
    double x, y;
  };
  void take(std::span<io::typed_column const> values) {
    for (std::size_t c = 0; c < values.size(); ++c) {
      numbers_[c].clear();
      numbers_[c].append(values[c]);
    }
  }
  [[nodiscard]] std::span<double const> y() const { return numbers_[0].view().as<double>(); }
  [[nodiscard]] bool has(std::size_t column, std::size_t i) const {
    return column >= present_.size() || present_[column].as<bool>()[i];
  }
  /// Where row i of the call is, the one with this number in its group.
  [[nodiscard]] double place(std::size_t i, std::uint64_t row) const {
    return numbers_[1].size() > 0 ? numbers_[1].view().as<double>()[i] : static_cast<double>(row);
  }
  [[nodiscard]] double at(double x) const {
    auto const [x0, y0] = known_[next_ - 1];
    auto const [x1, y1] = known_[next_];
    return x1 == x0 ? y0 : detail::on_line(y0, y1, detail::share_of_way(x0, x, x1));
  }

  std::vector<result_field> fields_;
  std::vector<io::typed_column> present_;
  column_buffer numbers_[2] = {column_buffer(io::dtype::f64), column_buffer(io::dtype::f64)};
  column_buffer filled_{io::dtype::boolean};
  std::vector<point> known_;
  std::uint64_t rows_ = 0, scanned_ = 0;
  std::size_t next_ = 0;  // how many known values are in rows up to this one
};

}  // namespace

std::unique_ptr<folding> make_interpolation(operator_use const& use,
                                            folding_settings const& settings) {
  refuse_initial(use.name, settings);
  if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
  return std::make_unique<interpolation>(use.name);
}

}  // namespace upsweep::cli
