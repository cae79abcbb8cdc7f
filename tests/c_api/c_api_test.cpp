/// The C interface: every type with every operator against plain loops, the bits of the C++
/// interface, and each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::expected;
using upsweep::test::small_values;
using upsweep::test::type_of;
using upsweep::test::value_at;

template <class T>
void check_against_plain_loops(upsweep_operator op) {
  upsweep_type result;
  if (upsweep_result_type(type_of<T>(), op, &result) == UPSWEEP_UNSUPPORTED) return;
  std::size_t const size = upsweep_type_size(result);
  for (std::size_t n :
       {std::size_t{1}, std::size_t{2}, std::size_t{31}, std::size_t{64}, std::size_t{100}}) {
    SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", operator " + std::to_string(op) +
                 ", n = " + std::to_string(n));
    auto const x = small_values<T>(n);
    std::vector<double> const values(x.begin(), x.end());
    std::vector<std::byte> one(size), out(n * size);
    ASSERT_EQ(upsweep_reduce(type_of<T>(), op, x.data(), n, nullptr, one.data()), UPSWEEP_OK)
        << upsweep_last_error_message();
    EXPECT_EQ(value_at(result, one, 0), expected(op, values, n));
    ASSERT_EQ(upsweep_inclusive_scan(type_of<T>(), op, x.data(), n, nullptr, out.data()),
              UPSWEEP_OK)
        << upsweep_last_error_message();
    for (std::size_t i = 0; i < n; ++i)
      ASSERT_EQ(value_at(result, out, i), expected(op, values, i + 1)) << "inclusive, at " << i;
    ASSERT_EQ(upsweep_exclusive_scan(type_of<T>(), op, x.data(), n, nullptr, out.data()),
              UPSWEEP_OK)
        << upsweep_last_error_message();
    for (std::size_t i = 1; i < n; ++i)
      ASSERT_EQ(value_at(result, out, i), expected(op, values, i)) << "exclusive, at " << i;
  }
}

template <class T>
void check_all_operators() {
  for (int op = UPSWEEP_SUM; op <= upsweep::c_api::last_operator; ++op)
    check_against_plain_loops<T>(static_cast<upsweep_operator>(op));
}

TEST(c_api, agrees_with_plain_loops_for_every_integer_type_and_operator) {
  check_all_operators<std::int8_t>();
  check_all_operators<std::int16_t>();
  check_all_operators<std::int32_t>();
  check_all_operators<std::int64_t>();
  check_all_operators<std::uint8_t>();
  check_all_operators<std::uint16_t>();
  check_all_operators<std::uint32_t>();
  check_all_operators<std::uint64_t>();
}

TEST(c_api, agrees_with_plain_loops_for_every_float_type_and_operator) {
#ifdef UPSWEEP_HAS_FLOAT16
  check_all_operators<upsweep::float16>();
#endif
  check_all_operators<upsweep::bfloat16>();
  check_all_operators<float>();
  check_all_operators<double>();
}

TEST(c_api, supports_exactly_the_pairs_that_the_header_lists) {
  int pairs = 0;
  for (int type = UPSWEEP_I8; type <= UPSWEEP_F64; ++type)
    for (int op = UPSWEEP_SUM; op <= upsweep::c_api::last_operator; ++op) {
      bool const integer = type <= UPSWEEP_U64;
      auto const& entry =
          upsweep::catalog::entry_of(upsweep::c_api::id_of(static_cast<upsweep_operator>(op)));
      bool const integers_only = entry.takes == upsweep::catalog::operand_kind::integers;
      bool const floats_only = op == UPSWEEP_EXACT_SUM;
#ifndef UPSWEEP_HAS_FLOAT16
      if (type == UPSWEEP_F16) continue;
#endif
      upsweep_type result;
      auto const status = upsweep_result_type(static_cast<upsweep_type>(type),
                                              static_cast<upsweep_operator>(op), &result);
      EXPECT_EQ(status, (integer ? floats_only : integers_only) ? UPSWEEP_UNSUPPORTED : UPSWEEP_OK)
          << "type " << type << ", operator " << op;
      pairs += status == UPSWEEP_OK;
    }
  EXPECT_GT(pairs, 150);
}

