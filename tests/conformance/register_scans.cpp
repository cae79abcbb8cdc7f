/// Contract 2: blocks of scans in registers (host/register_scans.inl) have the bits of the combine
/// tree on each kind of processor, write nowhere else, and combine neighbors only.
#include <conformance/processors.hpp>
#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#ifdef UPSWEEP_AVX512
namespace upsweep::test {
namespace {

/// The prefixes before the 2^k elements of the combine tree from x on, after `before` if that
/// is not null.
template <class T, class Op>
void put_prefixes(T const* x, int k, T const* before, T* to, Op const& op) {
  if (k == 0) {
    if (before) *to = *before;
    return;
  }
  std::size_t const half = std::size_t{1} << (k - 1);
  T const left = reference::reduce(std::vector<T>(x, x + half), op);
  T const middle = before ? op(*before, left) : left;
  put_prefixes(x, k - 1, before, to, op);
  put_prefixes(x + half, k - 1, &middle, to + half, op);
}

template <class T>
struct in_memory {
  T const* first;

  template <std::size_t>
  T const* from(std::size_t i) const {
    return first + i;
  }
};

/// Both scans of a block at position 0 (`before` is null) or after it.
template <class T, class Op>
void expect_the_trees_block(std::vector<T> const& x, int k, T const* before, T untouched,
                            Op const& op, std::string const& what) {
  std::size_t const size = x.size();
  std::vector<T> left(size, untouched), want(size + 1, untouched), got(size + 2, untouched);
  T const total = host::up_in_registers(in_memory<T>{x.data()}, left.data(), k, op);
  EXPECT_TRUE(same_bits(total, reference::reduce(x, op))) << what;
  EXPECT_TRUE(same_bits(left.back(), untouched)) << "the room of the parent's node, " << what;
  T const after = before ? op(*before, total) : total;
  put_prefixes(x.data(), k, before, want.data(), op);
  want[size] = after;
  for (std::size_t const shift : {0u, 1u}) {
    auto const down = shift == 0 ? host::down_in_registers<scan_kind::exclusive, T, Op>
                                 : host::down_in_registers<scan_kind::inclusive, T, Op>;
    down(left.data(), before, after, got.data() + 1, op, k);
    std::size_t const first = shift == 0 && !before;  // not specified
    for (std::size_t i = first; i < size; ++i)
      ASSERT_TRUE(same_bits(got[i + 1], want[i + shift])) << shift << ", " << i << ", " << what;
    EXPECT_TRUE(same_bits(got.front(), untouched)) << what;
    EXPECT_TRUE(same_bits(got.back(), untouched)) << what;
  }
}

template <class T, class Op>
void expect_the_trees_blocks(T (*element)(std::size_t), Op const& op) {
  on_each_kind_of_processor([&](std::string const& target) {
    for (int k = 0; k <= host::largest_scan_log2<T>; ++k)
      for (bool const is_first : {true, false}) {
        if (!host::fits_scan_registers<T>(k)) continue;
        std::size_t const size = std::size_t{1} << k, position = is_first ? 0 : size;
        std::vector<T> earlier(position), x(size);
        for (std::size_t i = 0; i < position; ++i) earlier[i] = element(i);
        for (std::size_t i = 0; i < size; ++i) x[i] = element(position + i);
        T const before = is_first ? T() : reference::reduce(earlier, op);
        expect_the_trees_block(x, k, is_first ? nullptr : &before, element(99999), op,
                               "2^" + std::to_string(k) + " at " + std::to_string(position) + ", " +
                                   target + "; " + seed_note());
      }
  });
}

template <class T>
T random_number(std::size_t i) {
  random_bits next(test_seed() + i);
  return random_element<T>(next);
}

TEST(register_scans, have_the_trees_bits) {
  auto const real = []<class T>(T a, T b) -> T { return a * T(0.75) + b; };
  auto const whole = []<class T>(T a, T b) -> T { return a * 3u + b; };
  auto const branching = []<class T>(T a, T b) -> T {
    return a > T(0.5) ? a * T(0.75) + b : b - a;
  };
  expect_the_trees_blocks(&random_number<float>, monoid(real, 0.f));
  expect_the_trees_blocks(&random_number<double>, monoid(real, 0.));
  expect_the_trees_blocks(&random_number<std::uint32_t>, monoid(whole, 0u));
  expect_the_trees_blocks(&random_number<std::uint64_t>, monoid(whole, std::uint64_t{0}));
  expect_the_trees_blocks(&random_number<float>, monoid(branching, 0.f));
}

/// A block may not combine values that the tree does not combine, which might overflow: a range of
/// positions in one number, the first one above the last.
TEST(register_scans, combine_neighbors_only) {
  auto const neighbors = [](std::uint64_t a, std::uint64_t b) {
    if ((a & 0xffffffff) + 1 != b >> 32) throw a;
    return (a >> 32) << 32 | (b & 0xffffffff);
  };
  auto const join = monoid(neighbors, std::uint64_t{0});
  auto const position = +[](std::size_t i) { return std::uint64_t{i} << 32 | i; };
  expect_the_trees_blocks(position, join);
}
}  // namespace
}  // namespace upsweep::test
#endif
