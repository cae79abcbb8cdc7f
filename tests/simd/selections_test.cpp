/// The kernels of selections and of runs, against loops.
#include <simd/segment_checks.hpp>
#include <support/random.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::host::simd {
namespace {

// Compression by marks with every SIMD target, against a loop.

/// The elements with the mark 2, by the definition.
std::vector<std::byte> expected(std::vector<std::byte> const& x, std::size_t bytes,
                                std::vector<std::uint8_t> const& marks) {
  std::vector<std::byte> kept;
  for (std::size_t i = 0; i < marks.size(); ++i)
    if (marks[i] == 2)
      for (std::size_t b = 0; b < bytes; ++b) kept.push_back(x[i * bytes + b]);
  return kept;
}

/// Marks 0 to 3, of which one in `among` is 2.
std::vector<std::uint8_t> random_marks(test::random_bits& next, std::size_t n,
                                       std::uint64_t among) {
  std::vector<std::uint8_t> marks(n);
  for (auto& m : marks) {
    std::uint64_t const bits = next();
    m = static_cast<std::uint8_t>(bits % among == 0       ? 2
                                  : (bits >> 32) % 4 == 2 ? 3
                                                          : (bits >> 32) % 4);
  }
  return marks;
}

TEST(compress, keeps_the_elements_with_the_mark) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    test::random_bits next(test::test_seed());
    for (std::size_t const bytes : {1u, 2u, 4u, 8u, 16u})
      for (std::uint64_t const among : {1u, 2u, 50u})
        for (std::size_t n = 0; n < 1100; n += n < 70 ? 1 : 103) {
          auto const marks = random_marks(next, n, among);
          std::vector<std::byte> x(n * bytes), to(n * bytes + compress_slack + 64, std::byte{0xa5});
          for (auto& b : x) b = static_cast<std::byte>(next());
          auto const kept = expected(x, bytes, marks);
          ASSERT_EQ(compress(x.data(), bytes, marks.data(), 2, n, to.data()), kept.size() / bytes)
              << target << ", " << n << " of " << bytes << " bytes";
          ASSERT_EQ(count_marks(marks.data(), 2, n), kept.size() / bytes) << target << ", " << n;
          ASSERT_TRUE(std::equal(kept.begin(), kept.end(), to.begin())) << target << ", " << n;
          for (std::size_t i = n * bytes + compress_slack; i < to.size(); ++i)
            ASSERT_EQ(to[i], std::byte{0xa5}) << target << " wrote beyond the slack";
        }
  }
}

// Heads of runs with every SIMD target, and what they are compressed to, against loops.

template <class T>
T random_key(test::random_bits& next) {
  if constexpr (std::is_floating_point_v<T>)
    return next() % 4 == 0 ? std::numeric_limits<T>::quiet_NaN() : next() % 2 == 0 ? T(-0.0) : T(0);
  else  // keys that differ in one bit, which may be any
    return static_cast<T>(T{1} << next() % (8 * sizeof(T)));
}

/// n keys of which one in `among` differs from the one before it, after one more key.
template <class T>
void fill_keys(test::numbers_before_fence<T>& keys, std::size_t n, std::uint64_t among,
               test::random_bits& next) {
  for (std::size_t i = 0; i <= n; ++i)
    keys[i] = i > 0 && next() % among != 0 ? keys[i - 1] : random_key<T>(next);
}

template <class T>
std::vector<bool> expected_heads(T const* x, std::size_t n, bool follows) {
  std::vector<bool> heads(n);
  for (std::size_t i = 0; i < n; ++i) heads[i] = (i == 0 && !follows) || !(x[i] == x[i - 1]);
  return heads;
}

template <class T>
void expect_heads(std::string const& target, std::size_t n, std::uint64_t among, bool follows) {
  test::random_bits next(test::test_seed() + n + among);
  test::numbers_before_fence<T> keys(n + 1);
  fill_keys(keys, n, among, next);
  T const* const x = keys.data() + 1;
  auto const heads = expected_heads(x, n, follows);
  std::size_t const bytes = (n + 7) / 8;
  std::vector<std::uint8_t> bits(bytes + heads_slack + 8, 0xa5);
  find_heads(x, n, follows, bits.data());
  for (std::size_t i = 0; i < 8 * bytes; ++i)
    ASSERT_EQ(bits[i / 8] >> i % 8 & 1, i < n && heads[i])
        << target << ", key " << i << " of " << n << " of " << sizeof(T) << " bytes";
  for (std::size_t b = bytes + heads_slack; b < bits.size(); ++b)
    ASSERT_EQ(bits[b], 0xa5) << target << " wrote beyond the slack, at " << n;
}

