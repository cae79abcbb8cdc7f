/// What tells whether a launch would repeat an earlier one: numbers for memory, and arguments.
#include <upsweep/sim/engine.hpp>
#include <upsweep/sim/global_memory.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace upsweep::sim_test {
namespace {

std::vector<std::byte> bytes_of(std::size_t n) {
  std::vector<std::byte> all(n);
  for (std::size_t i = 0; i < n; ++i) all[i] = static_cast<std::byte>(i * 37 + 11);
  return all;
}
std::uint64_t number_of(std::vector<std::byte> const& bytes, std::uint64_t seed = 0) {
  return sim::fingerprint(bytes.data(), bytes.size(), seed);
}

TEST(repeated_launches, every_byte_of_a_buffer_counts_and_so_does_its_place) {
  std::set<std::uint64_t> numbers;
  std::size_t expected = 0;
  for (std::size_t const n : {0u, 1u, 7u, 8u, 31u, 32u, 33u, 64u, 95u, 100u}) {
    auto bytes = bytes_of(n);
    EXPECT_EQ(number_of(bytes), number_of(bytes_of(n)));
    numbers.insert({number_of(bytes), number_of(bytes, 1), number_of(bytes, 4)});
    expected += 3;
    for (std::size_t i = 0; i < n; ++i, expected += 2) {
      bytes[i] ^= std::byte{1};
      numbers.insert(number_of(bytes));
      bytes[i] ^= std::byte{129};
      numbers.insert(number_of(bytes));
      bytes[i] ^= std::byte{128};
    }
    for (std::size_t i = 8; i < n; ++i, ++expected) {  // two elements are exchanged
      std::swap(bytes[i], bytes[i - 8]);
      numbers.insert(number_of(bytes));
      std::swap(bytes[i], bytes[i - 8]);
    }
  }
  EXPECT_EQ(numbers.size(), expected);
}

TEST(repeated_launches, buffers_count_with_their_number_and_not_if_they_are_released) {
  sim::global_memory buffers(true);
  sim::memory& a = *buffers.allocate_bytes(64, 4, "a");
  sim::memory& b = *buffers.allocate_bytes(64, 4, "b");
  auto const start = buffers.fingerprint();
  auto const parts = buffers.fingerprints();
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_NE(parts[0], parts[1]);  // they have the same content
  b.data[63] ^= std::byte{1};
  EXPECT_NE(buffers.fingerprint(), start);
  EXPECT_EQ(buffers.fingerprints()[0], parts[0]);
  EXPECT_NE(buffers.fingerprints()[1], parts[1]);
  b.data[63] ^= std::byte{1};
  EXPECT_EQ(buffers.fingerprint(), start);
  EXPECT_EQ(buffers.allocated_bytes(), 128u);
  buffers.release(a);
  EXPECT_EQ(buffers.allocated_bytes(), 64u);
  EXPECT_EQ(buffers.fingerprints(), (std::vector<std::uint64_t>{0, parts[1]}));
}

TEST(repeated_launches, a_launch_repeats_one_of_the_same_arguments_and_memory) {
  sim::repeated_launch known{.launches = 1,
                             .report = 0,
                             .seconds = 1,
                             .is_clean = true,
                             .is_fixed = true,
                             .call = bytes_of(8),
                             .memory = 5};
  EXPECT_TRUE(known.repeats(bytes_of(8), 5));
  EXPECT_FALSE(known.repeats(bytes_of(8), 6));
  EXPECT_FALSE(known.repeats(bytes_of(7), 5));
  EXPECT_FALSE(known.repeats(bytes_of(9), 5));
  auto other = bytes_of(8);
  other[7] ^= std::byte{1};
  EXPECT_FALSE(known.repeats(other, 5));
  known.is_fixed = false;
  EXPECT_FALSE(known.repeats(bytes_of(8), 5));
}

TEST(repeated_launches, a_kernel_is_known_by_its_address_and_shape) {
  sim::repeated_launches all;
  int one = 0, two = 0;
  simt::launch_shape const same{
      .blocks = {2, 3, 4}, .threads = {5, 6, 7}, .cluster = {2, 1, 1}, .shared_bytes = 8};
  all.of(&one, same).report = 1;
  EXPECT_EQ(all.of(&one, same).report, 1u);
  EXPECT_EQ(all.of(&two, same).report, 0u);
  for (int i = 0; i < 8; ++i) {
    simt::launch_shape other = same;
    unsigned* const sides[]{&other.blocks.x,  &other.blocks.y,  &other.blocks.z, &other.threads.x,
                            &other.threads.y, &other.threads.z, &other.cluster.x};
    if (i < 7)
      ++*sides[i];
    else
      ++other.shared_bytes;
    EXPECT_EQ(all.of(&one, other).report, 0u) << i;
  }
  all.clear();
  EXPECT_EQ(all.of(&one, same).report, 0u);
}

}  // namespace
}  // namespace upsweep::sim_test
