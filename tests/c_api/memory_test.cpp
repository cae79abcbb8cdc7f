/// What the C interface allocates, and what it does when an allocation fails.
#include <upsweep/upsweep.h>
#include <support/faulty_new.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

namespace {

// Properties of every verb, type and operator of the C interface: a call that succeeds allocates
// nothing of its own, and an array that is not aligned to its type is refused.

constexpr std::size_t few = 8;

struct verb {
  char const* name;
  decltype(&upsweep_reduce) call;
};
constexpr verb verbs[] = {{"upsweep_reduce", upsweep_reduce},
                          {"upsweep_inclusive_scan", upsweep_inclusive_scan},
                          {"upsweep_exclusive_scan", upsweep_exclusive_scan}};

/// Calls f(verb, type, operator, type of the results) for all that exist.
void for_every_call(
    std::function<void(verb const&, upsweep_type, upsweep_operator, upsweep_type)> const& f) {
  std::size_t calls = 0;
  for (int t = UPSWEEP_I8; t <= UPSWEEP_F64; ++t)
    for (int o = UPSWEEP_SUM; o <= upsweep::c_api::last_operator; ++o) {
      auto const type = static_cast<upsweep_type>(t);
      auto const op = static_cast<upsweep_operator>(o);
      upsweep_type result;
      if (upsweep_result_type(type, op, &result) != UPSWEEP_OK) continue;
      for (verb const& v : verbs) {
        SCOPED_TRACE(std::string(v.name) + ", type " + std::to_string(t) + ", operator " +
                     std::to_string(o));
        f(v, type, op, result);
        ++calls;
      }
    }
  EXPECT_GT(calls, 450u);
}

/// What `f` allocates.
template <class F>
std::size_t allocations_of(F const& f) {
  std::size_t const before = upsweep::test::allocations;
  f();
  return upsweep::test::allocations - before;
}

TEST(c_api_calls, allocate_nothing_of_their_own_when_they_succeed) {
  // A scan keeps the nodes of its tree, unless the operator is exact or has a vector kernel; so
  // does that of the C++ interface, but of a few elements.
  double const numbers[100] = {};
  double results[100];
  std::size_t const tree = allocations_of(
      [&] { upsweep::inclusive_scan(numbers, results, [](double a, double b) { return a + b; }); });
  alignas(8) std::byte const in[few * 8] = {};
  alignas(8) std::byte out[few * 8];
  alignas(8) std::byte const zero[8] = {};
  for_every_call([&](verb const& v, upsweep_type type, upsweep_operator op, upsweep_type result) {
    bool const exact = result <= UPSWEEP_U64 || (op != UPSWEEP_SUM && op != UPSWEEP_PRODUCT);
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    options.threads = 1;
    options.flags = UPSWEEP_REVERSE;
    if (op != UPSWEEP_ARGMIN && op != UPSWEEP_ARGMAX) options.initial = zero;
    for (upsweep_options const* given :
         {static_cast<upsweep_options const*>(nullptr), &std::as_const(options)}) {
      upsweep_status status = UPSWEEP_INTERNAL;
      std::size_t const made =
          allocations_of([&] { status = v.call(type, op, in, few, given, out); });
      EXPECT_EQ(status, UPSWEEP_OK) << upsweep_last_error_message();
      EXPECT_LE(made, exact || v.call == upsweep_reduce ? 0u : tree)
          << (given ? "with options" : "without options");
    }
  });
}

void expect_misaligned(upsweep_status status, char const* verb, std::string const& what) {
  EXPECT_EQ(status, UPSWEEP_INVALID_ARGUMENT);
  std::string const sentence = upsweep_last_error_message();
  EXPECT_EQ(
      sentence.find(std::string(verb) + ": " + what + " is not aligned to its type, UPSWEEP_"), 0u)
      << sentence;
}

TEST(c_api_calls, refuse_misaligned_arrays_and_leave_the_output_alone) {
  alignas(8) std::byte const in[few * 8 + 8] = {};
  std::vector<std::byte> const untouched(few * 8 + 8, std::byte{0x5a});
  for_every_call([&](verb const& v, upsweep_type type, upsweep_operator op, upsweep_type result) {
    alignas(8) std::byte out[few * 8 + 8];
    std::copy(untouched.begin(), untouched.end(), out);
    for (std::size_t offset = 1; offset < upsweep_type_size(result); offset *= 2) {
      expect_misaligned(v.call(type, op, in, few, nullptr, out + offset), v.name, "`out`");
      expect_misaligned(v.call(type, op, nullptr, 0, nullptr, out + offset), v.name, "`out`");
      if (op == UPSWEEP_ARGMIN || op == UPSWEEP_ARGMAX) continue;
      upsweep_options options = UPSWEEP_OPTIONS_INIT;
      options.initial = in + offset;
      expect_misaligned(v.call(type, op, in, few, &options, out), v.name, "options->initial");
    }
    for (std::size_t offset = 1; offset < upsweep_type_size(type); offset *= 2)
      expect_misaligned(v.call(type, op, in + offset, few, nullptr, out), v.name, "`in`");
    EXPECT_TRUE(std::equal(untouched.begin(), untouched.end(), out));
  });
}

// Every allocation of the functions built on scan fails in turn: the code is
// UPSWEEP_OUT_OF_MEMORY or the results are right, and what the header says is unchanged is.

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
