/// unique_stream, run_stream, reduce_runs_stream, scan_runs_stream and histogram_stream: whatever
/// the chunks, the results of plain loops over all elements.
#include <conformance/contract_test.hpp>
#include <upsweep/histogram.hpp>
#include <upsweep/run_stream.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

std::mt19937_64 source(20240229);

std::size_t number_below(std::size_t n) {
  return source() % n;
}

std::vector<int> random_keys(std::size_t n, std::size_t average) {
  std::vector<int> keys(n);
  int key = 0;
  for (int& k : keys) k = number_below(average) == 0 ? ++key % 3 : key % 3;
  return keys;
}

/// Calls f(begin, size) for ranges that cover [0, n), some of them empty.
template <class F>
void for_chunks(std::size_t n, std::size_t largest, F const& f) {
  for (std::size_t begin = 0; begin < n;) {
    std::size_t const size = std::min(n - begin, number_below(largest + 1));
    f(begin, size);
    begin += size;
  }
}

struct plain_runs {
  std::vector<int> keys;
  std::vector<std::size_t> lengths;
  explicit plain_runs(std::vector<int> const& x) {
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (i == 0 || x[i] != x[i - 1]) {
        keys.push_back(x[i]);
        lengths.push_back(0);
      }
      ++lengths.back();
    }
  }
};

template <class E>
void check_runs(E const& on, std::size_t n, std::size_t average, std::size_t largest) {
  auto const x = random_keys(n, average);
  plain_runs const expected(x);
  std::vector<int> firsts, values, buffer(n + 1);
  std::vector<std::size_t> lengths, sizes(n + 1);
  unique_stream<int, same, E> unique_of(on);
  run_stream<int, same, E> runs_of(on);
  for_chunks(n, largest, [&](std::size_t begin, std::size_t size) {
    auto const chunk = std::span(x).subspan(begin, size);
    std::size_t count = unique_of.push(chunk, buffer);
    firsts.insert(firsts.end(), buffer.begin(), buffer.begin() + static_cast<long>(count));
    count = runs_of.push(chunk, buffer, sizes);
    values.insert(values.end(), buffer.begin(), buffer.begin() + static_cast<long>(count));
    lengths.insert(lengths.end(), sizes.begin(), sizes.begin() + static_cast<long>(count));
  });
  EXPECT_EQ(firsts, expected.keys);
  if (auto const last = runs_of.finish()) {
    values.push_back(last->first);
    lengths.push_back(last->second);
  }
  EXPECT_EQ(values, expected.keys);
  EXPECT_EQ(lengths, expected.lengths);
  EXPECT_FALSE(runs_of.finish());
}

TEST(run_streams, are_those_of_one_call) {
  for (std::size_t const n : {0u, 1u, 2u, 100u, 5000u, 70000u})
    for (std::size_t const average : {1u, 2u, 50u, 100000u})
      for (std::size_t const largest : {1u, 7u, 3000u, 100000u}) {
        if (n > 5000 && largest < 1000) continue;
        check_runs(serial{}, n, average, largest);
        check_runs(cpu{.threads = 3}, n, average, largest);
      }
}

/// Like + on floats, whose bits depend on the grouping, and not commutative.
struct joined {
  static constexpr bool commutative = false, exact = false;
  float operator()(float a, float b) const { return a + b * 1.0000001f; }
};

/// Calls f with the number of elements, the average length of runs and the largest chunk.
template <class F>
void for_every_size(F const& f) {
  for (std::size_t const n : {0u, 1u, 100u, 5000u, 70000u})
    for (std::size_t const average : {1u, 10u, 3000u, 100000u})
      for (std::size_t const largest : {1u, 60u, 3000u, 100000u}) {
        if (n > 5000 && largest < 1000) continue;
        f(n, average, largest);
      }
}

