/// Functions of elements and of lines.
#include <simd/every_target.hpp>
#include <support/bits.hpp>
#include <support/lane_types.hpp>
#include <support/line_formulas.hpp>
#include <support/random.hpp>
#include <upsweep/core/log_of_sum.hpp>
#include <upsweep/core/quick_functions.hpp>
#include <upsweep/host/line_functions.hpp>
#include <upsweep/host/simd/loops.hpp>
#include <upsweep/ops/log_sum_exp.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

// Functions of elements on lanes: the bits of the portable functions of one number, with every
// SIMD target.

using host::simd::element_function;

struct named_function {
  element_function function;
  double (*of)(double);
};
named_function const all_functions[] = {{element_function::exp, detail::portable::exp},
                                        {element_function::log, detail::portable::log},
                                        {element_function::softplus, detail::portable::softplus},
                                        {element_function::logistic, detail::portable::logistic}};

/// Checks all functions of x, also in its own memory.
template <class T>
void expect_portable(std::vector<T> const& x) {
  for (auto const& [function, of] : all_functions) {
    std::vector<T> y(x.size()), in_place = x;
    host::simd::map_elements(function, x.data(), y.data(), x.size());
    host::simd::map_elements(function, in_place.data(), in_place.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(same_bits(y[i], static_cast<T>(of(static_cast<double>(x[i])))))
          << shown(x[i]) << " gives " << shown(y[i]) << ", function " << static_cast<int>(function);
      ASSERT_TRUE(same_bits(in_place[i], y[i])) << shown(x[i]);
    }
  }
}

template <class T>
class element_functions : public testing::Test {};
using real_types = testing::Types<float, double>;
TYPED_TEST_SUITE(element_functions, real_types);

TYPED_TEST(element_functions, have_the_portable_bits_of_every_magnitude) {
  using T = TypeParam;
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  random_bits next(test_seed());
  std::vector<T> x;
  auto const ranges = {1.0, 30.0, 90.0, 110.0, 700.0, 760.0};
  for (int i = 0; i < 1 << 15; ++i) {
    x.push_back(__builtin_bit_cast(T, static_cast<bits>(next())));
    double const u = 2 * static_cast<double>(next() >> 11) * 0x1p-53 - 1;
    for (double const range : ranges) x.push_back(static_cast<T>(range * u));
    // Beside the powers of 2 and their roots, where logarithms change their formula.
    x.push_back(static_cast<T>(
        std::ldexp(std::sqrt(0.5) * (1 + u * 0x1p-20), static_cast<int>(next.below(120)) - 60)));
    x.push_back(static_cast<T>(1 + std::ldexp(u, -static_cast<int>(next.below(50)))));
  }
  for_each_target([&] { expect_portable(x); });
}

/// A special value among regular ones, at each position of a few registers, does not change those
/// beside it.
TYPED_TEST(element_functions, take_special_values_at_every_position) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  for_each_target([] {
    for (T const special : {T{0},
                            -T{0},
                            limits::infinity(),
                            -limits::infinity(),
                            limits::quiet_NaN(),
                            limits::max(),
                            limits::lowest(),
                            limits::min(),
                            limits::denorm_min(),
                            -limits::denorm_min(),
                            T(-87.5),
                            T(-103),
                            T(-105),
                            T(88.5),
                            T(89),
                            T(-701),
                            T(-745),
                            T(-747),
                            T(701),
                            T(710)})
      for (std::size_t n = 1; n <= 70; n += n < 8 ? 1 : 31)
        for (std::size_t at = 0; at < n; ++at) {
          std::vector<T> x(n, T(0.75));
          x[at] = special;
          expect_portable(x);
          if (testing::Test::HasFatalFailure()) return;
        }
  });
}

TEST(element_functions_of_floats, have_the_portable_bits_of_every_1009th_float) {
  std::vector<float> x;
  for (std::uint64_t bits = 0; bits < std::uint64_t{1} << 32; bits += 1009)
    x.push_back(__builtin_bit_cast(float, static_cast<std::uint32_t>(bits)));
  expect_portable(x);
}

