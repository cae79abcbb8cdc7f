/// upsweep_select and its relatives: every type against plain loops, outputs that are too small,
/// and each error.
#include <upsweep/upsweep.h>
#include <c_api/plain_loops.hpp>
#include <support/random.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace {

using namespace upsweep::test;

constexpr std::size_t sizes[] = {0, 1, 31, 1000, 70'001};

upsweep_options with_threads(int threads) {
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.threads = threads;
  return o;
}

/// Few different values, so that neighbors are often equal; of floats, NaN and both zeros too.
template <class T>
std::vector<T> few_values(std::size_t n, random_bits& next) {
  std::vector<T> x(n);
  for (T& value : x) {
    auto const k = next.below(8);
    value = static_cast<T>(static_cast<float>(k / 2));
    if constexpr (!std::is_integral_v<T>) {
      if (k == 6) value = static_cast<T>(std::numeric_limits<float>::quiet_NaN());
      if (k == 7) value = static_cast<T>(-0.0f);
    }
  }
  return x;
}

std::vector<std::uint8_t> random_flags(std::size_t n, random_bits& next) {
  std::vector<std::uint8_t> flags(n);
  for (auto& flag : flags) flag = static_cast<std::uint8_t>(next.below(3) * 100);
  return flags;
}

/// Calls call(out, capacity, &count) with the right capacity and with one too small, and compares
/// what is stored.
template <class T, class Call>
void expect_stored(std::vector<T> const& expected, Call const& call) {
  std::size_t const needed = expected.size();
  std::vector<T> out(needed + 1);
  std::memset(static_cast<void*>(out.data()), 0x5a, out.size() * sizeof(T));
  T const fence = out.back();
  std::size_t count = 99;
  ASSERT_EQ(call(out.data(), needed, &count), UPSWEEP_OK) << upsweep_last_error_message();
  EXPECT_EQ(count, needed);
  EXPECT_EQ(std::memcmp(&out.back(), &fence, sizeof fence), 0);
  out.pop_back();
  EXPECT_TRUE(same_bytes(out, expected));
  if (needed == 0) return;
  std::memset(static_cast<void*>(out.data()), 0x5a, out.size() * sizeof(T));
  expect_refused(call(out.data(), needed - 1, &count), UPSWEEP_CAPACITY,
                 "has room for " + std::to_string(needed - 1) + " elements, but there are " +
                     std::to_string(needed));
  EXPECT_EQ(count, needed);
  EXPECT_EQ(std::memcmp(&out.back(), &fence, sizeof fence), 0);
  EXPECT_EQ(std::memcmp(out.data(), expected.data(), (needed - 1) * sizeof(T)), 0);
}

/// Calls f.operator()<T>(x, flags, options) for inputs of every type and many sizes.
template <class F>
void for_every_input(F const& f) {
  SCOPED_TRACE(seed_note());
  random_bits next(test_seed());
  for_each_type_in_c([&]<class T>() {
    for (std::size_t const n : sizes)
      for (int const threads : {1, 3}) {
        SCOPED_TRACE("type " + std::to_string(type_of<T>()) + ", n = " + std::to_string(n) + ", " +
                     std::to_string(threads) + " threads");
        upsweep_options const o = with_threads(threads);
        f.template operator()<T>(few_values<T>(n, next), random_flags(n, next), o);
      }
  });
}

TEST(c_selections, keep_the_elements_whose_flag_is_not_zero) {
  for_every_input([]<class T>(std::vector<T> const& x, std::vector<std::uint8_t> const& flags,
                              upsweep_options const& o) {
    std::vector<T> expected, others;
    std::vector<std::uint64_t> positions;
    for (std::size_t i = 0; i < x.size(); ++i) {
      (flags[i] != 0 ? expected : others).push_back(x[i]);
      if (flags[i] != 0) positions.push_back(i);
    }
    expect_stored<T>(expected, [&](T* out, std::size_t room, std::size_t* count) {
      return upsweep_select(type_of<T>(), x.data(), flags.data(), x.size(), &o, out, room, count);
    });
    expect_stored<std::uint64_t>(
        positions, [&](std::uint64_t* out, std::size_t room, std::size_t* count) {
          return upsweep_select_positions(flags.data(), x.size(), &o, out, room, count);
        });
    std::vector<T> no(others.size());
    expect_stored<T>(expected, [&](T* yes, std::size_t room, std::size_t* count) {
      auto const status = upsweep_partition(type_of<T>(), x.data(), flags.data(), x.size(), &o, yes,
                                            room, no.data(), no.size(), count);
      EXPECT_TRUE(same_bytes(no, others));
      return status;
    });
    std::vector<T> in_place = x;
    std::size_t count = 0;
    ASSERT_EQ(upsweep_select(type_of<T>(), in_place.data(), flags.data(), x.size(), &o,
                             in_place.data(), x.size(), &count),
              UPSWEEP_OK);
    in_place.resize(count);
    EXPECT_TRUE(same_bytes(in_place, expected));
  });
}

TEST(c_selections, divide_elements_into_three_parts) {
  for_every_input([]<class T>(std::vector<T> const& x, std::vector<std::uint8_t> const& flags,
                              upsweep_options const& o) {
    std::vector<std::uint8_t> parts(flags);  // 0, 1, 2, and sometimes 100
    for (std::size_t i = 0; i < parts.size(); ++i)
      parts[i] = static_cast<std::uint8_t>(flags[i] > 0 && i % 7 == 0 ? 100 : flags[i] / 100);
    std::vector<T> expected[3], found[3];
    for (std::size_t i = 0; i < x.size(); ++i)
      expected[parts[i] < 2 ? parts[i] : 2].push_back(x[i]);
    void* out[3];
    std::size_t room[3], counts[3] = {99, 99, 99};
    for (int k = 0; k < 3; ++k) {
      found[k].resize(room[k] = expected[k].size());
      out[k] = found[k].data();
    }
    ASSERT_EQ(upsweep_partition_three_way(type_of<T>(), x.data(), parts.data(), x.size(), &o, out,
                                          room, counts),
              UPSWEEP_OK)
        << upsweep_last_error_message();
    for (int k = 0; k < 3; ++k) {
      EXPECT_EQ(counts[k], expected[k].size());
      EXPECT_TRUE(same_bytes(found[k], expected[k])) << "part " << k;
    }
    if (expected[2].empty()) return;
    --room[2];
    expect_refused(upsweep_partition_three_way(type_of<T>(), x.data(), parts.data(), x.size(), &o,
                                               out, room, counts),
                   UPSWEEP_CAPACITY,
                   "upsweep_partition_three_way: `out[2]` has room for " + std::to_string(room[2]));
    EXPECT_EQ(counts[2], room[2] + 1);
  });
}

TEST(c_selections, refuse_wrong_calls_of_three_parts) {
  double x[4] = {1, 2, 3, 4}, y[6] = {-1, -1, -1, -1, -1, -1};
  std::uint8_t const parts[4] = {0, 1, 2, 3};
  std::size_t const room[3] = {2, 2, 2};
  std::size_t count[3] = {7, 7, 7};
  auto const refused = [&](void* a, void* b, void* c, char const* words) {
    void* const out[3] = {a, b, c};
    expect_refused(upsweep_partition_three_way(UPSWEEP_F64, x, parts, 4, nullptr, out, room, count),
                   UPSWEEP_INVALID_ARGUMENT, words);
  };
  refused(y, nullptr, y + 4, "`out[1]` is NULL, but capacity[1] is 2");
  refused(y, y + 2, y + 3, "overlap");
  refused(y, y + 1, y + 4, "overlap");
  refused(y, x, y + 4, "overlap");
  expect_refused(
      upsweep_partition_three_way(UPSWEEP_F64, x, parts, 4, nullptr, nullptr, room, count),
      UPSWEEP_INVALID_ARGUMENT, "`out` is NULL");
  EXPECT_EQ(count[0] + count[1] + count[2], 21u);
  for (double const value : y) EXPECT_EQ(value, -1);
}

TEST(c_selections, pad_and_unpad_rows_in_place) {
  for_each_type_in_c([]<class T>() {
    for (std::size_t const rows : {0u, 1u, 3u, 1000u})
      for (std::size_t const columns : {0u, 1u, 7u, 40u})
        for (std::size_t const more : {0u, 1u, 30u}) {
          std::size_t const padded = columns + more;
          std::vector<T> x(rows * padded), wanted(rows * padded);
          T const fill = static_cast<T>(5.0f);
          for (std::size_t i = 0; i < rows * columns; ++i)
            x[i] = static_cast<T>(static_cast<float>(i % 100));
          std::vector<T> const before = x;
          for (T const* const given : {static_cast<T const*>(nullptr), &fill}) {
            for (std::size_t r = 0; r < rows; ++r)
              for (std::size_t c = 0; c < padded; ++c)
                wanted[r * padded + c] = c < columns ? before[r * columns + c] : given ? fill : T{};
            x = before;
            ASSERT_EQ(upsweep_pad(type_of<T>(), x.data(), rows, columns, padded, given, nullptr),
                      UPSWEEP_OK)
                << upsweep_last_error_message();
            EXPECT_TRUE(same_bytes(x, wanted));
            ASSERT_EQ(upsweep_unpad(type_of<T>(), x.data(), rows, columns, padded, nullptr),
                      UPSWEEP_OK);
            for (std::size_t i = 0; i < rows * columns; ++i)
              ASSERT_EQ(static_cast<float>(x[i]), static_cast<float>(before[i])) << i;
          }
        }
  });
}

TEST(c_selections, refuse_wrong_rows) {
  double x[6] = {1, 2, 3, 4, 5, 6};
  expect_refused(upsweep_pad(UPSWEEP_F64, x, 2, 4, 3, nullptr, nullptr), wrong,
                 "upsweep_pad: columns is 4, but padded is only 3");
  expect_refused(upsweep_unpad(UPSWEEP_F64, x, 2, 4, 3, nullptr), wrong,
                 "upsweep_unpad: columns is 4, but padded is only 3");
  expect_refused(upsweep_pad(UPSWEEP_F64, nullptr, 2, 2, 3, nullptr, nullptr), wrong,
                 "`x` is NULL, but rows * padded is 6");
  expect_refused(upsweep_pad(UPSWEEP_F64, x, SIZE_MAX / 2, 2, 3, nullptr, nullptr), wrong,
                 "are more elements than memory can hold");
  expect_refused(upsweep_pad(UPSWEEP_F64, x, 2, 2, 3, reinterpret_cast<char*>(x) + 1, nullptr),
                 wrong, "`fill` is not aligned to its type, UPSWEEP_F64");
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = UPSWEEP_REVERSE;
  expect_refused(upsweep_unpad(UPSWEEP_F64, x, 2, 2, 3, &o), wrong, "takes no flags");
  EXPECT_EQ(x[2], 3);
}

TEST(c_selections, find_runs_of_equal_neighbors) {
  for_every_input([]<class T>(std::vector<T> const& x, std::vector<std::uint8_t> const&,
                              upsweep_options const& o) {
    std::vector<T> first;
    std::vector<std::uint64_t> lengths;
    for (std::size_t i = 0; i < x.size(); ++i) {
      // Compared as float, in which all of these values are exact.
      bool const begins = i == 0 || static_cast<float>(x[i - 1]) != static_cast<float>(x[i]);
      if (begins) first.push_back(x[i]), lengths.push_back(0);
      ++lengths.back();
    }
    expect_stored<T>(first, [&](T* out, std::size_t room, std::size_t* count) {
      return upsweep_unique(type_of<T>(), x.data(), x.size(), &o, out, room, count);
    });
    std::vector<std::uint64_t> found(lengths.size());
    expect_stored<T>(first, [&](T* out, std::size_t room, std::size_t* count) {
      auto const status =
          upsweep_runs(type_of<T>(), x.data(), x.size(), &o, out, found.data(), room, count);
      EXPECT_TRUE(status != UPSWEEP_OK || found == lengths);
      return status;
    });
    std::vector<T> in_place = x;
    std::size_t count = 0;
    ASSERT_EQ(upsweep_unique(type_of<T>(), in_place.data(), x.size(), &o, in_place.data(), x.size(),
                             &count),
              UPSWEEP_OK);
    in_place.resize(count);
    EXPECT_TRUE(same_bytes(in_place, first));
  });
}

TEST(c_selections, name_the_part_of_a_partition_that_has_no_room) {
  double const x[] = {1, 2, 3};
  std::uint8_t const flags[] = {0, 1, 0};
  double yes[1] = {}, no[1] = {};
  std::size_t count = 0;
  expect_refused(upsweep_partition(UPSWEEP_F64, x, flags, 3, nullptr, yes, 1, no, 1, &count),
                 UPSWEEP_CAPACITY,
                 "upsweep_partition: `no` has room for 1 elements, but there are 2");
  EXPECT_EQ(count, 1u);
  EXPECT_EQ(yes[0], 2);
  EXPECT_EQ(no[0], 1);
}

TEST(c_selections, refuse_wrong_calls_and_leave_outputs_alone) {
  double x[4] = {1, 2, 3, 4}, out[4] = {-1, -1, -1, -1};
  std::uint8_t const flags[4] = {1, 1, 1, 1};
  std::size_t count = 7;
  auto select = [&](int type, void const* in, std::uint8_t const* f, upsweep_options const* o,
                    void* to, std::size_t room, std::size_t* c) {
    return upsweep_select(static_cast<upsweep_type>(type), in, f, 4, o, to, room, c);
  };
  expect_refused(select(99, x, flags, nullptr, out, 4, &count), wrong, "not an upsweep_type");
  expect_refused(select(UPSWEEP_F64, nullptr, flags, nullptr, out, 4, &count), wrong,
                 "upsweep_select: `in` is NULL, but n is 4");
  expect_refused(select(UPSWEEP_F64, x, nullptr, nullptr, out, 4, &count), wrong,
                 "`flags` is NULL, but n is 4");
  expect_refused(select(UPSWEEP_F64, x, flags, nullptr, nullptr, 4, &count), wrong,
                 "`out` is NULL, but capacity is 4");
  expect_refused(select(UPSWEEP_F64, x, flags, nullptr, out, 4, nullptr), wrong, "`count` is NULL");
  char* const odd = reinterpret_cast<char*>(out) + 4;
  expect_refused(select(UPSWEEP_F64, odd, flags, nullptr, out, 3, &count), wrong,
                 "`in` is not aligned to its type, UPSWEEP_F64");
  expect_refused(select(UPSWEEP_F64, x, flags, nullptr, odd, 3, &count), wrong,
                 "`out` is not aligned to its type, UPSWEEP_F64");
  expect_refused(select(UPSWEEP_F64, x, flags, nullptr, x + 1, 3, &count), wrong, "overlap");
  expect_refused(
      select(UPSWEEP_F64, out, reinterpret_cast<std::uint8_t*>(x), nullptr, x, 4, &count), wrong,
      "overlap");
  expect_refused(select(UPSWEEP_F64, x, flags, nullptr, out, SIZE_MAX, &count), wrong,
                 "more elements than memory can hold");
  upsweep_options o = UPSWEEP_OPTIONS_INIT;
  o.flags = UPSWEEP_REVERSE;
  expect_refused(select(UPSWEEP_F64, x, flags, &o, out, 4, &count), wrong, "takes no flags");
  o = UPSWEEP_OPTIONS_INIT;
  o.initial = x;
  expect_refused(select(UPSWEEP_F64, x, flags, &o, out, 4, &count), wrong, "takes no initial");
  o = UPSWEEP_OPTIONS_INIT;
  o.threads = -2;
  expect_refused(select(UPSWEEP_F64, x, flags, &o, out, 4, &count), wrong, "threads is -2");
  expect_refused(upsweep_unique(UPSWEEP_F64, x, 4, nullptr, x + 1, 3, &count), wrong, "overlap");
  expect_refused(upsweep_partition(UPSWEEP_F64, x, flags, 4, nullptr, out, 3, out + 2, 2, &count),
                 wrong, "overlap");
  std::uint64_t lengths[4];
  expect_refused(upsweep_runs(UPSWEEP_U64, lengths, 4, nullptr, out, lengths, 4, &count), wrong,
                 "overlap");
  expect_refused(upsweep_select_positions(nullptr, 2, nullptr, lengths, 4, &count), wrong,
                 "upsweep_select_positions: `flags` is NULL");
  EXPECT_EQ(count, 7u);
  for (double const value : out) EXPECT_EQ(value, -1);
  EXPECT_EQ(x[1], 2);
}

}  // namespace
