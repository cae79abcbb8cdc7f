/// The shuffles of reductions against their definition, on every SIMD target, and also at the
/// distances at which only AVX-512 uses them; the exponential and the logarithm of lanes against
/// core/portable_math.hpp.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <simd/lanes_test.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <support/random.hpp>
#include <upsweep/host/simd/exponential.inl>

#include <cmath>
#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::test::HWY_NAMESPACE {
namespace {
namespace lanes = host::simd::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

#if UPSWEEP_SIMD_VECTORS
/// Whether exchange(a, b) takes the lanes that join(b, a) leaves, each to its partner's position.
template <int distance, class T, class Exchange>
bool takes_the_other_lanes(Exchange const& exchange) {
  hn::ScalableTag<T> const d;
  constexpr std::size_t n = hn::MaxLanes(hn::ScalableTag<T>()), step = distance / sizeof(T);
  auto const a = hn::Iota(d, T{0}), b = hn::Iota(d, T{100});
  T kept[n], exchanged[n];
  hn::StoreU(lanes::join<distance>(d, b, a), d, kept);
  hn::StoreU(exchange(d, a, b), d, exchanged);
  bool right = true;
  for (std::size_t i = 0; i < n; ++i) {
    bool const is_right_lane = (i & step) != 0;
    right &= kept[i] == static_cast<T>(is_right_lane ? 100 + i : i);
    right &= exchanged[i] == static_cast<T>(is_right_lane ? 100 + (i - step) : i + step);
  }
  return right;
}

template <class T, int distance = sizeof(T)>
bool all_distances_are_right() {
  using D = hn::ScalableTag<T>;
  if constexpr (distance >= lanes::vector_bytes<D>) {
    return true;
  } else {
    auto const chosen = [](D d, hn::Vec<D> a, hn::Vec<D> b)
                            HWY_ATTR { return lanes::exchange<distance>(d, a, b); };
    auto const by_index = [](D d, hn::Vec<D> a, hn::Vec<D> b) HWY_ATTR {
      return lanes::exchange<distance>(d, a, b, std::make_index_sequence<hn::MaxLanes(D())>());
    };
    return takes_the_other_lanes<distance, T>(chosen) &&
           takes_the_other_lanes<distance, T>(by_index) &&
           all_distances_are_right<T, 2 * distance>();
  }
}

bool exchange_is_right() {
  return all_distances_are_right<float>() && all_distances_are_right<double>();
}

/// Whether log(x) and exp(y) of random 1 <= x <= 2^60 and -80 <= y <= 0 have the bits of the
/// portable functions. Of a million floats y, the short series of exp_of_lanes leaves the rounding
/// of some hundreds open.
template <class T>
bool functions_are_portable() {
  hn::ScalableTag<T> const d;
  constexpr std::size_t count = 2, n = count * hn::MaxLanes(hn::ScalableTag<T>());
  random_bits next(test_seed());
  for (int round = 0; round < (1 << 20); round += static_cast<int>(n)) {
    T x[n], y[n], log[n], exp[n];
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<T>(1 + std::ldexp(small(next) + 1, static_cast<int>(next.below(60))));
      y[i] = static_cast<T>(-std::ldexp(40 * (small(next) + 1), -static_cast<int>(next.below(30))));
    }
    hn::Vec<decltype(d)> of_x[] = {hn::LoadU(d, x), hn::LoadU(d, x + n / 2)};
    hn::Vec<decltype(d)> of_y[] = {hn::LoadU(d, y), hn::LoadU(d, y + n / 2)};
    lanes::log_of_lanes(d, of_x);
    lanes::exp_of_lanes(d, of_y);
    for (std::size_t i = 0; i < count; ++i) {
      hn::StoreU(of_x[i], d, log + i * n / 2);
      hn::StoreU(of_y[i], d, exp + i * n / 2);
    }
    for (std::size_t i = 0; i < n; ++i)
      if (log[i] != detail::portable::log(x[i]) || exp[i] != detail::portable::exp(y[i]))
        return false;
  }
  return true;
}
bool all_functions_are_portable() {
  return functions_are_portable<float>() && functions_are_portable<double>();
}
#else
bool exchange_is_right() {
  return true;
}
bool all_functions_are_portable() {
  return true;
}
#endif

}  // namespace
}  // namespace upsweep::test::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <upsweep/host/simd/dispatch.hpp>

#include <gtest/gtest.h>

#include <string>

namespace upsweep::test {
HWY_EXPORT(exchange_is_right);
HWY_EXPORT(all_functions_are_portable);

TEST(lanes, are_exchanged_with_their_partners_of_the_other_register) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    EXPECT_TRUE(HWY_DYNAMIC_DISPATCH(exchange_is_right)()) << "SIMD target " << name;
  }
}

TEST(lanes, have_the_bits_of_the_portable_exponential_and_logarithm) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    EXPECT_TRUE(HWY_DYNAMIC_DISPATCH(all_functions_are_portable)())
        << "SIMD target " << name << ", " << seed_note();
  }
}

}  // namespace upsweep::test
#endif
