/// Streams of statistics: moments of one column or of two, of which all that are requested are made
/// in one pass, and means of functions.
#include <upsweep/by_name/streams/stream_of.hpp>
#include <upsweep/ops/central_moments.hpp>
#include <upsweep/ops/comoments.hpp>
#include <upsweep/ops/means.hpp>
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
template <class Total>
struct statistics {
  using stored = Total;
  std::vector<catalog::id> wanted;

  void put(std::span<Total const> totals, any_stream::results out) const {
    for (std::size_t f = 0; f < out.size(); ++f) {
      auto const id = wanted[f];
      if (id == catalog::id::count) {
        if constexpr (requires(Total const& t) { count_of(t); })
          std::ranges::transform(totals, static_cast<std::uint64_t*>(out[f]),
                                 [](Total const& t) { return count_of(t); });
      } else {
        std::ranges::transform(totals, static_cast<double*>(out[f]),
                               [&](Total const& t) { return statistic(id, t); });
      }
    }
  }
};

/// The column of means of a function, of totals with a scale.
template <class Total>
struct wide_means {
  using stored = Total;

  void put(std::span<Total const> totals, any_stream::results out) const {
    std::ranges::transform(totals, static_cast<double*>(out[0]),
                           [](Total const& t) { return mean_of(t); });
  }
};

/// The results are those of wide_range<Op> if an element needs a scale. `Results` makes columns of
/// plain totals, and `WideResults` of those with a scale.
template <class Op, class T, class Results, class WideResults>
class statistics_stream final : public stream_of<Op, T, Results> {
  using base = stream_of<Op, T, Results>;
  using total = accumulator_t<Op, T>;

 public:
  statistics_stream(stream_options const& how, Results plain, WideResults wide)
      : base(Op{}, std::nullopt, how, std::move(plain)),
        how_(how),
        wide_results_(std::move(wide)) {}

  void restart(std::size_t position) override {
    base::restart(position);
    wide_.reset();
  }
  void push(any_stream::columns in, std::size_t n) override {
    auto const elements = this->elements_.read(in, n);
    begin_if_wide(elements);
    if (wide_) wide_->push_elements(elements);
    base::push_elements(elements);
  }
  void scan(scan_kind kind, any_stream::columns in, std::size_t n,
            any_stream::results out) override {
    begin_if_wide(this->elements_.read(in, n));
    base::scan(kind, in, n, out);
    if (wide_) wide_->scan(kind, in, n, out);
  }
  void result(any_stream::results out) override { wide_ ? wide_->result(out) : base::result(out); }

  void save(std::vector<std::byte>& to) const override {
    base::save(to);
    to.push_back(std::byte{wide_.has_value()});
    if (wide_) wide_->save(to);
  }
  std::size_t resume(std::span<std::byte const> from) override {
    std::size_t const plain = base::resume(from);
    if (from[plain] == std::byte{0}) return plain + 1;
    begin_wide();
    return plain + 1 + wide_->resume(from.subspan(plain + 1));
  }
  /// The plain totals, then those with a scale, if there are any.
  [[nodiscard]] stream_part part() const override {
    auto all = base::part();
    if (!wide_) return all;
    auto const scaled = wide_->part().totals;
    all.totals.insert(all.totals.end(), scaled.begin(), scaled.end());
    return all;
  }
  void append(stream_part const& later) override {
    auto plain = later, scaled = later;
    auto const border = std::min(later.totals.size(), size_of_totals(later));
    plain.totals.resize(border);
    scaled.totals.erase(scaled.totals.begin(), scaled.totals.begin() + std::ptrdiff_t(border));
    auto const totals = this->read(plain);
    if (!wide_ && !scaled.totals.empty()) begin_wide();
    if (wide_)
      wide_->append(scaled.totals.empty() ? wide_->converted(totals, wide_range<Op>::of_plain)
                                          : wide_->read(scaled));
    base::append(totals);
  }

 private:
  using wide_stream = stream_of<wide_range<Op>, T, WideResults>;

  static std::size_t size_of_totals(stream_part const& of) {
    detail::bytes::writer number, one;
    number.number(std::uint64_t{});
    one.value(total{});
    return number.take().size() + partial<T, Op>::blocks_of(of.begin, of.end) * one.take().size();
  }
  /// From the first element on that has a scale, `wide_` goes on from the blocks so far.
  void begin_if_wide(std::span<T const> elements) {
    if (!wide_ && !std::ranges::all_of(elements, detail::needs_no_scale<Op, T>)) begin_wide();
  }
  void begin_wide() {
    wide_.emplace(wide_range<Op>{}, std::nullopt, how_, wide_results_);
    wide_->begin_after(*this, wide_range<Op>::of_plain);
  }

  stream_options how_;
  WideResults wide_results_;
  std::optional<wide_stream> wide_;
};

template <class Op, class T = double>
stream_pointer make(std::span<catalog::id const> wanted, stream_options const& how) {
  using plain = statistics<accumulator_t<Op, T>>;
  using wide = statistics<accumulator_t<wide_range<Op>, T>>;
  std::vector<catalog::id> const all(wanted.begin(), wanted.end());
  return std::make_unique<statistics_stream<Op, T, plain, wide>>(how, plain{all}, wide{all});
}

template <class Op>
stream_pointer make_mean(stream_options const& how) {
  if constexpr (requires { detail::scaling<Op>::step; }) {
    using plain = one_number<Op, double>;
    using wide = wide_means<accumulator_t<wide_range<Op>, double>>;
    return std::make_unique<statistics_stream<Op, double, plain, wide>>(how, plain{}, wide{});
  } else {
    return std::make_unique<stream_of<Op, double>>(Op{}, std::nullopt, how);
  }
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

stream_pointer stream_of_mean(function_mean which, stream_options const& how) {
  switch (which) {
    case function_mean::geometric:
      return make_mean<geometric_mean>(how);
    case function_mean::harmonic:
      return make_mean<harmonic_mean>(how);
    default:
      return make_mean<rms>(how);
  }
}

}  // namespace upsweep::dynamic