template <class Op, class E>
void check_by_key(E const& on, std::size_t n, std::size_t average, std::size_t largest) {
  auto const keys = random_keys(n, average);
  std::vector<float> x(n);
  for (float& v : x) v = std::ldexp(static_cast<float>(number_below(1 << 24)), -20) - 8;
  plain_runs const expected(keys);
  std::vector<float> totals;
  std::size_t at = 0;
  for (std::size_t const length : expected.lengths) {
    totals.push_back(upsweep::reduce(serial{}, std::span(x).subspan(at, length), Op{}));
    at += length;
  }
  reduce_runs_stream<int, float, Op, same, E> stream(on);
  std::vector<int> found, keys_out(n + 1);
  std::vector<float> results, out(n + 1);
  for_chunks(n, largest, [&](std::size_t begin, std::size_t size) {
    std::size_t const count = stream.push(std::span(keys).subspan(begin, size),
                                          std::span(x).subspan(begin, size), keys_out, out);
    found.insert(found.end(), keys_out.begin(), keys_out.begin() + static_cast<long>(count));
    results.insert(results.end(), out.begin(), out.begin() + static_cast<long>(count));
  });
  if (auto const last = stream.finish()) {
    found.push_back(last->first);
    results.push_back(last->second);
  }
  EXPECT_EQ(found, expected.keys);
  EXPECT_EQ(results, totals);
  EXPECT_FALSE(stream.finish());
}

TEST(run_streams, reduce_each_run_with_its_own_bits) {
  for_every_size([](std::size_t n, std::size_t average, std::size_t largest) {
    check_by_key<plus>(serial{}, n, average, largest);
    check_by_key<plus>(cpu{.threads = 3}, n, average, largest);
    check_by_key<joined>(cpu{.threads = 3}, n, average, largest);
  });
}

/// Chunks are scanned in turn inclusively, exclusively, and in place.
template <class Op, class E>
void check_scans_by_key(E const& on, std::size_t n, std::size_t average, std::size_t largest,
                        options<float> const& o) {
  auto const keys = random_keys(n, average);
  std::vector<float> x(n);
  for (float& v : x) v = std::ldexp(static_cast<float>(number_below(1 << 24)), -20) - 8;
  std::vector<float> including(n), excluding(n), found(n);
  std::size_t at = 0;
  for (std::size_t const length : plain_runs(keys).lengths) {
    auto const run = std::span(x).subspan(at, length);
    upsweep::inclusive_scan(serial{}, run, std::span(including).subspan(at, length), Op{}, o);
    upsweep::exclusive_scan(serial{}, run, std::span(excluding).subspan(at, length), Op{}, o);
    at += length;
  }
  scan_runs_stream<int, float, Op, same, E> stream(on, o);
  std::size_t chunks = 0;
  for_chunks(n, largest, [&](std::size_t begin, std::size_t size) {
    auto const these = std::span<int const>(keys).subspan(begin, size);
    auto const values = std::span(x).subspan(begin, size),
               to = std::span(found).subspan(begin, size);
    auto const& expected = ++chunks % 3 == 1 ? excluding : including;
    if (chunks % 3 == 0)
      stream.inclusive(these, values, to);
    else if (chunks % 3 == 1)
      stream.exclusive(these, values, to);
    else
      stream.inclusive(these, values, values);
    for (std::size_t i = 0; i < size; ++i)
      ASSERT_EQ(chunks % 3 == 2 ? values[i] : to[i], expected[begin + i]) << begin + i;
  });
}

struct joined_from_zero : joined {
  [[nodiscard]] float identity() const { return 0; }
};

TEST(run_streams, scan_each_run_with_its_own_bits) {
  for_every_size([](std::size_t n, std::size_t average, std::size_t largest) {
    check_scans_by_key<plus>(serial{}, n, average, largest, {});
    check_scans_by_key<plus>(cpu{.threads = 3}, n, average, largest, {.initial = 0.1f});
    check_scans_by_key<joined_from_zero>(cpu{.threads = 3}, n, average, largest, {});
  });
}

/// A number whose copies throw when `copies_left` has reached 0.
struct throwing_copy {
  static inline int copies_left = 0;
  int value = 0;
  throwing_copy(int v) : value(v) {}
  throwing_copy(throwing_copy const& x) : value(x.value) { count(); }
  throwing_copy& operator=(throwing_copy const& x) {
    count();
    value = x.value;
    return *this;
  }
  static void count() {
    if (--copies_left == 0) throw std::runtime_error("copy");
  }
  bool operator==(throwing_copy const&) const = default;
};

