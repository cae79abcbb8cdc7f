/// Every allocation of the functions built on scan fails in turn: the code is
/// UPSWEEP_OUT_OF_MEMORY or the results are right, and what the header says is unchanged is.
#include <upsweep/upsweep.h>
#include <support/faulty_new.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace {

/// The input of all calls, and outputs of which a call uses some.
struct arrays {
  static constexpr std::size_t n = 300'000;
  std::vector<float> x = std::vector<float>(n), out = x;
  std::vector<std::int32_t> keys = std::vector<std::int32_t>(n), more_keys = keys;
  std::vector<std::uint8_t> flags = std::vector<std::uint8_t>(n);
  std::vector<std::uint64_t> positions = std::vector<std::uint64_t>(n + 1), offsets;
  double quantiles[6] = {};
  std::size_t count = 99;
  upsweep_outside_counts outside = {};

  arrays() {
    for (std::size_t i = 0; i < n; ++i) {
      x[i] = static_cast<float>((i * 7919) % 10007);
      keys[i] = static_cast<std::int32_t>(i / 5 * 31 % 64);
      flags[i] = i % 3 == 0;
    }
    for (std::size_t i = 0; i <= n; i += 1000) offsets.push_back(i);
  }
  friend bool operator==(arrays const& a, arrays const& b) {
    return a.x == b.x && a.out == b.out && a.keys == b.keys && a.more_keys == b.more_keys &&
           a.positions == b.positions && std::ranges::equal(a.quantiles, b.quantiles) &&
           a.count == b.count;
  }
};

/// What a call keeps where memory runs out.
enum class keeps { everything, input };

using function = std::function<upsweep_status(arrays&, upsweep_options const*)>;

void expect_survives(char const* name, keeps what, function const& call) {
  SCOPED_TRACE(name);
  arrays const before;
  std::size_t failures = 0;  // on one thread, a call may take no memory
  for (int const threads : {1, 4}) {
    upsweep_options o = UPSWEEP_OPTIONS_INIT;
    o.threads = threads;
    arrays expected = before;
    ASSERT_EQ(call(expected, &o), UPSWEEP_OK) << upsweep_last_error_message();
    for (std::ptrdiff_t k = 0;; k = k < 40 ? k + 1 : k * 2) {
      arrays a = before;
      upsweep::test::arm(k);
      upsweep_status const status = call(a, &o);
      upsweep::test::disarm();
      if (!upsweep::test::fault_happened) {
        ASSERT_EQ(status, UPSWEEP_OK);
        break;
      }
      if (status == UPSWEEP_OK) {  // it did without that memory
        EXPECT_TRUE(a == expected) << k;
        continue;
      }
      ++failures;
      ASSERT_EQ(status, UPSWEEP_OUT_OF_MEMORY) << k << ": " << upsweep_last_error_message();
      EXPECT_TRUE(what == keeps::everything ? a == before : a.x == before.x) << k;
    }
  }
  EXPECT_GT(failures, 0u);
}

constexpr std::size_t n = arrays::n;

TEST(c_memory, of_selections_runs_out) {
  expect_survives("select", keeps::input, [](arrays& a, upsweep_options const* o) {
    return upsweep_select(UPSWEEP_F32, a.x.data(), a.flags.data(), n, o, a.out.data(), n, &a.count);
  });
  expect_survives("unique", keeps::input, [](arrays& a, upsweep_options const* o) {
    return upsweep_unique(UPSWEEP_I32, a.keys.data(), n, o, a.more_keys.data(), n, &a.count);
  });
}

TEST(c_memory, of_segments_and_runs_runs_out) {
  expect_survives("reduce_runs", keeps::input, [](arrays& a, upsweep_options const* o) {
    return upsweep_reduce_runs(UPSWEEP_I32, a.keys.data(), UPSWEEP_F32, UPSWEEP_SUM, a.x.data(), n,
                               o, a.more_keys.data(), a.out.data(), n, &a.count);
  });
  expect_survives("scan_runs", keeps::input, [](arrays& a, upsweep_options const* o) {
    return upsweep_inclusive_scan_runs(UPSWEEP_I32, a.keys.data(), UPSWEEP_F32, UPSWEEP_EXACT_SUM,
                                       a.x.data(), n, o, a.out.data());
  });
  expect_survives("windowed", keeps::input, [](arrays& a, upsweep_options const* o) {
    return upsweep_windowed(UPSWEEP_F32, UPSWEEP_SUM, a.x.data(), n, 100, o, a.out.data());
  });
}

TEST(c_memory, of_sorts_runs_out_and_leaves_arrays_alone) {
  expect_survives("sort", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_sort(UPSWEEP_F32, a.x.data(), n, o, a.x.data());
  });
  expect_survives("sort_by_key", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_sort_by_key(UPSWEEP_I32, a.keys.data(), UPSWEEP_F32, a.x.data(), n, o);
  });
  expect_survives("argsort", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_argsort(UPSWEEP_F32, a.x.data(), n, o, a.positions.data());
  });
  expect_survives("top", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_top(UPSWEEP_F32, a.x.data(), n, 100, o, a.out.data());
  });
  expect_survives("quantile", keeps::input, [](arrays& a, upsweep_options const* o) {
    double const q[] = {0.1, 0.2, 0.3, 0.4, 0.5, 0.6};
    return upsweep_quantile(UPSWEEP_F32, a.x.data(), n, q, 6, o, a.quantiles);
  });
}

TEST(c_memory, of_histograms_runs_out_and_leaves_counts_alone) {
  expect_survives("histogram", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_histogram(UPSWEEP_F32, a.x.data(), n, 0, 10'000, 100, o, a.positions.data(),
                             &a.outside);
  });
  expect_survives("count_indices", keeps::everything, [](arrays& a, upsweep_options const* o) {
    return upsweep_count_indices(UPSWEEP_I32, a.keys.data(), n, o, a.positions.data(), 64);
  });
  expect_survives("weighted_histogram", keeps::input, [](arrays& a, upsweep_options const* o) {
    upsweep_histogram_weights const weights{UPSWEEP_F32, UPSWEEP_SUM, a.x.data()};
    return upsweep_weighted_histogram(UPSWEEP_I32, a.keys.data(), &weights, n, 0, 64, 64, o,
                                      a.out.data(), &a.outside);
  });
}

TEST(c_memory, of_functions_of_the_caller_runs_out) {
  expect_survives("sort_by", keeps::everything, [](arrays& a, upsweep_options const* o) {
    auto const less = [](void const* x, void const* y, void*) -> int {
      return *static_cast<float const*>(x) < *static_cast<float const*>(y);
    };
    return upsweep_sort_by(a.x.data(), n, sizeof(float), less, nullptr, o);
  });
  expect_survives("unique_by", keeps::input, [](arrays& a, upsweep_options const* o) {
    auto const equal = [](void const* x, void const* y, void*) -> int {
      return *static_cast<std::int32_t const*>(x) == *static_cast<std::int32_t const*>(y);
    };
    return upsweep_unique_by(a.keys.data(), n, sizeof(std::int32_t), equal, nullptr, o,
                             a.more_keys.data(), n, &a.count);
  });
}

}  // namespace
