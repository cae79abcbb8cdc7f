/// upsweep_sort_by and upsweep_unique_by: elements of many sizes beside the standard library, and
/// each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::random_bits;
using upsweep::test::wrong;

/// An element of `size` bytes whose first is its key.
template <std::size_t size>
using bytes = std::array<unsigned char, size>;

template <std::size_t size>
std::vector<bytes<size>> random_elements(std::size_t n, unsigned keys, random_bits& next) {
  std::vector<bytes<size>> x(n);
  for (auto& element : x) {
    for (auto& byte : element) byte = static_cast<unsigned char>(next());
    element[0] = static_cast<unsigned char>(element[0] % keys);
  }
  return x;
}

int key(void const* element) {
  return *static_cast<unsigned char const*>(element);
}
int comes_first(void const* a, void const* b, void* calls) {
  if (calls) ++*static_cast<std::atomic<std::size_t>*>(calls);
  return key(a) < key(b) ? 42 : 0;  // anything but 0 is yes
}
int is_equal(void const* a, void const* b, void* calls) {
  if (calls) ++*static_cast<std::atomic<std::size_t>*>(calls);
  return key(a) == key(b) ? -1 : 0;
}

template <std::size_t size>
void check_size() {
  SCOPED_TRACE(size);
  random_bits next(upsweep::test::test_seed());
  for (std::size_t const n : {0u, 1u, 2u, 1000u, 70'001u})
    for (int const threads : {1, 3}) {
      upsweep_options o = UPSWEEP_OPTIONS_INIT;
      o.threads = threads;
      std::atomic<std::size_t> calls = 0;
      auto x = random_elements<size>(n, 200, next), expected = x;
      std::stable_sort(expected.begin(), expected.end(),
                       [](auto const& a, auto const& b) { return a[0] < b[0]; });
      ASSERT_EQ(upsweep_sort_by(x.data(), n, size, comes_first, &calls, &o), UPSWEEP_OK)
          << upsweep_last_error_message();
      EXPECT_TRUE(x == expected);
      EXPECT_EQ(calls > 0, n > 1);
      o.flags = UPSWEEP_REVERSE;
      std::stable_sort(expected.begin(), expected.end(),
                       [](auto const& a, auto const& b) { return a[0] > b[0]; });
      ASSERT_EQ(upsweep_sort_by(x.data(), n, size, comes_first, nullptr, &o), UPSWEEP_OK);
      EXPECT_TRUE(x == expected);

      o.flags = 0;
      calls = 0;
      x = random_elements<size>(n, 2, next);
      expected.clear();
      for (std::size_t i = 0; i < n; ++i)
        if (i == 0 || x[i - 1][0] != x[i][0]) expected.push_back(x[i]);
      std::vector<bytes<size>> out(expected.size());
      std::size_t count = 99;
      ASSERT_EQ(upsweep_unique_by(x.data(), n, size, is_equal, &calls, &o, out.data(), out.size(),
                                  &count),
                UPSWEEP_OK)
          << upsweep_last_error_message();
      EXPECT_TRUE(out == expected);
      EXPECT_EQ(count, expected.size());
      EXPECT_EQ(calls, n > 0 ? n - 1 : 0);
      if (n == 0) continue;
      auto const last = out.back();
      out.back()[0] ^= 1;
      bytes<size> const fence = out.back();
      expect_refused(upsweep_unique_by(x.data(), n, size, is_equal, nullptr, &o, out.data(),
                                       out.size() - 1, &count),
                     UPSWEEP_CAPACITY, "upsweep_unique_by: `out` has room for");
      EXPECT_EQ(count, expected.size());
      EXPECT_TRUE(out.back() == fence);
      out.back() = last;
      EXPECT_TRUE(out == expected);
    }
}

TEST(c_callbacks, sort_and_unify_elements_of_any_size) {
  check_size<1>();
  check_size<3>();
  check_size<8>();
  check_size<100>();
}

TEST(c_callbacks, refuse_wrong_calls_and_leave_arrays_alone) {
  unsigned char x[4] = {3, 1, 2, 2}, out[4] = {9, 9, 9, 9};
  std::size_t count = 7;
  expect_refused(upsweep_sort_by(nullptr, 4, 1, comes_first, nullptr, nullptr), wrong,
                 "upsweep_sort_by: `x` is NULL, but n is 4");
  expect_refused(upsweep_sort_by(x, 4, 0, comes_first, nullptr, nullptr), wrong,
                 "element_size is 0");
  expect_refused(upsweep_sort_by(x, 4, 1, nullptr, nullptr, nullptr), wrong, "`less` is NULL");
  expect_refused(upsweep_sort_by(x, SIZE_MAX / 20, 100, comes_first, nullptr, nullptr), wrong,
                 "more elements than memory can hold");
  auto const unique = [&](void const* in, upsweep_equal equal, void* to, std::size_t* c) {
    return upsweep_unique_by(in, 4, 1, equal, nullptr, nullptr, to, 4, c);
  };
  expect_refused(unique(nullptr, is_equal, out, &count), wrong, "`in` is NULL");
  expect_refused(unique(x, nullptr, out, &count), wrong, "`equal` is NULL");
  expect_refused(unique(x, is_equal, nullptr, &count), wrong, "`out` is NULL, but capacity is 4");
  expect_refused(unique(x, is_equal, out, nullptr), wrong, "`count` is NULL");
  expect_refused(unique(x, is_equal, x, &count), wrong, "overlap");
  EXPECT_EQ(count, 7u);
  EXPECT_EQ(std::vector(x, x + 4), (std::vector<unsigned char>{3, 1, 2, 2}));
  EXPECT_EQ(std::vector(out, out + 4), std::vector<unsigned char>(4, 9));
}

}  // namespace