TEST(c_api, gives_the_bits_of_the_cpp_interface_on_any_number_of_threads_and_in_both_directions) {
  unsigned const seed = 20240;
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> x(300'007), expect(x.size()), out(x.size());
  for (float& value : x) value = uniform(random);
  for (bool reverse : {false, true}) {
    float const total = upsweep::reduce(upsweep::serial{}, x, upsweep::plus{},
                                        {.initial = 0.5f, .reverse = reverse});
    upsweep::inclusive_scan(upsweep::serial{}, x, expect, upsweep::plus{},
                            {.initial = 0.5f, .reverse = reverse});
    for (int threads : {0, 1, 2, 3, 7}) {
      float const initial = 0.5f;
      upsweep_options options = UPSWEEP_OPTIONS_INIT;
      options.threads = threads;
      options.flags = reverse ? unsigned{UPSWEEP_REVERSE} : 0u;
      options.initial = &initial;
      float result = 0;
      ASSERT_EQ(upsweep_reduce(UPSWEEP_F32, UPSWEEP_SUM, x.data(), x.size(), &options, &result),
                UPSWEEP_OK);
      EXPECT_EQ(std::bit_cast<std::uint32_t>(result), std::bit_cast<std::uint32_t>(total))
          << threads << " threads, reverse " << reverse;
      ASSERT_EQ(upsweep_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, x.data(), x.size(), &options,
                                       out.data()),
                UPSWEEP_OK);
      EXPECT_EQ(std::memcmp(out.data(), expect.data(), out.size() * sizeof(float)), 0)
          << threads << " threads, reverse " << reverse;
    }
  }
}

TEST(c_api, sums_exactly_where_a_plain_sum_loses_everything) {
  double const x[] = {1e100, 1.0, -1e100, 0x1p-60};
  double total = 0;
  ASSERT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_EXACT_SUM, x, 4, nullptr, &total), UPSWEEP_OK);
  EXPECT_EQ(total, 1.0);
}

TEST(c_api, scans_in_place) {
  std::vector<std::int64_t> x(5000, 1);
  ASSERT_EQ(upsweep_inclusive_scan(UPSWEEP_I64, UPSWEEP_SUM, x.data(), x.size(), nullptr, x.data()),
            UPSWEEP_OK);
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(x[i], static_cast<std::int64_t>(i + 1));
}

TEST(c_api, answers_an_empty_input_with_the_initial_value_or_the_identity) {
  double out = -1;
  EXPECT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_MAX, nullptr, 0, nullptr, &out), UPSWEEP_OK);
  EXPECT_EQ(out, -std::numeric_limits<double>::infinity());
  double const initial = 42;
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.initial = &initial;
  EXPECT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_MAX, nullptr, 0, &options, &out), UPSWEEP_OK);
  EXPECT_EQ(out, 42);
  EXPECT_EQ(upsweep_inclusive_scan(UPSWEEP_F64, UPSWEEP_SUM, nullptr, 0, nullptr, nullptr),
            UPSWEEP_OK);
}

TEST(c_api, finds_no_extreme_in_an_empty_input) {
  for (upsweep_operator const op : {UPSWEEP_ARGMIN, UPSWEEP_ARGMAX}) {
    std::uint64_t where = 7;
    expect_refused(upsweep_reduce(UPSWEEP_F64, op, nullptr, 0, nullptr, &where),
                   UPSWEEP_INVALID_ARGUMENT, "the input is empty");
    EXPECT_EQ(std::string::npos, std::string(upsweep_last_error_message()).find(".initial"));
    EXPECT_EQ(where, 7u);
    double const x = 3;
    EXPECT_EQ(upsweep_exclusive_scan(UPSWEEP_F64, op, &x, 1, nullptr, &where), UPSWEEP_OK);
    EXPECT_EQ(where, UINT64_MAX);
  }
}

