/// Sorts on a GPU that are not precompiled: of narrow numbers, of values of every size, and by any
/// order.
#include "sorts_on_gpu.cuh"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Twenty bytes, which move to their position once.
struct large_value {
  std::array<std::uint32_t, 5> words;
};

/// Values of other sizes.
template <class T, class V>
void expect_values(std::vector<T> const& x, std::vector<V> const& v) {
  auto keys = x;
  auto values = v;
  upsweep::sort_by_key(upsweep::cpu{}, keys, values);
  on_gpu<T> const on_keys(x);
  on_gpu<V> const on_values(v);
  upsweep::sort_by_key(gpu{}, on_keys.span(), on_values.span());
  expect_bits("keys", on_keys.values(), keys);
  expect_bits("values", on_values.values(), values);
}

/// On the host, so it needs no GPU.
template <class T>
void expect_cub_orders() {
  using key = device::radix_key<T>;
  using rising = cub::RadixSortTwiddle<false, key>;
  using falling = cub::RadixSortTwiddle<true, key>;
  for (T const x : keys_of_kind<T>(1000, key_kind::zeros, 0)) {
    auto const bits = std::bit_cast<key>(x).bits, ordered = detail::ordered_bits(x);
    EXPECT_EQ(rising::In(bits), ordered);
    EXPECT_EQ(falling::In(bits), static_cast<decltype(ordered)>(~ordered));
    EXPECT_EQ(rising::Out(rising::In(bits)), bits);
    EXPECT_EQ(falling::Out(falling::In(bits)), bits);
    EXPECT_EQ(cub::BaseDigitExtractor<key>::ProcessFloatMinusZero(ordered), ordered);
  }
  EXPECT_EQ(rising::DefaultKey(), (device::last_key<false, key>().bits));
  EXPECT_EQ(falling::DefaultKey(), (device::last_key<true, key>().bits));
}
TEST(cuda_orders, tell_cub_that_minus_zero_comes_before_zero) {
  expect_cub_orders<float>();
  expect_cub_orders<double>();
  expect_cub_orders<bfloat16>();
}

TEST(cuda_orders, has_the_processors_bits_of_narrow_numbers_at_every_edge) {
  UPSWEEP_NEEDS_A_GPU();
  expect_at_edges<std::int8_t>();
  expect_at_edges<std::uint16_t>();
  expect_at_edges<bfloat16>();
}
TEST(cuda_orders, moves_values_of_every_size) {
  UPSWEEP_NEEDS_A_GPU();
  for (std::size_t const n : at_most_given({2, 1000, 4097, 200'001})) {
    auto const x = keys_of_kind<float>(n, key_kind::zeros, 0);
    expect_values(x, positions<std::uint8_t>(n));
    expect_values(x, positions<std::uint16_t>(n));
    expect_values(x, positions<double>(n));
    std::vector<uint4> sixteen(n);
    std::vector<large_value> twenty(n);
    for (unsigned i = 0; i < n; ++i) {
      sixteen[i] = {i, 1, 2, ~i};
      twenty[i] = {{i, 1, 2, 3, ~i}};
    }
    expect_values(x, sixteen);
    expect_values(x, twenty);
  }
}

/// Sorted by the key alone.
struct tagged {
  std::uint32_t key, tag;
};
struct by_key {
  __host__ __device__ bool operator()(tagged const& a, tagged const& b) const {
    return a.key < b.key;
  }
};
/// Three words, and the order that their operator tells.
struct version {
  std::uint32_t major_, minor_, tag;
  friend constexpr bool operator<(version const& a, version const& b) {
    return a.major_ != b.major_ ? a.major_ < b.major_ : a.minor_ < b.minor_;
  }
};
template <class T>
std::vector<T> structs(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x;
  for (std::uint32_t i = 0; i < n; ++i) {
    auto const key = static_cast<std::uint32_t>(next() % (salt % 2 ? 7 : 100'000));
    if constexpr (std::is_same_v<T, tagged>)
      x.push_back({key, i});
    else
      x.push_back({key, static_cast<std::uint32_t>(next() % 3), i});
  }
  return x;
}
template <class T, class Less>
void expect_by_order(std::size_t n, std::uint64_t salt, Less less) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", " << salt << ", " << seed_note());
  auto const x = structs<T>(n, salt);
  expect_as_processor(x, 0, less);
  auto want = x;
  upsweep::sort(upsweep::cpu{}, want, less);
  std::size_t const count = n / 3;
  want.resize(count);
  on_gpu<T> const in(x), few(count);
  EXPECT_EQ(upsweep::top(gpu{}, in.input(), few.span(), less), count);
  expect_bits("top", few.values(), want);
}
TEST(cuda_orders, sorts_structs_by_any_order_and_keeps_equal_ones_in_order) {
  UPSWEEP_NEEDS_A_GPU();
  std::uint64_t salt = 0;
  for (std::size_t const n : at_most_given({0, 1, 2, 33, 1000, 4097, 300'001}))
    for (int k = 0; k < 2; ++k) {
      expect_by_order<tagged>(n, ++salt, by_key{});
      expect_by_order<version>(n, salt, ascending{});
      expect_by_order<version>(n, salt, descending{});
    }
}

}  // namespace
}  // namespace upsweep::test
