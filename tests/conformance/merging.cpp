/// Merges, and the sorts that are made of them, on one thread and on several.
#include <conformance/backends.hpp>
#include <support/fenced.hpp>
#include <support/orders.hpp>
#include <support/random.hpp>
#include <upsweep/host/executor.hpp>
#include <upsweep/sort.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace upsweep::test {
namespace {

using labeled_elements = std::vector<labeled>;
using any_order = std::function<bool(labeled const&, labeled const&)>;

/// Elements with `distinct` keys, labeled by their positions.
labeled_elements random_elements(std::size_t n, std::uint64_t distinct) {
  random_bits next(test_seed() + n + distinct);
  labeled_elements x(n);
  for (std::uint32_t i = 0; i < n; ++i) x[i] = {static_cast<std::uint32_t>(next() % distinct), i};
  return x;
}

labeled_elements stably_sorted(labeled_elements x) {
  std::stable_sort(x.begin(), x.end(), order_of_keys{});
  return x;
}

/// Sorted, reversed, one key, few keys, many keys, and up and down.
std::vector<labeled_elements> shapes(std::size_t n) {
  std::vector<labeled_elements> all{random_elements(n, 1), random_elements(n, 5),
                                    random_elements(n, 1'000'000)};
  auto up = stably_sorted(all.back()), reversed = up, both = up;
  for (std::uint32_t i = 0; i < n; ++i) {
    reversed[i] = {up[n - 1 - i].key, i};
    both[i] = {up[i < n / 2 ? i : n - 1 - i].key, i};
    up[i].label = i;
  }
  all.insert(all.end(), {up, reversed, both});
  return all;
}

/// Orders that are none. None of them depends on anything but its arguments, except the last.
std::vector<any_order> broken_orders() {
  return {[](labeled const&, labeled const&) { return true; },
          [](labeled const& a, labeled const& b) { return a.key <= b.key; },
          [](labeled const& a, labeled const& b) { return (a.key + 1) % 3 == b.key % 3; },
          [](labeled const& a, labeled const& b) {
            return detail::mixed(a.key * std::uint64_t{0x10001} + b.key) % 2 == 0;
          },
          [calls = std::make_shared<std::atomic<std::uint64_t>>(0)](
              labeled const&, labeled const&) { return detail::mixed(++*calls) % 2 == 0; }};
}

/// Fails if it is called with an element that is not one of the input's.
struct of_the_input {
  any_order const& less;
  std::size_t n;

