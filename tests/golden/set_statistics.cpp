/// Cases of the golden set: operators with several numbers in their accumulators, and results that
/// are derived from them.
#include "set_whole.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::golden_set {

namespace {

template <class... T>
using of = types<T...>;

template <class Op, class T, class F>
result_text derived(cpu const& on, call_case const& c, F const& result) {
  if (!c.is("type", type_name<T>())) return {};
  Op const op;
  inputs<Op, T> const in(op, c);
  return listed(std::span<double const>{{result(upsweep::reduce(on, in.x, op))}});
}

template <class T>
result_text derived_of_numbers(cpu const& on, call_case const& c) {
  using m = detail::moments_of;
  using k = detail::central_moments_of;
  std::pair<char const*, double (*)(m const&)> const of_moments[] = {
      {"mean", [](m const& r) { return r.mean; }},
      {"var", [](m const& r) { return r.variance(); }},
      {"std", [](m const& r) { return r.stddev(); }},
      {"sample-var", [](m const& r) { return r.sample_variance(); }},
      {"sample-std", [](m const& r) { return r.sample_stddev(); }}};
  std::pair<char const*, double (*)(k const&)> const of_central_moments[] = {
      {"skewness", [](k const& r) { return r.skewness(); }},
      {"kurtosis", [](k const& r) { return r.kurtosis(); }},
      {"sample-skewness", [](k const& r) { return r.sample_skewness(); }},
      {"sample-kurtosis", [](k const& r) { return r.sample_kurtosis(); }}};
  for (auto const& [name, result] : of_moments)
    if (c.is("op", name)) return derived<moments, T>(on, c, result);
  for (auto const& [name, result] : of_central_moments)
    if (c.is("op", name)) return derived<central_moments, T>(on, c, result);
  return {};
}

result_text derived_of_pairs(cpu const& on, call_case const& c) {
  using p = detail::comoments_of;
  using w = detail::weighted_moments_of;
  std::pair<char const*, double (*)(p const&)> const of_comoments[] = {
      {"covariance", [](p const& r) { return r.covariance(); }},
      {"sample-covariance", [](p const& r) { return r.sample_covariance(); }},
      {"correlation", [](p const& r) { return r.correlation(); }},
      {"slope", [](p const& r) { return r.slope(); }},
      {"intercept", [](p const& r) { return r.intercept(); }}};
  std::pair<char const*, double (*)(w const&)> const of_weighted_moments[] = {
      {"weighted-mean", [](w const& r) { return r.mean; }},
      {"weighted-var", [](w const& r) { return r.variance(); }},
      {"weighted-std", [](w const& r) { return r.stddev(); }}};
  for (auto const& [name, result] : of_comoments)
    if (c.is("op", name)) return derived<comoments, xy<double>>(on, c, result);
  for (auto const& [name, result] : of_weighted_moments)
    if (c.is("op", name)) return derived<weighted_moments, xy<double>>(on, c, result);
  return {};
}

/// Strings of up to three letters, one after the other.
result_text concatenated(cpu const& on, call_case const& c) {
  if (!c.is("op", "concat")) return {};
  std::vector<std::string> x(c.n());
  for (std::size_t i = 0; i < x.size(); ++i) {
    std::uint64_t const u = word(x.size(), 2 * i), v = word(x.size(), 2 * i + 1);
    for (std::uint64_t j = 0; j < u % 4; ++j)
      x[i] += static_cast<char>('a' + (v >> 8 * j & 255) % 26);
  }
  std::string const joined = upsweep::reduce(on, x, concat{});
  return moved(std::vector<std::uint8_t>(joined.begin(), joined.end()));
}

}  // namespace

result_text statistics_case(cpu const& on, call_case const& c) {
  using i8 = std::int8_t;
  using i16 = std::int16_t;
  using i32 = std::int32_t;
  using i64 = std::int64_t;
  using u32 = std::uint32_t;
  using u64 = std::uint64_t;
  using rows =
      table<over<of<minmax>, of<i16, u64, bfloat16, float>>, over<of<first, last>, of<i32, double>>,
            over<of<log_sum_exp>, dynamic::join<dynamic::floats, of<i16, u32, i64>>>,
            over<of<moments>, dynamic::numbers>,
            over<of<central_moments>, of<i8, u64, float16, float, double>>,
            over<of<comoments>, of<xy<float>, xy<double>, xy<i32>>>,
            over<of<weighted_moments>, of<xy<float>, xy<double>>>,
            over<of<affine>, of<affine_map<float>, affine_map<double>, affine_map<i32>,
                                affine_map<u64>, affine_map<float16>, affine_map<bfloat16>>>,
            over<of<matrix2x2_product>, of<matrix2x2<float>, matrix2x2<double>, matrix2x2<i64>>>,
            over<of<drawdown>, of<float, double>>, over<of<sessions<i64>, run_number>, of<i64>>,
            over<of<harmonic_mean, rms>, of<double>>>;
  if (!is_whole(c)) return {};
  if (c.verb == "reduce") {
    if (auto text = concatenated(on, c)) return text;
    if (auto text = derived_of_numbers<std::int32_t>(on, c)) return text;
    if (auto text = derived_of_numbers<double>(on, c)) return text;
    if (auto text = derived_of_pairs(on, c)) return text;
  }
  return run_whole<rows>(on, c);
}

}  // namespace upsweep::golden_set