template <class T>
void expect_all_heads(std::string const& target) {
  for (bool const follows : {false, true})
    for (std::uint64_t const among : {1u, 2u, 30u, 1000u}) {
      for (std::size_t n = 0; n < 150; ++n) expect_heads<T>(target, n, among, follows);
      for (std::size_t n = 150; n < 5000; n += 487) expect_heads<T>(target, n, among, follows);
    }
}

TEST(heads, are_found_in_keys_of_every_size) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    expect_all_heads<std::uint8_t>(target);
    expect_all_heads<std::uint16_t>(target);
    expect_all_heads<std::uint32_t>(target);
    expect_all_heads<std::uint64_t>(target);
    expect_all_heads<float>(target);
    expect_all_heads<double>(target);
  }
}

TEST(heads, are_not_compared_with_what_is_in_front_of_the_first) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    for (std::size_t n = 1; n < 70; ++n) {
      std::vector<std::uint32_t> const keys(n, 7);
      std::uint8_t bits[9 + heads_slack];
      find_heads(keys.data(), n, false, bits);
      for (std::size_t i = 0; i < n; ++i)
        ASSERT_EQ(bits[i / 8] >> i % 8 & 1, i == 0) << target << ", " << i << " of " << n;
    }
  }
}

/// Bits of which one in `among` is set, and the last are 0.
std::vector<std::uint8_t> random_bits_of(std::size_t n, std::uint64_t among,
                                         test::random_bits& next) {
  std::vector<std::uint8_t> bits((n + 7) / 8);
  for (std::size_t i = 0; i < n; ++i)
    if (next() % among == 0) bits[i / 8] = static_cast<std::uint8_t>(bits[i / 8] | 1u << i % 8);
  return bits;
}

template <class T>
void expect_compressed(std::string const& target, std::size_t n, std::uint64_t among) {
  test::random_bits next(test::test_seed() + n + among);
  test::numbers_before_fence<T> x(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = static_cast<T>(next());
  auto const bits = random_bits_of(n, among, next);
  std::uint32_t const first = 0xffff'fff0u;  // positions wrap
  std::vector<T> kept;
  std::vector<std::uint32_t> positions;
  for (std::size_t i = 0; i < n; ++i)
    if (bits[i / 8] >> i % 8 & 1) {
      kept.push_back(x[i]);
      positions.push_back(first + static_cast<std::uint32_t>(i));
    }
  std::size_t const size = n * sizeof(T) + compress_slack;
  test::numbers_before_fence<T> to(size / sizeof(T));
  ASSERT_EQ(compress_bits(x.data(), sizeof(T), bits.data(), n, to.data()), kept.size()) << target;
  for (std::size_t k = 0; k < kept.size(); ++k) ASSERT_EQ(to[k], kept[k]) << target << ", " << n;
  test::numbers_before_fence<std::uint32_t> at(n + compress_slack / sizeof(std::uint32_t));
  ASSERT_EQ(positions_of_bits(bits.data(), n, first, at.data()), positions.size()) << target;
  for (std::size_t k = 0; k < positions.size(); ++k)
    ASSERT_EQ(at[k], positions[k]) << target << ", " << n;
}

TEST(bits, become_elements_and_positions) {
  for (auto const& target : targets()) {
    forced_target const forced(target);
    for (std::uint64_t const among : {1u, 2u, 30u, 1000u})
      for (std::size_t n = 0; n < 1100; n += n < 140 ? 1 : 103) {
        expect_compressed<std::uint8_t>(target, n, among);
        expect_compressed<std::uint16_t>(target, n, among);
        expect_compressed<std::uint32_t>(target, n, among);
        expect_compressed<std::uint64_t>(target, n, among);
      }
  }
}

}  // namespace
}  // namespace upsweep::host::simd
