/// Keys for the tests of sorts on a GPU, and the comparison of all verbs with the CPU.
#pragma once

#include "endless.cuh"
#include "on_gpu.cuh"

#include <upsweep/cuda/sort.cuh>
#include <upsweep/upsweep.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace upsweep::test {

/// Random bits, so that floating-point numbers have NaN of both signs among them; zeros of both
/// signs in masses; a few values; one; in order already.
enum class key_kind { random, zeros, few, equal, in_order };
inline constexpr std::array every_kind{key_kind::random, key_kind::zeros, key_kind::few,
                                       key_kind::equal, key_kind::in_order};

template <class T>
std::vector<T> keys_of_kind(std::size_t n, key_kind kind, std::uint64_t salt) {
  using bits = detail::bits_of_size<sizeof(T)>;
  random_bits next(test_seed() + n + salt);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const word = next();
    auto const anything = std::bit_cast<T>(static_cast<bits>(word >> 7));
    bits const sign = static_cast<bits>(bits{1} << (8 * sizeof(bits) - 1));
    if (kind == key_kind::random || (kind == key_kind::zeros && word % 4 == 0))
      x.push_back(anything);
    else if (kind == key_kind::zeros)
      x.push_back(std::bit_cast<T>(word % 2 ? sign : bits{0}));
    else
      x.push_back(static_cast<T>(kind == key_kind::few     ? word % 5
                                 : kind == key_kind::equal ? 42
                                                           : i % 120));
  }
  if (kind == key_kind::in_order) upsweep::sort(upsweep::cpu{}, x);
  return x;
}

template <class T>
void expect_bits(char const* what, std::vector<T> const& got, std::vector<T> const& want) {
  ASSERT_EQ(got.size(), want.size()) << what;
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_EQ(std::memcmp(&got[i], &want[i], sizeof(T)), 0)
        << what << ": element " << i << " of " << got.size();
}

template <class T>
std::vector<T> positions(std::size_t n) {
  std::vector<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(i);
  return x;
}

/// All three verbs against the CPU.
template <class T, class Less>
void expect_as_processor(std::vector<T> const& x, std::size_t offset, Less less) {
  std::size_t const n = x.size();
  SCOPED_TRACE(testing::Message() << "n = " << n << ", offset " << offset << ", " << sizeof(T)
                                  << " bytes, " << seed_note());
  auto want = x;
  upsweep::sort(upsweep::cpu{}, want, less);
  std::vector<std::uint32_t> order(n);
  upsweep::argsort(upsweep::cpu{}, x, order, less);

  on_gpu<T> const keys(x, offset);
  upsweep::sort(gpu{}, keys.span(), less);
  expect_bits("sort", keys.values(), want);

  on_gpu<T> const in(x, offset);
  on_gpu<std::uint32_t> const places(n, offset);
  on_gpu<std::int64_t> const wide_places(n);
  upsweep::argsort(gpu{}, in.input(), places.span(), less);
  upsweep::argsort(gpu{}, in.input(), wide_places.span(), less);
  expect_bits("argsort", places.values(), order);
  expect_bits("argsort, 64 bits", wide_places.values(),
              std::vector<std::int64_t>(order.begin(), order.end()));
  expect_bits("the input of argsort", in.values(), x);

  on_gpu<std::uint32_t> const values(positions<std::uint32_t>(n), offset);
  upsweep::sort_by_key(gpu{}, in.span(), values.span(), less);
  expect_bits("sort_by_key", in.values(), want);
  expect_bits("values", values.values(), order);
}

template <class T>
void expect_at_edges() {
  for (std::size_t const n :
       at_most_given({0,    1,    2,    3,    31,   32,   33,   511,  512,   513,
                      1023, 1025, 2047, 2048, 2049, 4095, 4096, 4097, 65537, (1 << 20) + 7}))
    for (key_kind const kind : every_kind) {
      if (is_limited() && kind != key_kind::random && kind != key_kind::zeros) continue;
      auto const x = keys_of_kind<T>(n, kind, 0);
      expect_as_processor(x, kind == key_kind::random ? 1 : 0, ascending{});
      if (n < 100'000) expect_as_processor(x, 3, descending{});
    }
}
}  // namespace upsweep::test
