/// Streams of statistics: moments of one column or of two. All that are requested are made in one
/// pass.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/moments.hpp>
#include <upsweep/ops/weighted_moments.hpp>
#include <upsweep/ops/wide_range.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::dynamic {
namespace {

constexpr double nan_of_nothing = std::numeric_limits<double>::quiet_NaN();

double statistic(catalog::id id, detail::moments_of const& m) {
  using enum catalog::id;
  if (id == mean) return m.count > 0 ? m.mean : nan_of_nothing;
  if (id == var) return m.variance();
  if (id == catalog::id::std) return m.stddev();
  if (id == sample_var) return m.sample_variance();
  return m.sample_stddev();
}

double statistic(catalog::id id, detail::central_moments_of const& m) {
  using enum catalog::id;
  if (id == skewness) return m.skewness();
  if (id == kurtosis) return m.kurtosis();
  if (id == sample_skewness) return m.sample_skewness();
  return m.sample_kurtosis();
}

double statistic(catalog::id id, detail::comoments_of const& m) {
  using enum catalog::id;
  if (id == covariance) return m.covariance();
  if (id == sample_covariance) return m.sample_covariance();
  if (id == correlation) return m.correlation();
  if (id == slope) return m.slope();
  return m.intercept();
}

double statistic(catalog::id id, detail::weighted_moments_of const& m) {
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

std::uint64_t count_of(detail::moments_of const& m) {
  return m.count;
}
std::uint64_t count_of(wide_state<moments, detail::moments_of> const& s) {
  return s.of.count;
}

/// One column for each of `wanted`.
template <class Op, class T>
struct statistics {
  using stored = accumulator_t<Op, T>;
  std::vector<catalog::id> wanted;

  template <class Total>
  void put(std::span<Total const> totals, any_stream::results out) const {
    for (std::size_t f = 0; f < out.size(); ++f) {
      auto const id = wanted[f];
      if (id == catalog::id::count) {
        if constexpr (std::is_same_v<Op, moments>)
          std::ranges::transform(totals, static_cast<std::uint64_t*>(out[f]),
                                 [](Total const& t) { return count_of(t); });
      } else {
        std::ranges::transform(totals, static_cast<double*>(out[f]),
                               [&](Total const& t) { return statistic(id, t); });
      }
    }
  }
};

/// The results are those of wide_range<Op> if an element needs a scale.
template <class Op, class T>
class statistics_stream final : public stream_of<Op, T, statistics<Op, T>> {
  using base = stream_of<Op, T, statistics<Op, T>>;
  using total = accumulator_t<Op, T>;

 public:
  using base::base;

  void restart(std::size_t position) override {
    base::restart(position);
    wide_.reset(), wide_scan_.reset();
    is_elsewhere_ = false;
  }
  void push(any_stream::columns in, std::size_t n) override {
    auto const elements = this->elements_.read(in, n);
    begin_if_wide(elements, wide_);
    if (wide_) wide_->push(elements);
    this->push_elements(elements);
  }
  void scan(scan_kind kind, any_stream::columns in, std::size_t n,
            any_stream::results out) override {
    auto const elements = this->elements_.read(in, n);
    begin_if_wide(elements, wide_scan_);
    if (wide_scan_) {
      wide_totals_.resize(n);
      if (kind == scan_kind::inclusive)
        wide_scan_->inclusive(elements, wide_totals_);
      else
        wide_scan_->exclusive(elements, wide_totals_);
    }
    base::scan(kind, in, n, out);
    if (wide_scan_) this->results_.put(std::span<wide_total const>(wide_totals_), out);
  }
  void result(any_stream::results out) override {
    if (!wide_) return base::result(out);
    auto const scaled = wide_->result();
    this->results_.put(std::span(&scaled, 1), out);
  }

 private:
  using wide_total = accumulator_t<wide_range<Op>, T>;

  /// From the first element on that has a scale, `wide` goes on from the blocks so far.
  template <class Stream>
  void begin_if_wide(std::span<T const> elements, std::optional<Stream>& wide) {
    if (wide || is_elsewhere_ || std::ranges::all_of(elements, detail::needs_no_scale<Op, T>))
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

  std::optional<reduce_stream<T, wide_range<Op>, serial>> wide_;
  std::optional<scan_stream<T, wide_range<Op>, serial>> wide_scan_;
  std::vector<wide_total> wide_totals_;
  bool is_elsewhere_ = false;  // the blocks so far, so that there is no wide_
};

template <class Op, class T = double>
stream_pointer make(std::span<catalog::id const> wanted, stream_options const& how) {
  return std::make_unique<statistics_stream<Op, T>>(
      Op{}, std::nullopt, how, statistics<Op, T>{{wanted.begin(), wanted.end()}});
}

}  // namespace

stream_pointer stream_of_statistics(catalog::id from, std::span<catalog::id const> wanted,
                                    stream_options const& how) {
  switch (from) {
    case catalog::id::central_moments:
      return make<central_moments>(wanted, how);
    case catalog::id::comoments:
      return make<comoments, xy<double>>(wanted, how);
    case catalog::id::weighted_moments:
      return make<weighted_moments, xy<double>>(wanted, how);
    default:
      return make<moments>(wanted, how);
  }
}

}  // namespace upsweep::dynamic
