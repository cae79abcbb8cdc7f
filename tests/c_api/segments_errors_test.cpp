/// What segments, runs and windows of the C interface refuse.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace {

using upsweep::test::expect_refused;
using upsweep::test::wrong;

struct c_segment_calls : testing::Test {
  float x[4] = {1, 2, 3, 4};
  float out[4] = {-1, -1, -1, -1};
  std::int32_t keys[4] = {1, 1, 2, 2}, first[4] = {-1, -1, -1, -1};
  std::uint64_t offsets[3] = {0, 2, 4};
  std::size_t count = 7;

  /// A call of each function, with these changes.
  struct given {
    int type = UPSWEEP_F32, op = UPSWEEP_SUM;
    void const* in;
    void* out;
    upsweep_options const* options = nullptr;
  };
  void expect_each_refused(given const& g, upsweep_status status, std::string const& part) {
    auto const type = static_cast<upsweep_type>(g.type);
    auto const op = static_cast<upsweep_operator>(g.op);
    for (auto const call : {upsweep_reduce_segments, upsweep_inclusive_scan_segments,
                            upsweep_exclusive_scan_segments})
      expect_refused(call(type, op, g.in, 4, offsets, 2, g.options, g.out), status, part);
    expect_refused(upsweep_reduce_runs(UPSWEEP_I32, keys, type, op, g.in, 4, g.options, first,
                                       g.out, 2, &count),
                   status, part);
    for (auto const call : {upsweep_inclusive_scan_runs, upsweep_exclusive_scan_runs})
      expect_refused(call(UPSWEEP_I32, keys, type, op, g.in, 4, g.options, g.out), status, part);
    expect_refused(upsweep_windowed(type, op, g.in, 4, 2, g.options, g.out), status, part);
  }
  void TearDown() override {
    EXPECT_EQ(count, 7u);
    for (float const value : out) EXPECT_EQ(value, -1);
    for (std::int32_t const key : first) EXPECT_EQ(key, -1);
    for (int i = 0; i < 4; ++i) EXPECT_EQ(x[i], static_cast<float>(i + 1));
  }
};

TEST_F(c_segment_calls, refuse_unknown_enumerators_and_pairs) {
  expect_each_refused({.type = 0, .in = x, .out = out}, wrong, "0 is not an upsweep_type");
  expect_each_refused({.op = 77, .in = x, .out = out}, wrong, "77 is not an upsweep_operator");
  expect_each_refused({.op = UPSWEEP_GCD, .in = x, .out = out}, UPSWEEP_UNSUPPORTED,
                      "UPSWEEP_GCD is not defined for UPSWEEP_F32");
  expect_refused(upsweep_reduce_runs(static_cast<upsweep_type>(13), keys, UPSWEEP_F32, UPSWEEP_SUM,
                                     x, 4, nullptr, first, out, 4, &count),
                 wrong, "13 is not an upsweep_type");
}

TEST_F(c_segment_calls, refuse_null_and_misaligned_arrays) {
  char* const odd = reinterpret_cast<char*>(out) + 2;
  expect_each_refused({.in = nullptr, .out = out}, wrong, "`in` is NULL, but n is 4");
  expect_each_refused({.in = x, .out = nullptr}, wrong, "`out` is NULL, but");
  expect_each_refused({.in = odd, .out = out}, wrong, "`in` is not aligned to its type");
  expect_each_refused({.in = x, .out = odd}, wrong, "`out` is not aligned to its type");
  expect_refused(upsweep_reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr, 0, nullptr, out),
                 wrong, "`offsets` is NULL");
  expect_refused(upsweep_reduce_runs(UPSWEEP_I32, nullptr, UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr,
                                     first, out, 4, &count),
                 wrong, "`keys` is NULL, but n is 4");
  expect_refused(upsweep_reduce_runs(UPSWEEP_I32, keys, UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr,
                                     nullptr, out, 4, &count),
                 wrong, "`keys_out` is NULL, but capacity is 4");
  expect_refused(upsweep_reduce_runs(UPSWEEP_I32, keys, UPSWEEP_F32, UPSWEEP_SUM, x, 4, nullptr,
                                     first, out, 4, nullptr),
                 wrong, "`count` is NULL");
}

TEST_F(c_segment_calls, refuse_options_that_they_do_not_know) {
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = UPSWEEP_REVERSE;
  expect_each_refused({.in = x, .out = out, .options = &o}, wrong, "takes no flags");
  o = UPSWEEP_OPTIONS_INIT;
  o.threads = -1;
  expect_each_refused({.in = x, .out = out, .options = &o}, wrong, "threads is -1");
  o = UPSWEEP_OPTIONS_INIT;
  o.initial = reinterpret_cast<char*>(x) + 1;
  expect_each_refused({.in = x, .out = out, .options = &o}, wrong, "options->initial is not");
  o.initial = offsets;
  expect_each_refused({.op = UPSWEEP_ARGMAX, .in = x, .out = offsets, .options = &o}, wrong,
                      "UPSWEEP_ARGMAX takes no initial value");
}

TEST_F(c_segment_calls, refuse_overlaps_other_than_scans_in_place) {
  expect_each_refused({.in = x, .out = x + 1}, wrong, "overlap");
  expect_refused(upsweep_reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, offsets, 2, nullptr, x),
                 wrong, "overlap");
  expect_refused(upsweep_windowed(UPSWEEP_F32, UPSWEEP_SUM, x, 4, 1, nullptr, x), wrong, "overlap");
  std::int64_t wide[4] = {1, 2, 3, 4};
  expect_refused(
      upsweep_inclusive_scan_segments(UPSWEEP_I32, UPSWEEP_SUM, wide, 4, offsets, 2, nullptr, wide),
      wrong, "overlap");
  expect_refused(
      upsweep_inclusive_scan_runs(UPSWEEP_I32, keys, UPSWEEP_I32, UPSWEEP_MAX, x, 4, nullptr, keys),
      wrong, "overlap");
  EXPECT_EQ(wide[1], 2);
  EXPECT_EQ(keys[2], 2);
}

TEST_F(c_segment_calls, refuse_offsets_that_do_not_ascend_from_0_to_n) {
  auto const reduce = [&](std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t const at[] = {a, b, c};
    return upsweep_reduce_segments(UPSWEEP_F32, UPSWEEP_SUM, x, 4, at, 2, nullptr, out);
  };
  expect_refused(reduce(1, 2, 4), wrong, "the first offset must be 0");
  expect_refused(reduce(0, 5, 4), wrong, "offset 2 of 3 is less than the one before it");
  expect_refused(reduce(0, ~std::uint64_t{4}, 4), wrong, "offset 1 of 3 is 2^63 or more");
  expect_refused(reduce(0, 2, 3), wrong, "the last offset is 3, but the input has 4 elements");
  expect_refused(reduce(0, 2, 5), wrong, "the last offset is 5, but the input has 4 elements");
  expect_refused(upsweep_windowed(UPSWEEP_F32, UPSWEEP_SUM, x, 4, 0, nullptr, out), wrong,
                 "the width is 0");
}

}  // namespace