TEST(c_api, refuses_wrong_arguments_with_a_code_and_a_sentence_and_leaves_the_output_alone) {
  float const x[4] = {1, 2, 3, 4};
  float out = -1;
  auto reduce = [&](int type, int op, void const* in, std::size_t n,
                    upsweep_options const* options) {
    return upsweep_reduce(static_cast<upsweep_type>(type), static_cast<upsweep_operator>(op), in, n,
                          options, &out);
  };
  expect_refused(reduce(99, UPSWEEP_SUM, x, 4, nullptr), UPSWEEP_INVALID_ARGUMENT,
                 "99 is not an upsweep_type");
  expect_refused(reduce(UPSWEEP_F32, -3, x, 4, nullptr), UPSWEEP_INVALID_ARGUMENT,
                 "-3 is not an upsweep_operator");
  expect_refused(reduce(UPSWEEP_F32, UPSWEEP_BIT_OR, x, 4, nullptr), UPSWEEP_UNSUPPORTED,
                 "UPSWEEP_BIT_OR is not defined for UPSWEEP_F32");
  expect_refused(reduce(UPSWEEP_F32, UPSWEEP_SUM, nullptr, 4, nullptr), UPSWEEP_INVALID_ARGUMENT,
                 "`in` is NULL, but n is 4");
  expect_refused(reduce(UPSWEEP_F32, UPSWEEP_SUM, reinterpret_cast<char const*>(x) + 1, 2, nullptr),
                 UPSWEEP_INVALID_ARGUMENT, "not aligned");
  alignas(double) char room[5 * sizeof(double)];
  expect_refused(upsweep_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr, room + 1),
                 UPSWEEP_INVALID_ARGUMENT, "`out` is not aligned");
  expect_refused(upsweep_inclusive_scan(UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr, room + 2),
                 UPSWEEP_INVALID_ARGUMENT, "`out` is not aligned");
  expect_refused(upsweep_reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr, nullptr),
                 UPSWEEP_INVALID_ARGUMENT, "`out` is NULL");

  auto with = [&](auto change) {
    upsweep_options options = UPSWEEP_OPTIONS_INIT;
    change(options);
    return reduce(UPSWEEP_F32, UPSWEEP_SUM, x, 4, &options);
  };
  expect_refused(with([](auto& o) { o.threads = -1; }), UPSWEEP_INVALID_ARGUMENT,
                 "options->threads is -1");
  expect_refused(with([](auto& o) { o.mode = static_cast<upsweep_mode>(5); }),
                 UPSWEEP_INVALID_ARGUMENT, "options->mode is 5");
  expect_refused(with([](auto& o) { o.flags = 6; }), UPSWEEP_INVALID_ARGUMENT,
                 "options->flags is 6");
  expect_refused(with([](auto& o) { o.size = 4096; }), UPSWEEP_INVALID_ARGUMENT,
                 "options->size is 4096");

  float const initial = 0;
  upsweep_options options = UPSWEEP_OPTIONS_INIT;
  options.initial = &initial;
  expect_refused(reduce(UPSWEEP_F32, UPSWEEP_ARGMIN, x, 4, &options), UPSWEEP_INVALID_ARGUMENT,
                 "UPSWEEP_ARGMIN takes no initial value");
  EXPECT_EQ(out, -1);
}

TEST(c_api, refuses_a_partial_overlap) {
  std::vector<double> x(10, 1.0);
  expect_refused(
      upsweep_inclusive_scan(UPSWEEP_F64, UPSWEEP_SUM, x.data(), 9, nullptr, x.data() + 1),
      UPSWEEP_INVALID_ARGUMENT, "overlap");
  EXPECT_EQ(x, std::vector<double>(10, 1.0));
}

TEST(c_api, reads_only_the_options_that_the_caller_knows) {
  struct {
    std::size_t size;
    int threads;
  } const older = {offsetof(upsweep_options, mode), 1};
  upsweep_options options;
  std::memset(&options, 0xff, sizeof options);
  std::memcpy(&options, &older, older.size);
  double const x = 3;
  double out = 0;
  EXPECT_EQ(upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, &x, 1, &options, &out), UPSWEEP_OK)
      << upsweep_last_error_message();
  EXPECT_EQ(out, 3);
}

TEST(c_api, keeps_the_last_error_of_each_thread_apart) {
  std::int64_t const x[] = {INT64_MAX, 1};
  std::int64_t out = 0;
  ASSERT_EQ(upsweep_reduce(UPSWEEP_I64, UPSWEEP_CHECKED_SUM, x, 2, nullptr, &out),
            UPSWEEP_OVERFLOW);
  std::string const mine = upsweep_last_error_message();
  EXPECT_EQ(upsweep_last_error_index(), 1u);
  std::thread([] {
    EXPECT_STREQ(upsweep_last_error_message(), "");
    EXPECT_EQ(upsweep_reduce(UPSWEEP_F32, UPSWEEP_GCD, nullptr, 0, nullptr, nullptr),
              UPSWEEP_UNSUPPORTED);
  }).join();
  EXPECT_EQ(mine, upsweep_last_error_message());
}

}  // namespace
