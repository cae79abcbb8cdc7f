/// Operators whose result holds several statistics: moments, of one column or of two. All that are
/// requested are made in one pass.
#include <cli/engine/typed_folding.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/weighted_moments.hpp>
#include <upsweep/ops/wide_range.hpp>
#include <upsweep/scan_stream.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::cli {

namespace {

constexpr double nan_of_nothing = std::numeric_limits<double>::quiet_NaN();

double statistic(catalog::id id, moments_of const& m) {
  using enum catalog::id;
  if (id == mean) return m.count > 0 ? m.mean : nan_of_nothing;
  if (id == var) return m.variance();
  if (id == catalog::id::std) return m.stddev();
  if (id == sample_var) return m.sample_variance();
  return m.sample_stddev();
}

double statistic(catalog::id id, central_moments_of const& m) {
  using enum catalog::id;
  if (id == skewness) return m.skewness();
  if (id == kurtosis) return m.kurtosis();
  if (id == sample_skewness) return m.sample_skewness();
  return m.sample_kurtosis();
}

double statistic(catalog::id id, comoments_of const& m) {
  using enum catalog::id;
  if (id == covariance) return m.covariance();
  if (id == sample_covariance) return m.sample_covariance();
  if (id == correlation) return m.correlation();
  if (id == slope) return m.slope();
  return m.intercept();
}

double statistic(catalog::id id, weighted_moments_of const& m) {
  using enum catalog::id;
  if (id == weighted_mean) return m.weight > 0 ? m.mean : nan_of_nothing;
  if (id == weighted_var) return m.variance();
  return m.stddev();
}

/// The same where powers of the elements are out of range.
template <class Op, class State>
double statistic(catalog::id id, wide_state<Op, State> const& s) {
  using enum catalog::id;
  if constexpr (std::is_same_v<Op, upsweep::moments>) {
    if (id == mean) return s.of.count > 0 ? mean_of(s) : nan_of_nothing;
    double const correction = id == sample_var || id == sample_std ? 1 : 0;
    return id == var || id == sample_var ? variance_of(s, correction) : stddev_of(s, correction);
  } else if constexpr (std::is_same_v<Op, upsweep::comoments>) {
    if (id == covariance || id == sample_covariance)
      return covariance_of(s, id == covariance ? 0 : 1);
    return id == correlation ? s.of.correlation() : id == slope ? slope_of(s) : intercept_of(s);
  } else if constexpr (std::is_same_v<Op, upsweep::weighted_moments>) {
    if (id == weighted_mean) return mean_of(s);
    return id == weighted_var ? variance_of(s) : stddev_of(s);
  } else {
    return statistic(id, s.of);  // of central moments, which do not depend on the scale
  }
}

/// Two columns as pairs.
struct pair_elements {
  using element = xy<double>;
  static std::span<element const> of(std::span<io::typed_column const> values,
                                     std::vector<element>& pairs) {
    auto const x = values[0].as<double>(), y = values[1].as<double>();
    pairs.resize(x.size());
    for (std::size_t i = 0; i < pairs.size(); ++i) pairs[i] = {x[i], y[i]};
    return pairs;
  }
};

std::uint64_t count_of(moments_of const& m) {
  return m.count;
}
std::uint64_t count_of(wide_state<moments, moments_of> const& s) {
  return s.of.count;
}

catalog::id id_of(std::string const& name) {
  return std::ranges::find(catalog::derived, name, &catalog::derived_entry::name)->id;
}

template <class Op, class Elements>
class summary_folding final : public streaming_folding<Op, Elements> {
 public:
  using total = accumulator_t<Op, typename Elements::element>;
  using streaming_folding<Op, Elements>::streaming_folding;

  void restart(std::uint64_t first_row) override {
    streaming_folding<Op, Elements>::restart(first_row);
    wide_.reset(), wide_scan_.reset();
    is_elsewhere_ = false;
  }
  void reduce(std::span<io::typed_column const> values) override {
    auto const elements = Elements::of(values, elements_);
    begin_if_wide(elements, wide_);
    if (wide_) wide_->push(elements);
    streaming_folding<Op, Elements>::reduce(values);
  }
  void scan(scan_kind kind, std::span<io::typed_column const> values,
            std::span<column_buffer> results) override {
    auto const elements = Elements::of(values, elements_);
    begin_if_wide(elements, wide_scan_);
    totals_.resize(elements.size());
    this->scan_into(kind, values, std::span(totals_));
    if (!wide_scan_) return put(std::span<total const>(totals_), results);
    wide_totals_.resize(elements.size());
    if (kind == scan_kind::inclusive)
      wide_scan_->inclusive(elements, wide_totals_);
    else
      wide_scan_->exclusive(elements, wide_totals_);
    put(std::span<wide_total const>(wide_totals_), results);
  }
  void result(std::span<column_buffer> results) override {
    total const all = this->reduced();
    if (!wide_) return put(std::span(&all, 1), results);
    auto const scaled = wide_->result();
    put(std::span(&scaled, 1), results);
  }

