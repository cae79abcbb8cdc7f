/// Contract 2: scans by user-defined operators have the reference's bits in blocks by levels
/// (host/scan_levels.hpp) on each kind of processor, and throw what the tree would throw first.
#include "level_scans.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

constexpr std::size_t sizes[] = {128, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 3001};

TEST(scan_levels, of_numbers_have_the_references_bits) {
  for (std::size_t const n : sizes) {
    random_bits next(test_seed() + n);
    std::vector<float> x(n);
    for (float& e : x) e = random_element<float>(next);
    float const scale = 0.75f;
    expect_the_references_scans(x, monoid([scale](float a, float b) { return a * scale + b; }, 0.f),
                                2.f);
    std::vector<double> wide(n);
    for (double& e : wide) e = random_element<double>(next);
    expect_the_references_scans(wide, monoid([](double a, double b) { return a + b / 3; }, 0.), 2.);
  }
}

/// A block may not combine values that the tree does not combine, which might overflow: ranges of
/// positions join only with the ranges that follow them.
TEST(scan_levels, combine_neighbors_only) {
  struct range {
    std::int32_t first, last;
  };
  auto const join = [](range a, range b) {
    if (a.last + 1 != b.first) throw a.last;
    return range{a.first, b.last};
  };
  for (std::size_t const n : sizes) {
    std::vector<range> x(n), out(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)};
    on_each_kind_of_processor([&](std::string const& target) {
      EXPECT_NO_THROW(upsweep::inclusive_scan(serial{}, x, out, join)) << n << ", " << target;
      EXPECT_TRUE(
          std::all_of(out.begin(), out.end(),
                      [&](range const& r) { return r.first == 0 && r.last == &r - out.data(); }))
          << n << ", " << target;
    });
  }
}

/// Threads start in the middle of the array, with a prefix of their own.
TEST(scan_levels, have_the_same_bits_on_every_number_of_threads) {
  std::size_t const n = 100003;
  random_bits next(test_seed());
  std::vector<float> x(n), want(n), out(n);
  for (float& e : x) e = random_element<float>(next);
  auto const op = [](float a, float b) { return a * 0.75f + b; };
  upsweep::inclusive_scan(serial{}, x, want, op);
  for (int threads : {2, 3, 8, 64}) {
    upsweep::inclusive_scan(cpu{.threads = threads}, x, out, op);
    EXPECT_TRUE(same(out, want)) << threads << " threads; " << seed_note();
  }
}

/// Sources and sinks that are not memory of the accumulators' type.
TEST(scan_levels, convert_and_transform) {
  std::size_t const n = 5003;
  random_bits next(test_seed());
  std::vector<std::int16_t> x(n);
  for (auto& e : x) e = static_cast<std::int16_t>(next.below(1000));
  auto const op = monoid([](float a, float b) { return a + b * 0.5f; }, 0.f);
  auto const half = [](std::int16_t e) { return static_cast<float>(e) / 3; };
  std::vector<float> elements(n);
  std::transform(x.begin(), x.end(), elements.begin(), half);
  auto const want = reference::inclusive_scan(elements, op);
  on_each_kind_of_processor([&](std::string const& target) {
    std::vector<double> out(n);
    transform_inclusive_scan(x, out, half, op);
    EXPECT_TRUE(std::equal(out.begin(), out.end(), want.begin())) << target;
  });
}

/// An operator that refuses some values throws for the one that the tree meets first, whichever
/// order the block combines them in.
TEST(scan_levels, throw_the_first_exception_in_input_order) {
  std::size_t const n = 4096;
  struct range {
    std::int32_t first, last;
  };
  for (std::size_t const bad : {0u, 1u, 63u, 64u, 511u, 700u, 1024u, 4095u}) {
    std::vector<range> x(n);
    for (std::size_t i = 0; i < n; ++i)
      x[i] = {static_cast<std::int32_t>(i), static_cast<std::int32_t>(i)};
    x[bad].first = x[n - 1].first = -1 - static_cast<std::int32_t>(bad);
    x[n - 1].first = -9999;
    auto const join = [](range a, range b) {
      if (a.first < 0) throw a.first;
      if (b.first < 0) throw b.first;
      return range{a.first, b.last};
    };
    on_each_kind_of_processor([&](std::string const& target) {
      for (int threads : {1, 3}) {
        std::vector<range> out(n);
        try {
          upsweep::inclusive_scan(cpu{.threads = threads}, x, out, join);
          ADD_FAILURE() << "nothing was thrown";
        } catch (std::int32_t first) {
          EXPECT_EQ(first, bad == n - 1 ? -9999 : -1 - static_cast<std::int32_t>(bad))
              << threads << " threads, " << target;
        }
      }
    });
  }
}

