/// The shuffles of reductions against their definition, on every SIMD target, and also at the
/// distances at which only AVX-512 uses them.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE <simd/lanes_test.cpp>
#include <upsweep/host/simd/targets.hpp>

#include <hwy/foreach_target.h>

#include <upsweep/host/simd/lanes.inl>

#include <cstddef>
#include <utility>

HWY_BEFORE_NAMESPACE();
namespace upsweep::test::HWY_NAMESPACE {
namespace {
namespace lanes = host::simd::HWY_NAMESPACE;
namespace hn = hwy::HWY_NAMESPACE;

#if UPSWEEP_SIMD_VECTORS
/// Whether exchange(a, b) takes the lanes that join(b, a) leaves, each to its partner's place.
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
#else
bool exchange_is_right() {
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

TEST(lanes, are_exchanged_with_their_partners_of_the_other_register) {
  for (std::string const& name : host::simd::targets()) {
    host::simd::forced_target const forced(name);
    EXPECT_TRUE(HWY_DYNAMIC_DISPATCH(exchange_is_right)()) << "SIMD target " << name;
  }
}

}  // namespace upsweep::test
#endif