TEST(element_functions_of_floats, store_nothing_beyond_the_end) {
  for_each_target([] {
    for (std::size_t n = 0; n <= 40; ++n) {
      std::vector<float> const x(n, 0.5F);
      std::vector<float> y(n + 40, 7.0F);
      host::simd::map_elements(element_function::exp, x.data(), y.data(), n);
      for (std::size_t i = n; i < y.size(); ++i) ASSERT_EQ(y[i], 7.0F) << n;
    }
  });
}

// Softmax, norms, variances and gradients of lines on CPUs: the bits of the formulas with
// the sums of the reference, with every SIMD target, on one thread and on several.

using enum host::line_function_name;
using host::line_function_name;

template <class Formula, line_function_name forward_of, line_function_name backward_of, class E,
          class A>
struct case_of {
  using formula = Formula;
  using element = E;
  using number = A;
  static constexpr auto forward = forward_of, backward = backward_of;
  static constexpr bool has_forward = forward_of != backward_of;
};
template <class E, class A>
using softmax_of_type = case_of<softmax_formula, softmax, softmax_gradient, E, A>;
template <class E, class A>
using rms_norm_of_type = case_of<rms_norm_formula, rms_norm, rms_norm_gradient, E, A>;
template <class E, class A>
using variance_of_type = case_of<variance_formula, variance, variance_gradient, E, A>;
template <class E, class A>
using logsumexp_of_type = case_of<logsumexp_formula, logsumexp_gradient, logsumexp_gradient, E, A>;
template <class E, class A>
using log_softmax_of_type =
    case_of<log_softmax_formula, log_softmax_gradient, log_softmax_gradient, E, A>;

template <class Case>
constexpr auto parameter_of = [] {
  using A = typename Case::number;
  return std::is_same_v<typename Case::formula, rms_norm_formula> ? A{1} / 1024 : A{2.5};
}();
template <class Case>
using lines_of =
    random_lines<typename Case::formula, typename Case::element, typename Case::number>;

template <class Case>
void expect_functions(lines_of<Case> const& given, cpu const& on) {
  using formula = typename Case::formula;
  using E = typename Case::element;
  using A = typename Case::number;
  std::vector<A> left(2 * given.count);
  std::vector<E> out(given.count * given.size);
  host::line_functions call{Case::forward,
                            lane_type_of<E>,
                            given.x.data(),
                            nullptr,
                            given.w.empty() ? nullptr : given.w.data(),
                            left.data(),
                            out.data(),
                            given.count,
                            given.size,
                            double{parameter_of<Case>}};
  if constexpr (Case::has_forward) {
    host::run(on, call);
    given.expect_left(left);
    if constexpr (formula::forward::has_results)
      given.expect_results(out, [](one_line<A> const& line) { return line.y; });
  } else {
    for (std::size_t k = 0; k < given.count; ++k) left[k] = given.lines[k].shift;
  }
  call.name = Case::backward;
  call.gradient = given.g.data();
  host::run(on, call);
  given.expect_results(out, [](one_line<A> const& line) { return formula::gradient(line); });
}

template <class Case>
class line_functions : public testing::Test {};
using cases =
    testing::Types<softmax_of_type<float, float>, softmax_of_type<bfloat16, float>,
                   softmax_of_type<half_float, float>, softmax_of_type<double, double>,
                   rms_norm_of_type<float, double>, rms_norm_of_type<bfloat16, float>,
                   rms_norm_of_type<double, double>, variance_of_type<float, double>,
                   variance_of_type<half_float, float>, variance_of_type<double, double>,
                   log_softmax_of_type<float, float>, log_softmax_of_type<bfloat16, float>,
                   logsumexp_of_type<bfloat16, float>, logsumexp_of_type<double, double>>;
