/// Operators whose result holds several statistics: moments, of one column or of two, of which all
/// that are requested are made in one pass; and means of functions.
#include <cli/engine/operators.hpp>
#include <cli/engine/stream_aggregate.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

/// count alone, which is exact.
class count_aggregate final : public aggregate {
 public:
  explicit count_aggregate(std::vector<result_field> fields)
      : aggregate(io::dtype::f64, std::move(fields)) {}

  void initialize(std::uint64_t /*first_row*/) override { count_ = 0; }
  void update(std::span<io::typed_column const> values) override { count_ += values[0].size(); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::uint64_t const first = count_ + (kind == scan_kind::inclusive ? 1 : 0);
    for (auto& column : results) {
      auto const out = column.extend<std::uint64_t>(values[0].size());
      std::iota(out.begin(), out.end(), first);
    }
    update(values);
  }
  void finalize(std::span<column_buffer> results) override {
    for (auto& column : results) column.push(count_);
  }
  void save(saved_state& to) const override { put(to, count_); }
  void load(saved_reader& from) override { count_ = from.take<std::uint64_t>(); }
  [[nodiscard]] std::uint64_t position() const noexcept override { return count_; }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void serialize(saved_state& to) const override { put(to, count_); }
  void combine(saved_reader& from) override { count_ += from.take<std::uint64_t>(); }

 private:
  std::uint64_t count_ = 0;
};

}  // namespace

std::optional<catalog::id> summary_of(catalog::id id) {
  using enum catalog::id;
  auto const found = std::ranges::find(catalog::derived, id, &catalog::derived_entry::id);
  if (found == catalog::derived.end() || found->from == affine) return {};
  return found->from;
}

std::unique_ptr<aggregate> make_summary(catalog::id summary, std::vector<std::string> const& names,
                                        aggregate_settings const& settings) {
  stream_shape shape{.takes = io::dtype::f64, .fields = {}, .use = names.front()};
  std::vector<catalog::id> wanted;
  for (auto const& name : names) {
    refuse_initial(name, settings);
    shape.fields.push_back({name, name == "count" ? io::dtype::u64 : io::dtype::f64});
    wanted.push_back(std::ranges::find(catalog::derived, name, &catalog::derived_entry::name)->id);
  }
  if (settings.on_gpu != nullptr) refuse_on_gpu(shape.use, "f64");
  if (std::ranges::count(names, "count") == std::ssize(names))
    return std::make_unique<count_aggregate>(std::move(shape.fields));
  return std::make_unique<stream_aggregate>(
      dynamic::stream_of_statistics(summary, wanted, stream_options_of(settings)), std::move(shape),
      settings);
}

std::unique_ptr<aggregate> make_mean_of_function(operator_use const& use, io::dtype /*type*/,
                                                 aggregate_settings const& settings) {
  using enum dynamic::function_mean;
  auto const which = use.name == "geometric-mean"  ? geometric
                     : use.name == "harmonic-mean" ? harmonic
                                                   : rms;
  return std::make_unique<stream_aggregate>(
      dynamic::stream_of_mean(which, stream_options_of(settings)),
      stream_shape{
          .takes = io::dtype::f64, .fields = {{use.name, io::dtype::f64}}, .use = use.name},
      settings);
}

}  // namespace upsweep::cli