/// Pushes a chunk after the copy with number `failing` has thrown in a first attempt. Returns
/// whether one did.
bool check_again_after_copy(int failing) {
  using element = throwing_copy;
  std::vector<element> const first{{7}, {7}}, second{{7}, {8}, {8}, {9}, {9}};
  std::vector<element> values(5, 0), uniques(5, 0);
  std::vector<std::size_t> sizes(5);
  unique_stream<element> unique_of;
  run_stream<element> runs_of;
  element::copies_left = 0;
  static_cast<void>(unique_of.push(first, uniques));
  static_cast<void>(runs_of.push(first, values, sizes));
  bool threw = false;
  auto const try_twice = [&](auto const& push) {
    element::copies_left = failing;
    try {
      EXPECT_EQ(push(), 2u) << failing;
    } catch (std::runtime_error const&) {
      threw = true;
      EXPECT_EQ(push(), 2u) << failing;
    }
    element::copies_left = 0;
  };
  try_twice([&] { return unique_of.push(second, uniques); });
  try_twice([&] { return runs_of.push(second, values, sizes); });
  EXPECT_EQ(uniques[0].value, 8) << failing;
  EXPECT_EQ(uniques[1].value, 9) << failing;
  EXPECT_EQ(values[0].value, 7) << failing;
  EXPECT_EQ(values[1].value, 8) << failing;
  EXPECT_EQ(sizes[0], 3u) << failing;
  EXPECT_EQ(sizes[1], 2u) << failing;
  EXPECT_EQ(unique_of.push(std::vector<element>{{9}}, uniques), 0u) << failing;
  auto const last = runs_of.finish();
  EXPECT_TRUE(last && last->first.value == 9 && last->second == 2u) << failing;
  return threw;
}

TEST(run_streams, can_push_again_after_a_copy_has_thrown) {
  int failing = 1;
  while (check_again_after_copy(failing)) ++failing;
  EXPECT_GE(failing, 4);
}

TEST(run_streams, can_push_again_what_did_not_fit) {
  std::vector<int> const x{1, 1, 2, 3, 3};
  std::vector<float> const v{1, 2, 3, 4, 5};
  std::vector<int> one(1), two(2), keys(2);
  std::vector<std::size_t> sizes(2);
  std::vector<float> out(2), small(1);
  unique_stream<int> unique_of;
  EXPECT_THROW(static_cast<void>(unique_of.push(x, two)), precondition_error);
  std::vector<int> three(3);
  EXPECT_EQ(unique_of.push(x, three), 3u);
  EXPECT_EQ(three, (std::vector{1, 2, 3}));
  run_stream<int> runs_of;
  EXPECT_THROW(static_cast<void>(runs_of.push(x, one, sizes)), precondition_error);
  EXPECT_EQ(runs_of.push(x, two, sizes), 2u);
  EXPECT_EQ(sizes, (std::vector<std::size_t>{2, 1}));
  EXPECT_EQ(runs_of.finish(), std::pair(3, std::size_t{2}));
  reduce_runs_stream<int, float> by_key;
  EXPECT_THROW(static_cast<void>(by_key.push(x, v, keys, small)), precondition_error);
  EXPECT_THROW(static_cast<void>(by_key.push(x, std::span(v).first(4), keys, out)),
               precondition_error);
  std::vector<int> same = x;
  EXPECT_THROW(static_cast<void>(by_key.push(same, v, std::span(same).first(3), out)),
               precondition_error);
  EXPECT_THROW(static_cast<void>(runs_of.push(same, same, sizes)), precondition_error);
  EXPECT_EQ(by_key.push(x, v, keys, out), 2u);
  EXPECT_EQ(out, (std::vector<float>{3, 3}));
  EXPECT_EQ(by_key.finish(), std::pair(3, 9.0f));
  scan_runs_stream<int, float> scans;
  std::vector<float> running(5);
  EXPECT_THROW(scans.inclusive(x, std::span(v).first(4), running), precondition_error);
  EXPECT_THROW(scans.inclusive(x, v, out), precondition_error);
  scans.inclusive(x, v, running);
  EXPECT_EQ(running, (std::vector<float>{1, 3, 3, 4, 9}));
  scans.exclusive(std::span(x).last(1), std::span(v).last(1), std::span(running).last(1));
  EXPECT_EQ(running[4], 9);
}