/// On the way down, in the first block and in one after it: only prefixes are refused, no node is.
TEST(scan_levels, throw_for_prefixes_too) {
  std::size_t const n = 3000;
  std::vector<std::int32_t> const ones(n, 1);
  for (std::int32_t const refused : {555, 1555}) {
    auto const add = [refused](std::int32_t a, std::int32_t b) {
      if (a + b == refused) throw a + b;
      return a + b;
    };
    on_each_kind_of_processor([&](std::string const& target) {
      std::vector<std::int32_t> out(n);
      EXPECT_THROW(upsweep::inclusive_scan(serial{}, ones, out, add), std::int32_t) << target;
      EXPECT_EQ(out[static_cast<std::size_t>(refused) - 2], refused - 1)
          << "results before it are stored, " << target;
    });
  }
}

/// Where results overwrite the elements, too, whichever way blocks are combined.
TEST(scan_levels, throw_the_first_exception_in_place) {
  std::size_t const n = 3000;
  auto const add = [](std::int64_t a, std::int64_t b) {
    if (a + b == 1555 || a + b == 1556) throw a + b;
    return a + b;
  };
  on_each_kind_of_processor([&](std::string const& target) {
    for (int call = 0; call < 9; ++call) {
      std::vector<std::int64_t> x(n, 1);
      try {
        upsweep::inclusive_scan(serial{}, x, x, add);
        ADD_FAILURE() << "nothing was thrown, " << target;
      } catch (std::int64_t first) {
        EXPECT_EQ(first, 1556) << "from four elements further on, " << target;
        EXPECT_EQ(x[1551], 1552) << target;
      }
    }
  });
}

/// What others computed wrong: scans by operators that are not commutative, refuse values that are
/// not in the input, have no identity, with initial values, in place, on many threads.
TEST(scan_levels, give_the_values_that_reports_about_others_expect) {
  auto const add = [](int a, int b) { return a + b; };
  std::vector<int> const eight{1, 1, 2, 2, 3, 3, 4, 4};  // HPX 1390: 201, 202, 304, ...
  std::vector<int> out(8);
  upsweep::inclusive_scan(eight, out, add, {.initial = 100});
  EXPECT_EQ(out, (std::vector<int>{101, 102, 104, 106, 109, 112, 116, 120}));
  std::vector<int> zeros(10, 5);  // Chapel 13337: -2, and Kokkos 3584: zeros
  std::vector<int> const down_and_up{5, 4, 3, 2, 1, 0, 1, 2, 3, 4};
  upsweep::inclusive_scan(down_and_up, zeros, [](int a, int b) { return a < b ? a : b; });
  EXPECT_EQ(zeros, (std::vector<int>{5, 4, 3, 2, 1, 0, 0, 0, 0, 0}));
  std::vector<double> products(10);
  upsweep::inclusive_scan(std::vector<double>(10, 2.), products,
                          [](double a, double b) { return a * b; });
  EXPECT_EQ(products[9], 1024.);

  std::size_t const n = 10000;
  for (int threads : {1, 2, 11, 128}) {
    cpu const on{.threads = threads};
    // domainslib 59: the last one 5, or out of bounds; oneDPL 637: in place.
    std::vector<int> ones(n, 1);
    upsweep::exclusive_scan(on, ones, ones, monoid(add, 0));
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(ones[i], static_cast<int>(i)) << threads;
    // CCCL 9725: 79 elements for each of 128 threads, none for the last, whose total was read.
    std::vector<int> even(n), largest(n);
    for (std::size_t i = 0; i < n; ++i) even[i] = static_cast<int>(2 * (i * 7919 % n));
    auto const larger = [](int a, int b) {
      if ((a | b) % 2 != 0 || a > 19998 || b > 19998) throw a;
      return a < b ? b : a;
    };
    EXPECT_NO_THROW(upsweep::inclusive_scan(on, even, largest, larger)) << threads;
    for (std::size_t i = 1; i < n; ++i)
      ASSERT_EQ(largest[i], std::max(largest[i - 1], even[i])) << threads;
    // CCCL 8242: the last number that was written, through those that read (0).
    std::vector<char> written(n), last(n);
    for (std::size_t i = 0; i < n; ++i)
      written[i] = i % 1300 == 7 ? static_cast<char>(i % 97) : '\0';
    upsweep::inclusive_scan(on, written, last, [](char a, char b) { return b == '\0' ? a : b; });
    for (std::size_t i = 1; i < n; ++i)
      ASSERT_EQ(last[i], written[i] == '\0' ? last[i - 1] : written[i]) << threads;
    // domainslib 116: the response of a decay by a half, 1, 1, 0.5, 1.
    struct decay {
      double factor, value;
    };
    std::vector<decay> steps(n, decay{0.5, 0.}), states(n);
    steps[0].value = 1;
    upsweep::inclusive_scan(on, steps, states, [](decay a, decay b) {
      return decay{a.factor * b.factor, b.factor * a.value + b.value};
    });
    for (std::size_t i = 0; i < 1000; ++i)
      ASSERT_EQ(states[i].value, std::ldexp(1., -static_cast<int>(i))) << threads;
  }
}

}  // namespace
}  // namespace upsweep::test
