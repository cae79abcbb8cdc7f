/// Functions of elements on lanes: the bits of the portable functions of one number, with every
/// SIMD target.
#include <simd/every_target.hpp>

#include <support/bits.hpp>
#include <support/random.hpp>

#include <upsweep/core/quick_functions.hpp>
#include <upsweep/host/simd/element_functions.hpp>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using host::simd::element_function;

struct named_function {
  element_function function;
  double (*of)(double);
};
named_function const all_functions[] = {{element_function::exp, detail::portable::exp},
                                        {element_function::log, detail::portable::log},
                                        {element_function::softplus, detail::portable::softplus},
                                        {element_function::logistic, detail::portable::logistic}};

template <class T>
bool same_or_nan(T a, T b) {
  return same_bits(a, b) || (a != a && b != b);
}

/// Checks all functions of x, also in its own memory.
template <class T>
void expect_portable(std::vector<T> const& x) {
  for (auto const& [function, of] : all_functions) {
    std::vector<T> y(x.size()), in_place = x;
    host::simd::map_elements(function, x.data(), y.data(), x.size());
    host::simd::map_elements(function, in_place.data(), in_place.data(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) {
      ASSERT_TRUE(same_or_nan(y[i], static_cast<T>(of(static_cast<double>(x[i])))))
          << shown(x[i]) << " gives " << shown(y[i]) << ", function " << static_cast<int>(function);
      ASSERT_TRUE(same_or_nan(in_place[i], y[i])) << shown(x[i]);
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

}  // namespace
}  // namespace upsweep::test
