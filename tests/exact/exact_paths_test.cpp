/// The compiled paths of exact_sum: every vector target, every alignment and length, and odd
/// floating-point environments.
#include "inputs.hpp"
#include "oracle.hpp"

#include <support/bits.hpp>

#include <upsweep/ops/exact_sum.hpp>

#include <gtest/gtest.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cfenv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace upsweep::test {
namespace {

template <class T>
class exact_paths : public testing::Test {};
using summed_types = testing::Types<float, double>;
TYPED_TEST_SUITE(exact_paths, summed_types);

template <class T>
detail::superaccumulator<T> one_by_one(std::vector<T> const& x) {
  detail::superaccumulator<T> sum;
  for (T const v : x) sum.absorb(v);
  return sum;
}

template <class T>
detail::superaccumulator<T> at_once(std::vector<T> const& x, std::size_t from = 0) {
  detail::superaccumulator<T> sum;
  detail::exact::accumulate(sum, x.data() + from, x.size() - from);
  return sum;
}

template <class T>
void expect_scan(std::vector<T> const& x, std::vector<T> const& expected, std::string const& what) {
  std::vector<T> out(x.size());
  detail::superaccumulator<T> sum(T{1});
  exact_sum{}.scan_range(sum, x.data(), out.data(), x.size(), true);
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(same_bits(out[i], expected[i])) << what << ", element " << i << "; " << seed_note();
  detail::superaccumulator<T> total(T{1});
  for (T const v : x) total.absorb(v);
  EXPECT_TRUE(sum == total) << what << "; " << seed_note();
}

/// The rounded sums of 1 and x[0, i].
template <class T>
std::vector<T> scanned_one_by_one(std::vector<T> const& x) {
  std::vector<T> results;
  detail::superaccumulator<T> sum(T{1});
  for (T const v : x) {
    sum.absorb(v);
    results.push_back(sum.rounded());
  }
  return results;
}

/// Makes the library use only `target` while it lives.
class only_target {
 public:
  explicit only_target(std::int64_t target) {
    hwy::SetSupportedTargetsForTest(target);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
  only_target(only_target const&) = delete;
  only_target& operator=(only_target const&) = delete;
  ~only_target() {
    hwy::SetSupportedTargetsForTest(0);
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  }
};

TYPED_TEST(exact_paths, agree_on_every_vector_target) {
  using T = TypeParam;
  std::int64_t const supported = hwy::SupportedTargets();
  for (std::int64_t rest = supported; rest != 0; rest &= rest - 1) {
    std::int64_t const target = rest & -rest;
    if ((target & HWY_TARGETS) == 0) continue;
    only_target const chosen(target);
    for (auto const& f : families<T>()) {
      std::vector<T> const x = made(f, 10007, 6);
      EXPECT_TRUE(at_once(x) == one_by_one(x))
          << hwy::TargetName(target) << ", " << f.name << "; " << seed_note();
      expect_scan(x, scanned_one_by_one(x), f.name + ", " + hwy::TargetName(target));
    }
  }
}

TYPED_TEST(exact_paths, agree_for_every_length_and_alignment) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    for (std::size_t n = 0; n < 300; n += n < 140 ? 1 : 13) {
      std::vector<T> const x = made(f, n, 7);
      EXPECT_TRUE(at_once(x) == one_by_one(x)) << n << ", " << f.name << "; " << seed_note();
    }
    std::vector<T> x = made(f, 3001, 8);
    for (std::size_t from = 0; from < 9; ++from) {
      EXPECT_TRUE(at_once(x, from) == one_by_one(std::vector<T>(
                                          x.begin() + static_cast<std::ptrdiff_t>(from), x.end())))
          << from << ", " << f.name << "; " << seed_note();
    }
  }
}

TYPED_TEST(exact_paths, agree_for_windows_of_every_largest_and_smallest_exponent) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  random_bits next(test_seed());
  constexpr int bottom = limits::min_exponent - limits::digits;
  for (int high = bottom + 2; high <= limits::max_exponent; high += sizeof(T) == 4 ? 3 : 17) {
    for (int const spread : {1, 30, 42, 60, 84, 100}) {
      std::vector<T> x(1024);
      for (T& v : x) v = with_exponent<T>(next, std::max(bottom, high - spread), high);
      EXPECT_TRUE(at_once(x) == one_by_one(x)) << high << " - " << spread << "; " << seed_note();
      expect_scan(x, scanned_one_by_one(x), std::to_string(high) + " - " + std::to_string(spread));
    }
  }
}

TYPED_TEST(exact_paths, add_the_largest_chunk_of_equal_extremes) {
  using T = TypeParam;
  using limits = std::numeric_limits<T>;
  // All of one sign and just below a power of two, where a window's sum comes closest to leaving
  // its binade.
  for (T const v :
       {T{1} - limits::epsilon() / 2, T{1}, T{-1}, limits::epsilon() - T{2},
        limits::max() * T{0x1p-20f}, limits::max(), limits::min(), limits::denorm_min()}) {
    std::vector<T> const x((std::size_t{1} << 16) + 1, v);
    EXPECT_TRUE(at_once(x) == one_by_one(x)) << shown(v);
  }
}

TYPED_TEST(exact_paths, ignore_the_callers_rounding_mode) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    std::vector<T> const x = made(f, 5001, 9);
    detail::superaccumulator<T> const expected = one_by_one(x);
    std::vector<T> const results = scanned_one_by_one(x);
    for (int const mode : {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
      std::fesetround(mode);
      detail::superaccumulator<T> const got = at_once(x);
      expect_scan(x, results, f.name);
      std::fesetround(FE_TONEAREST);
      EXPECT_TRUE(got == expected) << f.name << "; " << seed_note();
    }
  }
}

#if defined(__SSE2__)
TYPED_TEST(exact_paths, keep_subnormals_when_the_caller_flushes_them) {
  using T = TypeParam;
  for (auto const& f : families<T>()) {
    std::vector<T> const x = made(f, 5001, 10);
    detail::superaccumulator<T> const expected = one_by_one(x);
    std::vector<T> const results = scanned_one_by_one(x);
    for (unsigned const flags :
         {0x8000u, 0x0040u, 0x8040u}) {  // flush to zero, denormals are zero, both
      unsigned const before = _mm_getcsr();
      _mm_setcsr(before | flags);
      detail::superaccumulator<T> const got = at_once(x);
      expect_scan(x, results, f.name);
      _mm_setcsr(before);
      EXPECT_TRUE(got == expected) << f.name << "; " << seed_note();
    }
  }
}
#endif

}  // namespace
}  // namespace upsweep::test
