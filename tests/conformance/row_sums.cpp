/// Sums of rows by segments and by index: the bits of the combine tree of each column.
#include <conformance/backends.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/lane_types.hpp>
#include <support/random.hpp>
#include <upsweep/host/row_sums.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

using host::simd::lane_type;
using numbers = std::vector<std::int64_t>;

/// A matrix, and which rows are in which segments.
template <class E>
struct rows_of_segments {
  std::vector<E> x;
  std::size_t columns;
  numbers borders, order;  ///< no order if it is empty

  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(borders.back()); }
  [[nodiscard]] std::size_t count() const { return borders.size() - 1; }
  [[nodiscard]] E at(std::size_t i, std::size_t column) const {
    return x[(order.empty() ? i : static_cast<std::size_t>(order[i])) * columns + column];
  }
  [[nodiscard]] host::row_sums call(E* out) const {
    return {lane_type_of<E>, x.data(), order.empty() ? nullptr : order.data(),
            borders.data(),  count(),  size(),
            columns,         out};
  }
};

/// The tree as a recursion: two halves of an aligned block; of others, the largest one first.
template <class A>
A block_total(A const* x, std::size_t n) {
  return n == 1 ? *x : block_total(x, n / 2) + block_total(x + n / 2, n / 2);
}
template <class A>
A tree_total(std::vector<A> const& x) {
  if (x.empty()) return A{};
  std::size_t done = std::bit_floor(x.size());
  A total = block_total(x.data(), done);
  while (done < x.size()) {
    std::size_t const next = std::bit_floor(x.size() - done);
    total = total + block_total(x.data() + done, next);
    done += next;
  }
  return total;
}

template <class E>
std::vector<E> expected_sums(rows_of_segments<E> const& m) {
  using A = std::conditional_t<std::is_same_v<E, double>, double, float>;
  std::vector<E> sums;
  std::vector<A> column;
  for (std::size_t k = 0; k < m.count(); ++k)
    for (std::size_t c = 0; c < m.columns; ++c) {
      column.clear();
      for (auto i = static_cast<std::size_t>(m.borders[k]);
           i < static_cast<std::size_t>(m.borders[k + 1]); ++i)
        column.push_back(static_cast<A>(m.at(i, c)));
      sums.push_back(static_cast<E>(tree_total(column)));
    }
  return sums;
}

template <class E>
void expect_sums(rows_of_segments<E> const& m) {
  auto const expected = expected_sums(m);
  for (int const threads : {1, 2, 5}) {
    SCOPED_TRACE(std::to_string(m.size()) + " rows of " + std::to_string(m.columns) +
                 (m.order.empty() ? "" : ", in an order") + ", on " + std::to_string(threads) +
                 " threads; " + seed_note());
    fenced<E> out(expected.size());
    host::sum_rows(cpu{.threads = threads}, m.call(out.inside().data()));
    EXPECT_TRUE(out.intact());
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_TRUE(same_bits(out[i], expected[i]))
          << "segment " << i / m.columns << ", column " << i % m.columns;
  }
}

/// One in 2000 is special.
template <class E>
E ordinary_or_special(random_bits& next) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float special[] = {infinity,   -infinity, std::numeric_limits<float>::quiet_NaN(),
                               0.0F,       -0.0F,     0x1p-24F,
                               -0x1p-130F, 65504.0F};
  return next.below(2000) ? random_element<E>(next)
                          : static_cast<E>(special[next.below(std::size(special))]);
}

/// Of these lengths, in a random order. An order repeats some rows and leaves out others.
template <class E>
rows_of_segments<E> random_rows(numbers lengths, std::size_t columns, bool ordered,
                                random_bits& next) {
  for (std::size_t i = lengths.size(); i > 1; --i)
    std::swap(lengths[i - 1], lengths[next.below(i)]);
  rows_of_segments<E> m{{}, columns, {0}, {}};
  for (std::int64_t const n : lengths) m.borders.push_back(m.borders.back() + n);
  for (std::size_t i = 0; ordered && i < m.size(); ++i)
    m.order.push_back(static_cast<std::int64_t>(next.below(m.size())));
  while (m.x.size() < m.size() * columns) m.x.push_back(ordinary_or_special<E>(next));
  return m;
}

/// f<E>() for all types of elements.
template <class F>
void for_types(F const& f) {
#ifdef UPSWEEP_HAS_FLOAT16
  f.template operator()<float16>();
#endif
  f.template operator()<bfloat16>();
  f.template operator()<float>();
  f.template operator()<double>();
}

TEST(row_sums, are_the_tree_of_each_column) {
  for_types([]<class E>() {
    every_call_starts_threads const all;
    random_bits next(test_seed());
    for (std::size_t const columns : {1u, 2u, 3u, 4u, 7u, 8u, 9u, 31u, 64u, 127u, 128u, 129u, 300u})
      for (bool const ordered : {false, true})
        expect_sums(random_rows<E>(
            {0, 0, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 255, 256, 257, 511, 512, 513, 0, 5000},
            columns, ordered, next));
  });
}