TYPED_TEST_SUITE(line_functions, cases);

TYPED_TEST(line_functions, have_the_bits_of_their_formulas) {
  auto const expect = [](std::size_t count, std::size_t size, bool weighted) {
    SCOPED_TRACE(testing::Message()
                 << count << " lines of " << size << (weighted ? ", weighted" : ""));
    lines_of<TypeParam> const lines(count, size, weighted, parameter_of<TypeParam>,
                                    test_seed() + size);
    for_each_target([&] {
      for (int const threads : {1, 3}) expect_functions<TypeParam>(lines, {.threads = threads});
    });
  };
  for (std::size_t const size : {1u, 3u, 16u, 100u, 255u, 1023u, 1024u, 1025u, 2048u, 3001u})
    expect(size < 300 ? 6 : size < 1100 ? 5 : 2, size, size % 2 == 0);
  expect(1, 40000, true);  // each line on several threads
  expect(3, 9000, false);
  expect(40, 1500, true);  // each thread some lines
}

/// Elements and the logarithms of their sums, of lines of which one has a sum near 1, and others
/// special values.
template <class E>
void expect_logarithms(std::size_t count, std::size_t size, int threads) {
  using A = std::conditional_t<std::is_same_v<E, double>, double, float>;
  A const infinity = std::numeric_limits<A>::infinity();
  random_bits next(test_seed() + size);
  std::vector<E> x;
  for (std::size_t i = 0; i < count * size; ++i)
    x.push_back(E(static_cast<float>(static_cast<double>(next() >> 40) * 0x1p-21 - 4)));
  for (std::size_t i = 0; i < size; ++i) x[i] = i == size / 2 ? E(-1e-3F) : E(-30.0F);
  if (count > 4) {
    x[size + next.below(size)] = E(static_cast<float>(infinity));
    x[size * 2 + next.below(size)] = E(std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < size; ++i) x[size * 3 + i] = E(static_cast<float>(-infinity));
  }
  std::vector<A> logarithms(count), alone(count);
  std::vector<E> out(count * size);
  cpu const on{.threads = threads};
  host::run(on, host::line_logarithms{lane_type_of<E>, x.data(), logarithms.data(), out.data(),
                                      count, size});
  host::run(on,
            host::line_logarithms{lane_type_of<E>, x.data(), alone.data(), nullptr, count, size});
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<A> line;
    for (std::size_t i = 0; i < size; ++i) line.push_back(static_cast<A>(x[k * size + i]));
    A const want = upsweep::detail::log_of_sum(std::span<A const>(line),
                                               A(reference::reduce(line, log_sum_exp{})));
    ASSERT_TRUE(same_bits(logarithms[k], want) && same_bits(alone[k], want)) << "line " << k;
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_TRUE(same_bits(out[k * size + i], static_cast<E>(A(line[i] - want))))
          << "line " << k << ", result " << i;
  }
}

template <class E>
class line_logarithms : public testing::Test {};
using element_types = testing::Types<std::type_identity<half_float>, std::type_identity<bfloat16>,
                                     std::type_identity<float>, std::type_identity<double>>;
TYPED_TEST_SUITE(line_logarithms, element_types);

TYPED_TEST(line_logarithms, have_the_bits_of_log_sum_exp) {
  for_each_target([&] {
    for (int const threads : {1, 3})
      for (std::size_t const size : {1u, 2u, 17u, 100u, 1023u, 1024u, 1025u, 3001u})
        expect_logarithms<typename TypeParam::type>(size < 300 ? 6 : 5, size, threads);
    for (std::size_t const size : {1u, 2u, 3u, 16u, 63u, 64u, 65u})  // short ones side by side
      for (std::size_t const count : {8u, 65u, 200u})
        expect_logarithms<typename TypeParam::type>(count, size, 2);
    expect_logarithms<typename TypeParam::type>(1, 40000, 3);  // on several threads
  });
}

}  // namespace
}  // namespace upsweep::test