  bool operator()(labeled const& a, labeled const& b) const {
    if (a.label >= n || b.label >= n) throw std::out_of_range("not an element of the input");
    return less(a, b);
  }
};

/// Each label once.
template <class Elements>
bool is_permutation_of_labels(Elements const& x, std::size_t n) {
  std::vector<int> seen(n);
  for (std::size_t i = 0; i < n; ++i)
    if (x[i].label >= n || seen[x[i].label]++ != 0) return false;
  return true;
}

TEST(merge, parts_together_are_the_stable_merge) {
  for (std::size_t const distinct : {1u, 3u, 1'000'000u})
    for (std::size_t const m : {0u, 1u, 2u, 3u, 64u, 127u, 400u})
      for (std::size_t const n : {0u, 1u, 2u, 5u, 63u, 128u, 1000u}) {
        auto a = stably_sorted(random_elements(m, distinct)),
             b = stably_sorted(random_elements(n, distinct));
        for (labeled& element : b) element.label += 1'000'000;
        labeled_elements expected(m + n);
        std::merge(a.begin(), a.end(), b.begin(), b.end(), expected.begin(), order_of_keys{});
        for (std::size_t const parts : {1u, 2u, 4u, 16u}) {
          fenced<labeled> out(m + n);
          detail::merge<labeled> const whole(a.data(), m, b.data(), n, out.inside().data());
          for (std::size_t part = 0; part < parts; ++part) {
            auto const mine = whole.part(part, parts, order_of_keys{});
            EXPECT_LE(mine.size(), (m + n) / parts + 1);
            mine.run(order_of_keys{});
          }
          ASSERT_TRUE(out.intact());
          ASSERT_TRUE(std::ranges::equal(out.inside(), expected))
              << m << " + " << n << " elements in " << parts << " parts";
        }
      }
}

TEST(merge, stays_inside_its_arrays_whatever_the_order_answers) {
  for (auto const& less : broken_orders())
    for (std::size_t const m : {1u, 2u, 7u, 64u, 300u})
      for (std::size_t const n : {1u, 3u, 8u, 65u, 290u}) {
        auto const x = random_elements(m + n, 50);
        fenced<labeled> in(m + n), out(m + n);
        std::ranges::copy(x, in.inside().data());
        detail::merge<labeled> const whole(in.inside().data(), m, in.inside().data() + m, n,
                                           out.inside().data());
        for (std::size_t part = 0; part < 4; ++part) {
          // Parts that ask an order which changes its answers have no common borders.
          auto const mine = whole.part(part, 4, of_the_input{less, m + n});
          ASSERT_LE(mine.size(), (m + n) / 4 + 1);
          mine.run(of_the_input{less, m + n});
        }
        ASSERT_TRUE(out.intact());
        for (labeled const& element : out.inside()) ASSERT_LT(element.label, m + n);
      }
}

TEST(sort_by_merging, equals_std_stable_sort_for_every_small_size) {
  for (std::size_t n = 0; n < 300; ++n)
    for (auto const& x : shapes(n)) {
      auto const expected = stably_sorted(x);
      fenced<labeled> in_place(n), moved(n), other(n);
      std::ranges::copy(x, in_place.inside().data());
      detail::sort_in_place(in_place.inside().data(), n, order_of_keys{});
      ASSERT_TRUE(std::ranges::equal(in_place.inside(), expected)) << n;
      std::ranges::copy(x, other.inside().data());
      detail::sort_by_merging(other.inside().data(), moved.inside().data(), n, true,
                              order_of_keys{});
      ASSERT_TRUE(std::ranges::equal(moved.inside(), expected)) << n;
      ASSERT_TRUE(in_place.intact() && moved.intact() && other.intact());
    }
}

TEST(sort_by_merging, stores_each_element_once_whatever_the_order_answers) {
  for (auto const& less : broken_orders())
    for (std::size_t const n : {3u, 4u, 5u, 31u, 129u, 700u}) {
      auto const x = random_elements(n, 50);
      fenced<labeled> sorted(n);
      std::ranges::copy(x, sorted.inside().data());
      detail::sort_in_place(sorted.inside().data(), n, of_the_input{less, n});
      ASSERT_TRUE(sorted.intact());
      ASSERT_TRUE(is_permutation_of_labels(sorted, n)) << n;
    }
}

TEST(sort_by_merging, sorted_elements_take_few_comparisons) {
  std::size_t const n = 4'096;
  auto x = stably_sorted(random_elements(n, n));
  std::size_t calls = 0;
  detail::sort_in_place(x.data(), n, [&](labeled const& a, labeled const& b) {
    ++calls;
    return a.key < b.key;
  });
  EXPECT_LT(calls, 2 * n);
}

constexpr int team_sizes[] = {1, 2, 3, 5, 8, 16};

/// Calls check(n) for sizes from which more threads work, which are merged, and for sizes that are
/// merged or, by four threads or more, divided into buckets because small inputs start threads too.
template <class Check>
void at_every_size(Check const& check) {
  for (std::size_t const n : {2'047u, 2'048u, 2'049u, 8'191u, 8'192u, 8'193u, 16'383u, 16'384u,
                              16'385u, 65'537u, 150'001u})
    check(n);
  every_call_starts_threads const small_too;
  for (std::size_t const n : {2u, 3u, 31u, 128u, 511u, 512u, 513u, 9'001u}) check(n);
}

template <class T>
bool same_bytes(std::vector<T> const& a, std::vector<T> const& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

template <class T>
void expect_numbers_sorted(std::vector<std::uint64_t> const& bits) {
  std::vector<T> x;
  for (std::uint64_t const b : bits) {
    detail::bits_of_size<sizeof(T)> const low = static_cast<detail::bits_of_size<sizeof(T)>>(b);
    x.push_back(std::bit_cast<T>(low));
  }
  auto expected = x;
  std::sort(expected.begin(), expected.end(), comes_before<T>);
  for (int const threads : team_sizes) {
    auto up = x, down = x;
    upsweep::sort(cpu{.threads = threads}, up);
    ASSERT_TRUE(same_bytes(up, expected)) << x.size() << " elements, " << threads << " threads";
    upsweep::sort(cpu{.threads = threads}, down, descending{});
    std::reverse(down.begin(), down.end());
    ASSERT_TRUE(same_bytes(down, expected)) << x.size() << " elements, " << threads;
  }
}

TEST(sort_on_threads, numbers_have_their_bits_in_total_order) {
  at_every_size([](std::size_t n) {
    random_bits next(test_seed() + n);
    // Random bits with NaN and zeros of both signs among them, and few values.
    std::vector<std::uint64_t> random(n), few(n);
    for (std::size_t i = 0; i < n; ++i) {
      std::uint64_t const bits = next(), sign = bits >> 63;
      random[i] = bits % 16 == 0 ? sign << 63 | sign << 31 | sign << 15 : bits;
      few[i] = bits % 3 == 0 ? ~std::uint64_t{0} >> (bits >> 32 & 1) : bits % 3;
    }
    for (auto const* bits : {&random, &few}) {
      expect_numbers_sorted<float>(*bits);
      expect_numbers_sorted<double>(*bits);
      expect_numbers_sorted<std::uint32_t>(*bits);
      expect_numbers_sorted<std::int64_t>(*bits);
      expect_numbers_sorted<std::uint16_t>(*bits);
    }
  });
}

/// n numbers in order but for the one at `place`, which is the least.
template <class T>
std::vector<T> in_order_but_for(std::size_t place, std::size_t n) {
  std::vector<T> x(n);
  std::iota(x.begin(), x.end(), T{1});
  x[place] = T{};
  return x;
}
template <class T>
void expect_the_least_moves_to_the_front(std::size_t place, std::size_t n, int threads) {
  std::vector<T> const x = in_order_but_for<T>(place, n);
  auto expected = x;
  std::rotate(expected.begin(), expected.begin() + static_cast<std::ptrdiff_t>(place),
              expected.begin() + static_cast<std::ptrdiff_t>(place) + 1);
  auto alone = x, keys = x;
  std::vector<float> values(x.begin(), x.end());
  upsweep::sort(cpu{.threads = threads}, alone);
  upsweep::sort_by_key(cpu{.threads = threads}, keys, values);
  ASSERT_EQ(expected, alone) << place << ", " << threads << " threads";
  ASSERT_EQ(expected, keys) << place << ", " << threads << " threads";
  ASSERT_EQ(0, values[0]) << place << ", " << threads << " threads";
}
/// Blocks of numbers are found to be in order or not, and parts of them by several threads.
TEST(sort_on_threads, numbers_in_order_but_for_one_are_sorted) {
  every_call_starts_threads const small_too;
  for (int const threads : {1, 4})
    for (std::size_t place = 0; place < 300; ++place) {
      expect_the_least_moves_to_the_front<std::uint16_t>(place, 300, threads);
      expect_the_least_moves_to_the_front<std::int32_t>(place, 300, threads);
      expect_the_least_moves_to_the_front<double>(place, 300, threads);
    }
  // Where another thread's part begins.
  constexpr std::size_t many = 40'000, part = many / 16 + 1;
  for (std::size_t place = 7 * part; place < many; place += part)
    expect_the_least_moves_to_the_front<double>(place, many, 4);
}

void expect_stable(labeled_elements const& x) {
  std::size_t const n = x.size();
  auto const expected = stably_sorted(x);
  for (int const threads : team_sizes) {
    auto sorted = x;
    upsweep::sort(cpu{.threads = threads}, sorted, order_of_keys{});
    ASSERT_EQ(sorted, expected) << n << " elements, " << threads << " threads";
    std::vector<std::uint32_t> keys(n), values(n);
    for (std::size_t i = 0; i < n; ++i) {
      keys[i] = x[i].key;
      values[i] = x[i].label;
    }
    upsweep::sort_by_key(cpu{.threads = threads}, keys, values);
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_TRUE(keys[i] == expected[i].key && values[i] == expected[i].label)
          << i << " of " << n << " elements, " << threads << " threads";
  }
}

/// Keys of 64 bits that make even buckets, that crowd so that splitters divide them, of which a
/// sample misses the lowest and highest ones, and that share their last bits.
std::vector<std::vector<std::uint64_t>> key_shapes(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<std::vector<std::uint64_t>> shapes(4, std::vector<std::uint64_t>(n));
  for (std::size_t i = 0; i < n; ++i) {
    std::uint64_t const bits = next();
    shapes[0][i] = bits;
    shapes[1][i] = bits % 100 == 0 ? bits : bits >> 32 & 15;
    shapes[2][i] = (bits >> 40) + (std::uint64_t{1} << 30);
    shapes[3][i] = bits >> 50 << 9 | 5;
  }
  for (std::size_t i = 0; i < 8; ++i) {
    shapes[2][n / 8 * i] = 7 - i;
    shapes[2][n / 8 * i + 1] = ~std::uint64_t{0} - i;
  }
  return shapes;
}

/// Large enough for buckets on all but one thread, on which keys of 64 bits have them too.
TEST(sort_on_threads, many_keys_are_sorted_in_buckets) {
  std::size_t const n = (std::size_t{1} << 21) + 1;
  for (auto const& keys : key_shapes(n)) {
    std::vector<std::uint32_t> positions(n);
    std::iota(positions.begin(), positions.end(), 0u);
    auto expected = positions;
    std::stable_sort(expected.begin(), expected.end(),
                     [&](std::uint32_t p, std::uint32_t q) { return keys[p] < keys[q]; });
    for (int const threads : {1, 2, 16}) {
      auto sorted = keys, alone = keys;
      auto values = positions;
      upsweep::sort_by_key(cpu{.threads = threads}, sorted, values);
      ASSERT_TRUE(same_bytes(values, expected)) << threads << " threads";
      upsweep::sort(cpu{.threads = threads}, alone);
      ASSERT_TRUE(same_bytes(sorted, alone)) << threads << " threads";
      for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(sorted[i], keys[expected[i]]) << i;
    }
  }
}

TEST(sort_on_threads, equal_elements_keep_their_order) {
  at_every_size([](std::size_t n) {
    for (auto const& x : shapes(n)) expect_stable(x);
  });
}

TEST(sort_on_threads, an_order_that_throws_at_any_call_leaves_the_input_as_it_was) {
  every_call_starts_threads const small_too;
  auto const x = random_elements(101, 30);
  for (int const threads : team_sizes) {
    bool has_thrown = true;
    for (int last = 0; has_thrown; ++last) {
      std::atomic<int> left = last;
      auto sorted = x;
      has_thrown = false;
      try {
        upsweep::sort(cpu{.threads = threads}, sorted, [&](labeled const& a, labeled const& b) {
          if (left.fetch_sub(1) == 0) throw std::runtime_error("tired");
          return a.key < b.key;
        });
      } catch (std::runtime_error const&) {
        has_thrown = true;
      }
      ASSERT_EQ(sorted, has_thrown ? x : stably_sorted(x)) << last << " calls, " << threads;
    }
  }
}

TEST(sort_on_threads, an_order_that_throws_leaves_the_input_of_buckets_as_it_was) {
  every_call_starts_threads const small_too;
  auto const x = random_elements(5'000, 3'000);
  for (int last = 0; last < 60'000; last += 1'999) {
    std::atomic<int> left = last;
    auto sorted = x;
    EXPECT_THROW(upsweep::sort(cpu{.threads = 4}, sorted,
                               [&](labeled const& a, labeled const& b) {
                                 if (left.fetch_sub(1) == 0) throw std::runtime_error("tired");
                                 return a.key < b.key;
                               }),
                 std::runtime_error);
    ASSERT_EQ(sorted, x) << last << " calls";
  }
}

TEST(sort_on_threads, each_element_is_stored_once_whatever_the_order_answers) {
  auto const orders = broken_orders();
  at_every_size([&](std::size_t n) {
    for (std::size_t which = 0; which < orders.size(); ++which)
      for (int const threads : team_sizes) {
        auto x = random_elements(n, 50);
        upsweep::sort(cpu{.threads = threads}, x, of_the_input{orders[which], n});
        for (labeled const& element : x) ASSERT_LT(element.label, n);
        // If the answers change, threads that ask for the same border differ.
        bool const is_pure = which + 1 < orders.size();
        ASSERT_TRUE(!is_pure || is_permutation_of_labels(x, n))
            << n << " elements, order " << which;
      }
  });
}

}  // namespace
}  // namespace upsweep::test
