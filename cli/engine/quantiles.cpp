/// median, quantile:Q, largest:K and smallest:K of a column, which need all its values at once.
#include <cli/engine/folding.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::cli {

namespace {

/// Rounding to f64 keeps the order, so the quantiles are those of the original numbers.
class quantiles_folding final : public folding {
 public:
  quantiles_folding(std::vector<operator_use> const& uses, folding_settings const& settings)
      : on_{.threads = settings.threads} {
    for (auto const& use : uses) {
      refuse_initial(use.name, settings);
      if (settings.on_gpu != nullptr) refuse_on_gpu(use.name, "f64");
      std::string const option = "--op " + use.name + ":" + use.parameter;
      bool const has_place = use.id == only_here::largest || use.id == only_here::smallest;
      places_.push_back(has_place ? parse_place(use.parameter, option) : 0);
      largest_.push_back(use.id == only_here::largest);
      double q = 0.5;
      if (!use.parameter.empty() && !has_place)
        io::parse_option_number(use.parameter, io::dtype::f64, &q, "--op quantile");
      if (!(q >= 0 && q <= 1))
        throw io::usage_error(
            fmt::format("{}: it must be from 0 to 1; divide percentiles by 100.", option));
      ranks_.push_back(q);
      fields_.push_back(
          {use.parameter.empty() ? use.name : use.name + ":" + use.parameter, io::dtype::f64});
    }
  }

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void restart(std::uint64_t /*first_row*/) override { values_.clear(); }
  void reduce(std::span<io::typed_column const> values) override { values_.append(values[0]); }
  void scan(scan_kind /*kind*/, std::span<io::typed_column const> /*values*/,
            std::span<column_buffer> /*results*/) override {
    throw std::logic_error("quantiles: upsweep scan refuses them");
  }
  [[nodiscard]] bool has_result() const noexcept override { return values_.size() > 0; }
  void result(std::span<column_buffer> results) override {
    auto const values = values_.view().as<double>();
    if (values.empty())
      throw io::data_error(
          fmt::format("{}: there are no values and hence no result; give at least one value.",
                      fields_[0].name));
    std::vector<double> found(ranks_.size());
    dynamic::quantiles(on_, io::dtype::f64, values.data(), values.size(), ranks_.data(),
                       ranks_.size(), found.data());
    auto const most = std::min(*std::ranges::max_element(places_), values.size());
    std::vector<double> highest(most), lowest(most);
    dynamic::top(on_, io::dtype::f64, values.data(), values.size(), true, highest.data(), most);
    dynamic::top(on_, io::dtype::f64, values.data(), values.size(), false, lowest.data(), most);
    for (std::size_t f = 0; f < results.size(); ++f) {
      std::size_t const place = places_[f];
      results[f].push(place == 0     ? found[f]
                      : place > most ? std::numeric_limits<double>::quiet_NaN()
                      : largest_[f]  ? highest[place - 1]
                                     : lowest[place - 1]);
    }
  }

 private:
  cpu on_;
  std::vector<double> ranks_;
  std::vector<std::size_t> places_;  // of each field: K of largest and smallest, otherwise 0
  std::vector<bool> largest_;
  std::vector<result_field> fields_;
  column_buffer values_{io::dtype::f64};
};

}  // namespace

std::unique_ptr<folding> make_quantiles(std::vector<operator_use> const& uses,
                                        folding_settings const& settings) {
  return std::make_unique<quantiles_folding>(uses, settings);
}

}  // namespace upsweep::cli
