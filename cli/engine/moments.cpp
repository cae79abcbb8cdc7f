/// mean, var, std and their sample forms, and count: all that are requested of a column, in one
/// pass with the updates of Welford and Chan.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/moments.hpp>

#include <algorithm>
#include <limits>
#include <numeric>

namespace upsweep::cli {

namespace {

double moment(std::string const& name, moments_of const& m) {
  if (name == "mean") return m.count > 0 ? m.mean : std::numeric_limits<double>::quiet_NaN();
  if (name == "var") return m.variance();
  if (name == "std") return m.stddev();
  if (name == "sample-var") return m.sample_variance();
  return m.sample_stddev();
}

class moments_folding final : public streaming_folding<moments, plain_elements<double>> {
 public:
  using streaming_folding::streaming_folding;

  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    records_.resize(values[0].size());
    scan_into(kind, values, std::span(records_));
    for (std::size_t f = 0; f < results.size(); ++f) {
      if (fields()[f].name == "count") {
        auto const out = results[f].extend<std::uint64_t>(records_.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = records_[i].count;
      } else {
        auto const out = results[f].extend<double>(records_.size());
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = moment(fields()[f].name, records_[i]);
      }
    }
  }
  void result(std::span<column_buffer> results) override {
    moments_of const m = reduced();
    for (std::size_t f = 0; f < results.size(); ++f)
      if (fields()[f].name == "count")
        results[f].push(m.count);
      else
        results[f].push(moment(fields()[f].name, m));
  }

 private:
  std::vector<moments_of> records_;
};

/// count alone, which is exact.
class count_folding final : public folding {
 public:
  explicit count_folding(std::vector<result_field> fields) : fields_(std::move(fields)) {}

  [[nodiscard]] io::dtype takes() const noexcept override { return io::dtype::f64; }
  [[nodiscard]] std::vector<result_field> const& fields() const noexcept override {
    return fields_;
  }
  void restart(std::uint64_t /*first_row*/) override { count_ = 0; }
  void reduce(std::span<io::typed_column const> values) override { count_ += values[0].size(); }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    std::uint64_t const first = count_ + (kind == scan_kind::inclusive ? 1 : 0);
    for (auto& column : results) {
      auto const out = column.extend<std::uint64_t>(values[0].size());
      std::iota(out.begin(), out.end(), first);
    }
    reduce(values);
  }
  void result(std::span<column_buffer> results) override {
    for (auto& column : results) column.push(count_);
  }
  void save(saved_state& to) const override { put(to, count_); }
  void load(saved_reader& from) override { count_ = from.take<std::uint64_t>(); }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void save_part(saved_state& to) const override { put(to, count_); }
  void join_part(saved_reader& from) override { count_ += from.take<std::uint64_t>(); }

 private:
  std::vector<result_field> fields_;
  std::uint64_t count_ = 0;
};

}  // namespace

std::unique_ptr<folding> make_moments(std::vector<std::string> const& names,
                                      folding_settings const& settings) {
  folding_shape shape{io::dtype::f64, {}, names.front()};
  for (auto const& name : names) {
    refuse_initial(name, settings);
    shape.fields.push_back({name, name == "count" ? io::dtype::u64 : io::dtype::f64});
  }
  bool const only_count = std::ranges::count(names, "count") == std::ssize(names);
  if (only_count && settings.on_gpu == nullptr)
    return std::make_unique<count_folding>(std::move(shape.fields));
  return std::make_unique<moments_folding>(moments{}, std::move(shape), std::nullopt, settings);
}

}  // namespace upsweep::cli
