/// median, quantile:Q, largest:K and smallest:K of a column, which need all its values at once.
#include <cli/engine/aggregate.hpp>
#include <cli/engine/gapless_rows.hpp>
#include <cli/engine/operators.hpp>
#include <io/error.hpp>
#include <io/number.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace upsweep::cli {

namespace {

/// Of numbers in f64, whose order is that of the original ones, or of integers of 64 bits, which
/// are rounded after interpolation.
class quantiles_aggregate final : public aggregate {
 public:
  quantiles_aggregate(std::vector<operator_use> const& uses, io::dtype type,
                      aggregate_settings const& settings)
      : aggregate(type, fields_of(uses, type)), on_{.threads = settings.threads}, values_(type) {
    for (auto const& use : uses) {
      refuse_settings(use.name, "f64", settings);
      std::string const option = "--op " + use.name + ":" + use.parameter;
      bool const is_place = is(use.id, trait::at_rank);
      places_.push_back(is_place ? parse_place(use.parameter, option) : 0);
      largest_.push_back(use.id == tool_operator("largest"));
      double q = 0.5;
      if (!use.parameter.empty() && !is_place)
        io::parse_option_number(use.parameter, io::dtype::f64, &q, "--op quantile");
      if (!(q >= 0 && q <= 1))
        throw io::usage_error(
            fmt::format("{}: it must be from 0 to 1; divide percentiles by 100.", option));
      ranks_.push_back(q);
    }
  }

  void initialize(std::uint64_t /*first_row*/) override { values_.clear(); }
  void update(std::span<io::typed_column const> values) override { values_.append(values[0]); }
  [[nodiscard]] bool has_result() const noexcept override { return values_.size() > 0; }
  [[nodiscard]] io::typed_column filled() const noexcept override { return filled_.view(); }
  void finalize(std::span<column_buffer> results) override {
    auto const values = values_.view();
    if (values.size() == 0)
      throw io::data_error(
          fmt::format("{}: there are no values and hence no result; give at least one value.",
                      fields()[0].name));
    std::vector<double> found(ranks_.size());
    dynamic::quantiles(on_, values.type, values.bytes.data(), values.size(), ranks_.data(),
                       ranks_.size(), found.data());
    auto const most = std::min(std::ranges::max(places_), values.size());
    auto const highest = first(true, most), lowest = first(false, most);
    filled_.clear();
    for (std::size_t f = 0; f < results.size(); ++f) {
      std::size_t const place = places_[f];
      filled_.push(place <= most);
      if (place == 0)
        results[f].push(found[f]);
      else if (place > most)
        append_zeros(results[f], 1);
      else
        results[f].append(slice((largest_[f] ? highest : lowest).view(), place - 1, 1));
    }
  }

 private:
  static std::vector<result_field> fields_of(std::vector<operator_use> const& uses,
                                             io::dtype type) {
    std::vector<result_field> all;
    for (auto const& use : uses)
      all.push_back({use.written(), is(use.id, trait::at_rank) ? type : io::dtype::f64});
    return all;
  }
  /// The largest or the smallest values.
  [[nodiscard]] column_buffer first(bool largest, std::size_t count) const {
    auto const values = values_.view();
    column_buffer found(values.type);
    found.resize(count);
    dynamic::top(on_, values.type, values.bytes.data(), values.size(), largest, found.bytes(),
                 count);
    return found;
  }

  cpu on_;
  std::vector<double> ranks_;
  std::vector<std::size_t> places_;  // of each field: K of largest and smallest, otherwise 0
  std::vector<bool> largest_;
  column_buffer values_, filled_{io::dtype::boolean};
};

}  // namespace

std::size_t parse_place(std::string const& text, std::string const& option) {
  std::uint64_t place = 0;
  io::parse_option_number(text, io::dtype::u64, &place, option);
  if (place == 0 || place > 1000)
    throw io::usage_error(fmt::format("{}: it must be from 1 to 1000.", option));
  return static_cast<std::size_t>(place);
}

std::unique_ptr<aggregate> make_quantiles(std::vector<operator_use> const& uses, io::dtype type,
                                          aggregate_settings const& settings) {
  auto const computed = compute_type(type);
  return std::make_unique<quantiles_aggregate>(
      uses, io::is_integer(computed) ? computed : io::dtype::f64, settings);
}

}  // namespace upsweep::cli