 private:
  using wide_total = accumulator_t<wide_range<Op>, typename Elements::element>;

  /// From the first element on that has a scale, `wide` goes on from the blocks so far.
  template <class Stream>
  void begin_if_wide(std::span<typename Elements::element const> elements,
                     std::optional<Stream>& wide) {
    if (wide || is_elsewhere_ ||
        std::ranges::all_of(elements, detail::needs_no_scale<Op, typename Elements::element>))
      return;
    wide.emplace();
    is_elsewhere_ = !this->each_block([&](int k, total const& block) {
      bool const is_zero = block == op_over_zeros(block);
      wide->append_block(k, is_zero ? wide_total{block} : wide_total{block, 0, 0});
    });
    if (is_elsewhere_) wide.reset();
  }
  /// The total of as many zeros.
  static total op_over_zeros(total const& like) {
    total zeros{};
    if constexpr (requires { like.count; })
      zeros.count = like.count;
    else
      zeros.weight = like.weight;
    return zeros;
  }

  template <class Total>
  void put(std::span<Total const> totals, std::span<column_buffer> results) const {
    for (std::size_t f = 0; f < results.size(); ++f) {
      auto const id = id_of(this->fields()[f].name);
      if (id == catalog::id::count) {
        if constexpr (std::is_same_v<Op, moments>)
          std::ranges::transform(totals,
                                 results[f].template extend<std::uint64_t>(totals.size()).begin(),
                                 [](Total const& t) { return count_of(t); });
      } else {
        std::ranges::transform(totals, results[f].template extend<double>(totals.size()).begin(),
                               [&](Total const& t) { return statistic(id, t); });
      }
    }
  }
  std::vector<total> totals_;
  std::vector<wide_total> wide_totals_;
  std::vector<typename Elements::element> elements_;
  std::optional<reduce_stream<typename Elements::element, wide_range<Op>, serial>> wide_;
  std::optional<scan_stream<typename Elements::element, wide_range<Op>, serial>> wide_scan_;
  bool is_elsewhere_ = false;  // the blocks so far, so that there is no wide_
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
  [[nodiscard]] std::uint64_t position() const noexcept override { return count_; }
  [[nodiscard]] bool takes_piece(piece /*of*/) const noexcept override { return true; }
  void save_part(saved_state& to) const override { put(to, count_); }
  void join_part(saved_reader& from) override { count_ += from.take<std::uint64_t>(); }

 private:
  std::vector<result_field> fields_;
  std::uint64_t count_ = 0;
};

template <class Op, class Elements = plain_elements<double>>
std::unique_ptr<folding> make(folding_shape shape, folding_settings const& settings) {
  return std::make_unique<summary_folding<Op, Elements>>(Op{}, std::move(shape), std::nullopt,
                                                         settings);
}

}  // namespace

std::optional<catalog::id> summary_of(catalog::id id) {
  using enum catalog::id;
  auto const found = std::ranges::find(catalog::derived, id, &catalog::derived_entry::id);
  if (found == catalog::derived.end() || found->from == affine) return {};
  return found->from;
}

std::unique_ptr<folding> make_summary(catalog::id summary, std::vector<std::string> const& names,
                                      folding_settings const& settings) {
  folding_shape shape{io::dtype::f64, {}, names.front()};
  for (auto const& name : names) {
    refuse_initial(name, settings);
    shape.fields.push_back({name, name == "count" ? io::dtype::u64 : io::dtype::f64});
  }
  bool const only_count = std::ranges::count(names, "count") == std::ssize(names);
  if (only_count && settings.on_gpu == nullptr)
    return std::make_unique<count_folding>(std::move(shape.fields));
  switch (summary) {
    case catalog::id::central_moments:
      return make<central_moments>(std::move(shape), settings);
    case catalog::id::comoments:
      return make<comoments, pair_elements>(std::move(shape), settings);
    case catalog::id::weighted_moments:
      return make<weighted_moments, pair_elements>(std::move(shape), settings);
    default:
      return make<moments>(std::move(shape), settings);
  }
}

}  // namespace upsweep::cli
