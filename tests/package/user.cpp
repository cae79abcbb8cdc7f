/// User code, compiled to check for warnings: every verb and stream with operators of the library
/// and a user-defined one.
#include <upsweep/ops/laws.hpp>
#include <upsweep/ops/segmented.hpp>
#include <upsweep/upsweep.hpp>

#include <array>
#include <complex>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace {

/// Its comparison is not constexpr.
struct point {
  int x = 0, y = 0;
  bool operator==(point const& other) const { return x == other.x && y == other.y; }
};
struct join_points {
  point operator()(point const& a, point const& b) const {
    return {a.x + b.x, a.y > b.y ? a.y : b.y};
  }
};

/// Every call.
template <class T, class Op>
void every_call(Op const& op) {
  using R = upsweep::result_t<Op, T>;
  using A = upsweep::accumulator_t<Op, T>;
  std::vector<T> const x(7);
  std::vector<R> y(7);
  auto const same = [](T const& value) { return value; };
  (void)upsweep::reduce(x, op);
  (void)upsweep::transform_reduce(x, same, op);
  upsweep::inclusive_scan(x, y, op);
  upsweep::transform_inclusive_scan(x, y, same, op, {.reverse = true});
  upsweep::inclusive_scan(upsweep::serial{}, x, y, op);
  upsweep::scan_stream<T, Op> sums(op);
  sums.inclusive(std::span<T const>(x), std::span<R>(y));
  upsweep::reduce_stream<T, Op> total(op);
  total.push(std::span<T const>(x));
  (void)total.result();
  if constexpr (upsweep::monoid_over<Op, A>) {
    upsweep::exclusive_scan(x, y, op);
    sums.exclusive(std::span<T const>(x), std::span<R>(y));
  }
}

}  // namespace

void everything();
void everything() {
  every_call<float>(upsweep::plus{});
  every_call<std::int8_t>(upsweep::plus{});
  every_call<std::uint16_t>(upsweep::bit_xor{});
  every_call<upsweep::bfloat16>(upsweep::plus{});
  every_call<std::complex<double>>(upsweep::plus{});
  every_call<double>(upsweep::multiplies{});
  every_call<float>(upsweep::max_number{});
  every_call<unsigned>(upsweep::argmax{});
  every_call<int>(upsweep::minmax{});
  every_call<long>(upsweep::gcd{});
  every_call<double>(upsweep::moments{});
  every_call<double>(upsweep::log_sum_exp{});
  every_call<double>(upsweep::exact_sum{});
  every_call<int>(upsweep::checked_plus{});
  every_call<std::string>(upsweep::concat{});
  every_call<point>(upsweep::first{});
  every_call<upsweep::affine_map<float>>(upsweep::affine{});
  every_call<upsweep::matrix2x2<double>>(upsweep::matrix2x2_product{});
  every_call<float>(upsweep::tuple_of{upsweep::plus{}, upsweep::min{}});
  every_call<point>(join_points{});
  every_call<upsweep::flagged<point>>(upsweep::segmented(join_points{}));
  every_call<int>(upsweep::monoid([](int a, int b) { return a > b ? a : b; }, 0));
  (void)upsweep::check_monoid(upsweep::plus{}, std::vector<int>{1, 2, 3});
  std::array<double, 6> values{};
  upsweep::strided_view<double> const table(values.data(), {2, 3});
  upsweep::inclusive_scan(table, table, upsweep::plus{}, {.axis = 0});
}
