/// Reductions and scans of every type of number, in every form: one of the files of a program that
/// tests/package/compilers_test.py compiles with each compiler against the library of the default
/// one.
#include "check.hpp"

#include <upsweep/ops/recurrence.hpp>
#include <upsweep/upsweep.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace {

/// Small integers, which sums and products of floats hold exactly in any order.
template <class T>
std::vector<T> small_numbers(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(static_cast<float>(i * 7 % 5));
  return x;
}

/// 1000 elements in one thread, and enough for several in four.
template <class T, class R, class Op, class Combine>
void check_operator(char const* what, Op const& op, R first, Combine const& combine) {
  for (std::size_t const n : {std::size_t{1000}, std::size_t{1} << 17}) {
    // Sums of 16-bit floats end where integers are no longer exact.
    bool const narrow = upsweep::detail::is_narrow_float<R>;
    std::vector<T> const x = small_numbers<T>(narrow ? 100 : n);
    std::vector<R> inclusive, exclusive;
    R total = first;
    for (T const e : x) {
      exclusive.push_back(total);
      inclusive.push_back(total = static_cast<R>(combine(total, static_cast<R>(e))));
    }
    upsweep::cpu const on{.threads = n == 1000 ? 1 : 4};
    check(what, static_cast<R>(upsweep::reduce(on, x, op)), total);
    std::vector<R> out(x.size());
    upsweep::inclusive_scan(on, x, out, op);
    check(what, out, inclusive);
    upsweep::exclusive_scan(on, x, out, op);
    check(what, out, exclusive);
  }
}

template <class T>
void check_sums(char const* type) {
  // In the type of the sums, and stored in the type of the elements.
  using sum = upsweep::result_t<upsweep::plus, T>;
  auto const add = [](auto a, auto b) { return a + b; };
  check_operator<T, sum>(type, upsweep::plus{}, sum{0}, add);
  if constexpr (!upsweep::detail::is_float<T>)
    check_operator<T, T>(type, upsweep::plus{}, T{0}, add);
}
template <class T>
void check_integers(char const* type) {
  check_sums<T>(type);
  check_operator<T, T>(type, upsweep::bit_xor{}, T{0}, [](T a, T b) { return a ^ b; });
  check_operator<T, T>(type, upsweep::max{}, upsweep::detail::order::least<T>(),
                       [](T a, T b) { return a < b ? b : a; });
}

void check_numbers() {
  check_integers<std::int8_t>("i8");
  check_integers<std::int16_t>("i16");
  check_integers<std::int32_t>("i32");
  check_integers<std::int64_t>("i64");
  check_integers<std::uint8_t>("u8");
  check_integers<std::uint16_t>("u16");
  check_integers<std::uint32_t>("u32");
  check_integers<std::uint64_t>("u64");
  check_sums<float>("f32");
  check_sums<double>("f64");
  check_sums<upsweep::bfloat16>("bf16");
#ifdef UPSWEEP_HAS_FLOAT16
  check_sums<upsweep::float16>("f16");
#endif
  auto const smaller = [](auto a, auto b) { return b < a ? b : a; };
  check_operator<float, float>("min", upsweep::min{}, HUGE_VALF, smaller);
  auto const times = [](auto a, auto b) { return a * b; };
  check_operator<std::uint32_t, std::uint64_t>("product", upsweep::multiplies{}, 1, times);
  check_operator<double, double>("product", upsweep::multiplies{}, 1, times);
}

void check_wider_and_transformed() {
  std::vector<std::uint8_t> const bytes(1000, 200);
  std::vector<std::uint16_t> words(1000);
  upsweep::inclusive_scan(bytes, words);
  check("u8 to u16", words[9], 2000);
  std::vector<double> doubles(1000);
  upsweep::inclusive_scan(bytes, doubles);
  check("u8 to f64", doubles[999], 200000.0);

  std::vector<float> const halves(1000000, 0.5f), twos(1000000, 2.0f);
  auto const three_squares = [](float v) { return 3 * v * v; };
  check("3 v v", upsweep::transform_reduce(halves, three_squares), 750000.0f);
  auto const product = [](float a, float b) { return a * b; };
  check("dot", upsweep::transform_reduce(halves, twos, product), 1000000.0f);
  std::vector<float> out(1000000);
  upsweep::transform_inclusive_scan(halves, out, three_squares, upsweep::plus{},
                                    {.initial = 10.0f, .reverse = true});
  check("reversed", out[0], 750010.0f);
  check("reversed", out[999999], 10.75f);
}