/// Some are longer than the ranges of rows that threads share, for every number of columns.
TEST(row_sums, may_be_of_segments_of_any_length) {
  for_types([]<class E>() {
    every_call_starts_threads const all;
    random_bits next(test_seed() + 1);
    for (std::size_t const columns : {8u, 20u, 130u})
      for (std::int64_t const range : {256, 1024, 2048, 4096}) {
        expect_sums(
            random_rows<E>({range - 1, range, range + 1, 0, 2 * range, 7}, columns, false, next));
        expect_sums(random_rows<E>({2 * range - 1, 3, 2 * range + 1}, columns, true, next));
        expect_sums(random_rows<E>({3 * range + 77}, columns, false, next));
      }
    for (unsigned repeat = 0; repeat < 10; ++repeat) {
      numbers lengths;
      for (unsigned k = 0; k < 60; ++k)
        lengths.push_back(static_cast<std::int64_t>(next.below(next.below(5) == 0 ? 1500 : 12)));
      expect_sums(random_rows<E>(lengths, 1 + next.below(150), repeat % 2 == 0, next));
    }
  });
}

TEST(row_sums, keep_the_sign_of_single_zeros_and_of_no_rows) {
  for_types([]<class E>() {
    for (std::size_t const columns : {1u, 40u}) {
      rows_of_segments<E> const m{std::vector<E>(3 * columns, E(-0.0F)), columns, {0, 1, 1, 3}, {}};
      expect_sums(m);
      fenced<E> out(3 * columns);
      host::sum_rows(cpu{}, m.call(out.inside().data()));
      EXPECT_TRUE(same_bits(out[0], E(-0.0F)));
      EXPECT_TRUE(same_bits(out[columns], E(0.0F)));
      EXPECT_TRUE(same_bits(out[2 * columns], E(-0.0F)));
    }
  });
}

TEST(row_sums, may_be_of_nothing) {
  for_types([]<class E>() {
    random_bits next(test_seed());
    for (std::size_t const columns : {0u, 1u, 9u}) {
      expect_sums(random_rows<E>({}, columns, false, next));
      expect_sums(random_rows<E>(numbers(1000, 0), columns, false, next));
    }
    expect_sums(random_rows<E>({2, 0, 1}, 0, true, next));
  });
}

TEST(row_sums, of_many_short_segments) {
  every_call_starts_threads const all;
  random_bits next(test_seed() + 2);
  numbers lengths(20'000);
  for (auto& n : lengths) n = static_cast<std::int64_t>(next.below(3));
  for (std::size_t const columns : {1u, 2u, 8u, 16u})
    expect_sums(random_rows<float>(lengths, columns, columns == 16, next));
}

TEST(row_sums, refuse_borders_that_do_not_ascend_from_0_to_the_size) {
  for (std::size_t const columns : {0u, 1u, 3u, 8u, 200u})
    for (numbers const& borders : {numbers{0, 3, 2, 4}, numbers{1, 4}, numbers{0, 3}, numbers{0, 5},
                                   numbers{0}, numbers{0, -1, 4}, numbers{0, 4, 5}, numbers{-4, 4},
                                   numbers{0, std::numeric_limits<std::int64_t>::max(),
                                           std::numeric_limits<std::int64_t>::min(), -1, 4}}) {
      std::vector<float> const x(4 * columns, 1);
      fenced<float> out(borders.size() * columns);
      EXPECT_THROW(host::sum_rows(cpu{}, {lane_type::f32, x.data(), nullptr, borders.data(),
                                          borders.size() - 1, 4, columns, out.inside().data()}),
                   precondition_error)
          << columns << " columns";
      EXPECT_TRUE(out.unwritten());
    }
}

TEST(row_sums, refuse_complex_elements) {
  std::int64_t const border = 0;
  EXPECT_THROW(host::sum_rows(cpu{}, {lane_type::c64, nullptr, nullptr, &border, 0, 0, 1, nullptr}),
               precondition_error);
}

TEST(order_by_index, is_that_of_a_stable_sort) {
  random_bits next(test_seed());
  for (std::size_t const size : {1u, 2u, 7u, 1000u})
    for (std::size_t const n : {0u, 1u, 2u, 50u, 3000u}) {
      numbers index(n), order(n), expected(n), borders(size + 1);
      for (auto& i : index) i = static_cast<std::int64_t>(next.below(size));
      ASSERT_TRUE(host::order_by_index(index.data(), n, size, order.data(), borders.data()));
      std::iota(expected.begin(), expected.end(), 0);
      auto const key = [&](std::int64_t i) { return index[static_cast<std::size_t>(i)]; };
      std::stable_sort(expected.begin(), expected.end(),
                       [&](std::int64_t a, std::int64_t b) { return key(a) < key(b); });
      EXPECT_EQ(order, expected);
      for (std::size_t k = 0; k <= size; ++k)
        EXPECT_EQ(borders[k], std::count_if(index.begin(), index.end(), [&](std::int64_t i) {
                    return i < static_cast<std::int64_t>(k);
                  }));
    }
}

TEST(order_by_index, is_refused_for_an_index_outside) {
  for (std::int64_t const wrong :
       {std::int64_t{-1}, std::int64_t{3}, std::numeric_limits<std::int64_t>::min(),
        std::numeric_limits<std::int64_t>::max()})
    for (std::size_t at = 0; at < 4; ++at) {
      numbers index{0, 2, 1, 2}, order(4), borders(4);
      index[at] = wrong;
      EXPECT_FALSE(host::order_by_index(index.data(), 4, 3, order.data(), borders.data()));
    }
  numbers const index{0};
  numbers order(1), borders(1, 7);
  EXPECT_FALSE(host::order_by_index(index.data(), 1, 0, order.data(), borders.data()));
  EXPECT_TRUE(host::order_by_index(index.data(), 0, 0, order.data(), borders.data()));
  EXPECT_EQ(borders[0], 0);
}

}  // namespace
}  // namespace upsweep::test