TEST(run_streams, refuse_lengths_that_do_not_fit) {
  std::vector<int> x(400, 7), values(2);
  x.push_back(8);
  std::vector<std::uint8_t> narrow(2, 99);
  std::vector<std::uint16_t> wide(2);
  run_stream<int> stream;
  EXPECT_EQ(stream.push(std::span(x).first(255), values, narrow), 0u);
  auto const rest = std::span(x).subspan(255);
  EXPECT_TRUE(refuses({"run_stream", "400", "8 bits"},
                      [&] { static_cast<void>(stream.push(rest, values, narrow)); }));
  EXPECT_EQ(narrow[0], 99);
  EXPECT_EQ(stream.push(rest, values, wide), 1u);
  EXPECT_EQ(wide[0], 400);
  EXPECT_TRUE(refuses({"run_stream", "400", "8 bits"}, [&] {
    run_stream<int> at_once;
    static_cast<void>(at_once.push(x, values, narrow));
  }));
  EXPECT_EQ(run_stream<int>().push(std::span(x).subspan(145), values, narrow), 1u);
  EXPECT_EQ(narrow[0], 255);
}

TEST(run_streams, compare_each_pair_of_neighbors_once) {
  std::vector<int> const x = random_keys(10000, 3);
  std::size_t calls = 0;
  auto const equal = [&](int a, int b) {
    ++calls;
    return a == b;
  };
  unique_stream<int, decltype(equal), serial> stream(serial{}, equal);
  std::vector<int> out(x.size());
  for_chunks(x.size(), 500, [&](std::size_t begin, std::size_t size) {
    static_cast<void>(stream.push(std::span(x).subspan(begin, size), out));
  });
  EXPECT_EQ(calls, x.size() - 1);
}

TEST(run_streams, are_empty_after_an_exception_of_the_operator) {
  auto const op = monoid(
      [](long a, long b) {
        if (b == 13) throw std::runtime_error("13");
        return a + b;
      },
      0L);
  std::vector<int> const keys{1, 1, 1, 2};
  reduce_runs_stream<int, long, decltype(op)> stream(op);
  std::vector<int> keys_out(4);
  std::vector<long> out(4);
  EXPECT_THROW(static_cast<void>(stream.push(keys, std::vector<long>{1, 13, 2, 3}, keys_out, out)),
               std::runtime_error);
  EXPECT_FALSE(stream.finish());
  EXPECT_EQ(stream.push(keys, std::vector<long>{1, 2, 3, 4}, keys_out, out), 1u);
  EXPECT_EQ(out[0], 6);

  scan_runs_stream<int, long, decltype(op)> scans(op);
  std::vector<int> const more{1};
  scans.inclusive(more, std::vector<long>{5}, std::span(out).first(1));
  EXPECT_THROW(scans.inclusive(keys, std::vector<long>{1, 13, 2, 3}, out), std::runtime_error);
  scans.inclusive(keys, std::vector<long>{1, 2, 3, 4}, out);
  EXPECT_EQ(out, (std::vector<long>{1, 3, 6, 4}));
}

TEST(run_streams, count_histograms) {
  std::vector<double> x(50000);
  for (double& v : x) v = static_cast<double>(number_below(1200)) / 100 - 1;
  x[7] = std::numeric_limits<double>::quiet_NaN();
  for (std::size_t const largest : {1u, 100u, 20000u}) {
    histogram_stream<double, even> stream(10, even{0, 10});
    for_chunks(largest == 1 ? 100 : x.size(), largest, [&](std::size_t begin, std::size_t size) {
      stream.push(std::span(x).subspan(begin, size));
    });
    std::vector<std::uint64_t> counts(10);
    outside_counts outside;
    for (std::size_t i = 0; i < (largest == 1 ? 100 : x.size()); ++i)
      if (std::isnan(x[i]))
        ++outside.nan;
      else if (x[i] < 0)
        ++outside.below;
      else if (x[i] >= 10)
        ++outside.above;
      else
        ++counts[static_cast<std::size_t>(x[i])];
    EXPECT_EQ(std::vector(stream.counts().begin(), stream.counts().end()), counts);
    EXPECT_EQ(stream.outside().below, outside.below);
    EXPECT_EQ(stream.outside().above, outside.above);
    EXPECT_EQ(stream.outside().nan, outside.nan);
  }
  EXPECT_THROW((histogram_stream<double, even>(10, even{1, 1})), precondition_error);
}

}  // namespace
}  // namespace upsweep::test