/// x -> a x + b, which do not commute.
struct map {
  std::uint32_t a = 1, b = 0;
  bool operator==(map const&) const = default;
};
struct then {
  map operator()(map const& f, map const& g) const { return {f.a * g.a, g.a * f.b + g.b}; }
  [[nodiscard]] map identity() const { return {}; }
};

void check_operators_of_a_user() {
  std::vector<map> maps(1u << 17);
  std::vector<upsweep::affine_map<double>> recurrence(1000);
  std::uint32_t x = 12345;
  std::vector<std::uint32_t> values;
  for (map& m : maps) {
    m = {2 * x + 1, x >> 3};
    x = x * 1664525 + 1013904223;
  }
  std::uint32_t value = 77;
  for (map const& m : maps) values.push_back(value = m.a * value + m.b);
  std::vector<map> prefixes(maps.size());
  for (int const threads : {1, 4}) {
    upsweep::inclusive_scan({.threads = threads}, maps, prefixes, then{}, {.initial = map{0, 77}});
    for (std::size_t i = 0; i < maps.size(); ++i) check("maps", prefixes[i].b, values[i]);
    check("maps", upsweep::reduce({.threads = threads}, maps, then{}, {.initial = map{0, 77}}).b,
          values.back());
  }
  for (auto& m : recurrence) m = {0.5, 4.0};
  std::vector<double> out(1000);
  upsweep::inclusive_scan(recurrence, out, upsweep::affine{});
  check("affine", out[0], 4.0);
  check("affine", out[2], 7.0);
  std::vector<std::string> const letters{"a", "b", "c"};
  check("concat", upsweep::reduce(letters, upsweep::concat{}), std::string("abc"));
}

void check_wide_accumulators() {
  std::vector<double> const x{1, 2, 3, 4, 1e16, -1e16};
  check("exact", upsweep::reduce(x, upsweep::exact_sum{}), 10.0);
  std::vector<double> sums(6);
  upsweep::inclusive_scan(x, sums, upsweep::exact_sum{});
  check("exact", sums, std::vector<double>{1, 3, 6, 10, 1e16 + 10, 10});
  std::vector<float> const y{3, 1, 4, 1, 5, 9, 2, 6};
  check("mean", upsweep::reduce(y, upsweep::moments{}).mean, 3.875);
  std::vector<upsweep::detail::moments_of> prefixes(8);
  upsweep::inclusive_scan(y, prefixes, upsweep::moments{});
  check("means", prefixes[1].mean, 2.0);
  check("argmax", upsweep::reduce(y, upsweep::argmax{}).index, std::size_t{5});
  std::vector<std::size_t> at(8);
  upsweep::inclusive_scan(y, at, upsweep::argmin{});
  check("argmin", at, std::vector<std::size_t>{0, 1, 1, 1, 1, 1, 1, 1});
  std::vector<float> const zeros(4, 0.0f);
  double const log_of_4 = upsweep::reduce(zeros, upsweep::log_sum_exp{});
  check("log_sum_exp", log_of_4 > 1.386294 && log_of_4 < 1.386295, true);
  std::vector<bool> const flags{true, true, false};
  check("all", upsweep::reduce(flags, upsweep::logical_and{}), false);
  check("count", static_cast<int>(upsweep::reduce(flags)), 2);
  upsweep::recurrence<1, double> const smooth({0.5});
  std::vector<double> const steps(3, 8.0);
  std::vector<double> smoothed(3);
  upsweep::inclusive_scan(steps, smoothed, smooth);
  check("recurrence", smoothed, std::vector<double>{8, 12, 14});
  std::vector<double> distribution(4);
  upsweep::cumulative_distribution(std::vector<double>{1, 2, 0, 3}, distribution);
  check("distribution", distribution, std::vector<double>{1, 3, 3, 6});
}

void check_errors() {
  try {
    std::int64_t const large = std::int64_t{1} << 62;
    std::vector<std::int64_t> const x{large, 100, large};
    std::vector<std::int64_t> out(3);
    upsweep::inclusive_scan(x, out, upsweep::checked_plus{});
    check("overflow is thrown", false, true);
  } catch (upsweep::overflow_error const& e) {
    check("overflow's index", e.index(), std::size_t{2});
  }
  try {
    std::vector<int> const x(4);
    std::vector<int> out(3);
    upsweep::inclusive_scan(x, out);
    check("a wrong size is thrown", false, true);
  } catch (upsweep::precondition_error const& e) {
    check("its sentence", std::string(e.what()).substr(0, 15), std::string("inclusive_scan:"));
  }
}

}  // namespace

void check_reductions_and_scans() {
  check_numbers();
  check_wider_and_transformed();
  check_operators_of_a_user();
  check_wide_accumulators();
  check_errors();
}
