/// Contract 12, by key: each run's result has the bits of the verb over the values of that run
/// alone, regardless of its position and length.
#pragma once

#include <conformance/contract_test.hpp>
#include <conformance/devices.hpp>
#include <conformance/refusals.hpp>
#include <support/bits.hpp>
#include <support/build_kind.hpp>
#include <support/fenced.hpp>
#include <support/functions.hpp>
#include <support/random.hpp>
#include <support/uneven.hpp>
#include <support/varied.hpp>
#include <upsweep/by_key.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ops/checked.hpp>
#include <upsweep/ops/concat.hpp>
#include <upsweep/ops/min_max.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {

/// Keys whose run k has length(k) elements, the last one cut; neighbors differ by one.
template <class Length>
std::vector<std::int32_t> keys_by(std::size_t n, Length const& length) {
  std::vector<std::int32_t> keys;
  for (std::size_t k = 0; keys.size() < n; ++k)
    keys.insert(keys.end(), std::min(n - keys.size(), static_cast<std::size_t>(length(k))),
                static_cast<std::int32_t>(k % 3));
  return keys;
}

/// Runs of many shapes: all of one length, lengths around powers of two, a power law, one over
/// everything.
inline std::vector<std::vector<std::int32_t>> key_shapes(std::size_t n) {
  random_bits next(test_seed() + n);
  return {
      keys_by(n, [](std::size_t) { return 1; }),
      keys_by(n, [](std::size_t) { return 7; }),
      keys_by(n, [](std::size_t k) { return (1 << k % 14) + static_cast<int>(k % 3) - (k > 2); }),
      keys_by(n,
              [&](std::size_t) {
                return std::pow(static_cast<double>(next() % 1000 + 1) / 1000, -2.0);
              }),
      keys_by(n, [&](std::size_t) { return next() % 40 + 1; }),
      keys_by(n, [&](std::size_t) { return n; }),
  };
}

/// What the three verbs return for one run: from the definition, for long runs from the executor
/// `serial`, which has it from the other suites.
template <class R>
struct results_of_run {
  R total{};
  std::vector<R> inclusive, exclusive;
};
template <class R, class T, class Op>
results_of_run<R> alone(std::vector<T> const& x, Op const& op,
                        options<accumulator_t<Op, T>> const& o) {
  results_of_run<R> of{R{}, std::vector<R>(x.size()), std::vector<R>(x.size())};
  auto const as_r = [](auto const& v) { return static_cast<R>(v); };
  if (x.size() < 300) {
    std::optional<accumulator_t<Op, T>> const& initial = o.initial;
    auto const i = reference::inclusive_scan(x, op, initial),
               e = reference::exclusive_scan(x, op, initial);
    of.total = as_r(reference::reduce(x, op, initial));
    std::transform(i.begin(), i.end(), of.inclusive.begin(), as_r);
    std::transform(e.begin(), e.end(), of.exclusive.begin(), as_r);
  } else {
    of.total = as_r(upsweep::reduce(serial{}, x, op, o));
    upsweep::inclusive_scan(serial{}, x, of.inclusive, op, o);
    upsweep::exclusive_scan(serial{}, x, of.exclusive, op, o);
  }
  return of;
}

/// All verbs over the runs of `keys`, against the same verbs over each run alone.
template <class R, class Keys, class T, class Op, class E, class Same = same>
void expect_by_key(E const& on, Keys const& keys, std::vector<T> const& x, Op const& op,
                   options<accumulator_t<Op, T>> const& o = {}, Same const& equal = {}) {
  using K = typename Keys::value_type;
  auto const runs = reference::values_of_runs(keys, x, equal);
  auto const firsts = reference::elements_at(keys, reference::run_starts(keys, equal));
  std::vector<K> keys_out(runs.size() + 1);
  fenced<R> totals(runs.size()), inclusive(x.size()), exclusive(x.size());
  ASSERT_EQ(upsweep::reduce_runs(on, keys, x, keys_out, totals.inside(), op, equal, o),
            runs.size());
  upsweep::inclusive_scan_runs(on, keys, x, inclusive.inside(), op, equal, o);
  upsweep::exclusive_scan_runs(on, keys, x, exclusive.inside(), op, equal, o);
  EXPECT_TRUE(totals.intact() && inclusive.intact() && exclusive.intact());
  EXPECT_TRUE(same_bits(keys_out.back(), K{})) << "a key too many";
  std::size_t i = 0;
  for (std::size_t k = 0; k < runs.size(); ++k) {
    auto const expected = alone<R>(runs[k], op, o);
    ASSERT_TRUE(same_bits(keys_out[k], firsts[k])) << "key " << k;
    ASSERT_TRUE(same_bits(totals[k], expected.total)) << "run " << k << " of " << runs[k].size();
    for (std::size_t j = 0; j < runs[k].size(); ++j, ++i) {
      ASSERT_TRUE(same_bits(inclusive[i], expected.inclusive[j])) << j << " of run " << k;
      ASSERT_TRUE(same_bits(exclusive[i], expected.exclusive[j])) << j << " of run " << k;
    }
  }
}

template <class Backend>
class by_key_contract : public testing::Test {};
TYPED_TEST_SUITE_P(by_key_contract);

CONTRACT_TEST(by_key_contract, floats_have_the_bits_of_their_run_alone) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{17},
                              std::size_t{9'001}, std::size_t{slow_build ? 20'001u : 100'003u}})
    for (auto const& keys : key_shapes(n)) {
      expect_by_key<float>(on, keys, uneven_numbers<float>(n), plus{});
      expect_by_key<double>(on, keys, uneven_numbers<double>(n), plus{}, {.initial = 0x1p60});
    }
}

/// Runs that begin, end and lie around the borders of the blocks in which keys are compared.
CONTRACT_TEST(by_key_contract, runs_cross_the_borders_of_blocks) {
  auto const on = TypeParam::make();
  std::size_t const block = detail::run_block;
  struct shape {
    std::size_t n, last;  // the last run begins at `last`
  };
  for (auto const [n, last] :
       {shape{block - 1, 0}, shape{block, block - 1}, shape{block + 1, block},
        shape{block + 1, block - 1}, shape{2 * block + 70'001, 2'000}}) {
    std::vector<std::int32_t> keys(n, 1);
    for (std::size_t i = 0; i < last; ++i) keys[i] = static_cast<std::int32_t>(i / 999) % 2 * 7;
    SCOPED_TRACE(std::to_string(n) + ", the last run from " + std::to_string(last));
    auto in_place = uneven_numbers<float>(n);
    expect_by_key<float>(on, keys, in_place, plus{});
    std::vector<float> apart(n);
    upsweep::inclusive_scan_runs(on, keys, in_place, apart);
    upsweep::inclusive_scan_runs(on, keys, in_place, in_place);
    EXPECT_EQ(in_place, apart);
  }
}

/// The first run has all keys of the first blocks.
CONTRACT_TEST(by_key_contract, the_first_run_may_end_where_a_block_does) {
  std::vector<std::int32_t> keys(detail::run_block + 3, 1);
  keys.back() = keys[keys.size() - 2] = keys[keys.size() - 3] = 2;
  expect_by_key<float>(TypeParam::make(), keys, uneven_numbers<float>(keys.size()), plus{});
}

CONTRACT_TEST(by_key_contract, every_kind_of_operator_is_applied_in_each_run) {
  auto const on = TypeParam::make();
  std::size_t const n = 5'003;
  auto const [small, maps, words] = varied_elements(n);
  for (auto const& keys : key_shapes(n)) {
    expect_by_key<std::int64_t>(on, keys, small, plus{});
    expect_by_key<std::int16_t>(on, keys, small, max{});
    expect_by_key<upsweep::affine_map<float>>(on, keys, maps, affine{});
    expect_by_key<float>(on, keys, uneven_numbers<float>(n), monoid(sum_of_two{}, 0.0f));
    if (is_device<TypeParam>) continue;  // a device cannot hold strings
    expect_by_key<std::string>(on, keys, words, concat{});
  }
}

CONTRACT_TEST(by_key_contract, positions_count_from_the_begin_of_a_run) {
  if (is_device<TypeParam>)
    GTEST_SKIP() << "a device has no positions in segments, and no checked operators";
  auto const on = TypeParam::make();
  std::vector<int> const keys{1, 1, 1, 2, 2}, x{5, 9, 3, 7, 8};
  std::vector<int> keys_out(2);
  std::vector<indexed<int>> out(2);
  EXPECT_EQ(upsweep::reduce_runs(on, keys, x, keys_out, out, argmax{}), 2u);
  EXPECT_EQ(out[0].index, 1u);
  EXPECT_EQ(out[1].index, 1u);
  std::vector<std::int64_t> const large{1, 2, 3, std::numeric_limits<std::int64_t>::max(), 1};
  std::vector<std::int64_t> sums(2);
  EXPECT_EQ(upsweep::reduce_runs(on, keys, x, keys_out, sums, checked_plus{}), 2u);
  try {
    upsweep::reduce_runs(on, keys, large, keys_out, sums, checked_plus{});
    ADD_FAILURE() << "nothing was thrown";
  } catch (overflow_error const& e) {
    EXPECT_NE(std::string(e.what()).find("element 1"), std::string::npos) << e.what();
  }
}

CONTRACT_TEST(by_key_contract, keys_may_be_of_any_type_and_equality) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{1}, std::size_t{4'097}, std::size_t{20'011}}) {
    auto const x = uneven_numbers<double>(n);
    std::vector<std::string> words;
    std::vector<double> numbers;
    for (std::size_t i = 0; i < n; ++i) {
      words.emplace_back(i / 5 % 3, 'k');
      numbers.push_back(static_cast<double>(i));
    }
    expect_by_key<double>(on, numbers, x, plus{}, {.initial = 1}, same_quotient<9>{});
    if (is_device<TypeParam>) continue;  // a device cannot hold strings
    expect_by_key<double>(on, words, x, plus{});
    expect_by_key<double>(on, std::deque<std::string>(words.begin(), words.end()), x, plus{});
  }
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const keys{0.0f, -0.0f, nan, nan, 1.0f, 1.0f}, x{1, 2, 3, 4, 5, 6};
  expect_by_key<float>(on, keys, x, plus{});
  std::vector<float> keys_out(6), out(6);
  EXPECT_EQ(upsweep::reduce_runs(on, keys, x, keys_out, out), 4u) << "0, two NaN, 1";
  if (is_device<TypeParam>) return;  // same_bits calls std::memcmp, which is the host's
  expect_by_key<float>(on, keys, x, plus{}, {}, upsweep::same_bits{});
  EXPECT_EQ(upsweep::reduce_runs(on, keys, x, keys_out, out, plus{}, upsweep::same_bits{}), 4u);
  EXPECT_EQ(out, (std::vector<float>{1, 2, 7, 11, 0, 0})) << "0, -0, NaN, 1";
}

CONTRACT_TEST(by_key_contract, scans_may_be_in_place) {
  auto const on = TypeParam::make();
  for (auto const& keys : key_shapes(30'011)) {
    auto const x = uneven_numbers<float>(keys.size());
    std::vector<float> apart(x.size()), inclusive = x, exclusive = x;
    upsweep::inclusive_scan_runs(on, keys, x, apart);
    upsweep::inclusive_scan_runs(on, keys, inclusive, inclusive);
    EXPECT_EQ(inclusive, apart);
    upsweep::exclusive_scan_runs(on, keys, x, apart);
    upsweep::exclusive_scan_runs(on, keys, exclusive, exclusive);
    EXPECT_EQ(exclusive, apart);
  }
}

CONTRACT_TEST(by_key_contract, keys_are_compared_once) {
  if (is_device<TypeParam>) GTEST_SKIP() << "the equality counts in the host's memory";
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{10}, std::size_t{9'001}, detail::run_block + 100}) {
    std::vector<std::uint32_t> keys(n);
    std::iota(keys.begin(), keys.end(), 0u);
    std::vector<int> const x(n, 1);
    std::vector<int> out(n);
    auto const calls = std::make_unique<std::atomic<int>[]>(n);
    upsweep::inclusive_scan_runs(on, keys, x, out, plus{}, [&](std::uint32_t a, std::uint32_t b) {
      calls[b] += a + 1 == b ? 1 : 100;
      return b % 10 != 0;
    });
    for (std::size_t i = 1; i < n; ++i) ASSERT_EQ(calls[i], 1) << i << " of " << n;
    for (std::size_t i = 0; i < n; ++i) ASSERT_EQ(out[i], static_cast<int>(i % 10) + 1) << i;
  }
}

/// A number that is counted while it lives, and can be made to throw by each of its copies.
struct counted {
  inline static std::atomic<int> alive{0};
  int value;
  explicit counted(int v = 0) : value(v) { ++alive; }
  counted(counted const& other) : value(other.value) { ++alive; }
  counted& operator=(counted const&) = default;
  ~counted() { --alive; }
};

CONTRACT_TEST(by_key_contract, exceptions_of_every_call_leave_nothing_changed) {
  if (is_device<TypeParam>) GTEST_SKIP() << "device code does not throw";
  auto const on = TypeParam::make();
  std::size_t const n = 60;
  auto const keys = keys_by(n, [](std::size_t k) { return k % 2 == 0 ? 3 : 17; });
  int const before = counted::alive;
  {
    std::vector<counted> const x(n, counted(1));
    std::vector<counted> out(n);
    std::vector<std::int32_t> keys_out(n);
    auto const calls_of = [&](bool in_equality, bool scan, int last) {
      std::atomic<int> calls{0};
      auto const step = [&] {
        if (++calls == last) throw std::runtime_error("call " + std::to_string(last));
      };
      auto const add = [&](counted const& a, counted const& b) {
        if (!in_equality) step();
        return counted(a.value + b.value);
      };
      auto const equal = [&](std::int32_t a, std::int32_t b) {
        if (in_equality) step();
        return a == b;
      };
      if (scan)
        upsweep::inclusive_scan_runs(on, keys, x, out, add, equal);
      else
        upsweep::reduce_runs(on, keys, x, keys_out, out, add, equal);
      return calls.load();
    };
    for (bool const in_equality : {false, true})
      for (bool const scan : {false, true}) {
        int const all = calls_of(in_equality, scan, -1);
        EXPECT_GE(all, in_equality ? static_cast<int>(n) - 1 : static_cast<int>(n) - 6);
        for (int last = 1; last <= all; ++last)
          EXPECT_THROW(calls_of(in_equality, scan, last), std::runtime_error) << last;
        EXPECT_EQ(calls_of(in_equality, scan, -1), all) << "after the exceptions";
      }
    EXPECT_EQ(out[2].value, 3);
  }
  EXPECT_EQ(counted::alive, before);
}

CONTRACT_TEST(by_key_contract, outputs_without_room_are_refused_and_filled) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{10}, detail::run_block + 100}) {
    std::vector<std::int32_t> keys(n), all_keys(n);
    std::iota(keys.begin(), keys.end(), 0);
    std::vector<int> const x(n, 7);
    std::vector<int> all(n);
    std::string const needed = "there are " + std::to_string(n);
    for (std::size_t const room : {std::size_t{0}, std::size_t{9}, n - 1}) {
      fenced<int> out(room);
      fenced<std::int32_t> keys_out(room);
      std::string const has = "room for " + std::to_string(room);
      EXPECT_TRUE(refuses({"reduce_runs", "the results", has.c_str(), needed.c_str()},
                          [&] { upsweep::reduce_runs(on, keys, x, all_keys, out.inside()); }));
      EXPECT_TRUE(refuses({"reduce_runs", "the keys", has.c_str(), needed.c_str()},
                          [&] { upsweep::reduce_runs(on, keys, x, keys_out.inside(), all); }));
      EXPECT_TRUE(out.intact() && keys_out.intact());
      for (std::size_t i = 0; i < room; ++i) {
        ASSERT_EQ(out[i], 7) << i;
        ASSERT_EQ(keys_out[i], keys[i]) << i;
      }
    }
    EXPECT_EQ(all_keys, keys);
    EXPECT_EQ(all, x);
  }
}

CONTRACT_TEST(by_key_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> keys(300, 1), x(300, 1), keys_out(300), out(300);
  std::span const shorter(keys.data(), 299);
  EXPECT_TRUE(refuses({"reduce_runs", "299", "300"},
                      [&] { upsweep::reduce_runs(on, shorter, x, keys_out, out); }));
  EXPECT_TRUE(refuses({"inclusive_scan_runs", "299", "300"},
                      [&] { upsweep::inclusive_scan_runs(on, shorter, x, out); }));
  EXPECT_TRUE(refuses({"exclusive_scan_runs", "299"}, [&] {
    upsweep::exclusive_scan_runs(on, keys, x, std::span(out).first(299));
  }));
  auto const overlap = [&](auto& to_keys, auto& to) {
    EXPECT_TRUE(refuses({"reduce_runs", "overlap"},
                        [&] { upsweep::reduce_runs(on, keys, x, to_keys, to); }));
  };
  overlap(keys, out);
  overlap(x, out);
  overlap(keys_out, keys);
  overlap(keys_out, x);
  overlap(out, out);
  EXPECT_TRUE(refuses({"overlap"}, [&] { upsweep::inclusive_scan_runs(on, keys, x, keys); }));
  std::span const all(x);
  EXPECT_TRUE(refuses({"overlap"}, [&] {
    upsweep::inclusive_scan_runs(on, shorter, all.first(299), all.subspan(1));
  }));
  EXPECT_TRUE(refuses({"reverse"}, [&] {
    upsweep::reduce_runs(on, keys, x, keys_out, out, plus{}, {.reverse = true});
  }));
  EXPECT_TRUE(refuses({"identity", ".initial"},
                      [&] { upsweep::exclusive_scan_runs(on, keys, x, out, product_of_two{}); }));
  upsweep::exclusive_scan_runs(on, keys, x, out, product_of_two{}, {.initial = 5});
  EXPECT_EQ(out, std::vector<int>(300, 5));
}

REGISTER_TYPED_TEST_SUITE_P(by_key_contract, floats_have_the_bits_of_their_run_alone,
                            runs_cross_the_borders_of_blocks,
                            the_first_run_may_end_where_a_block_does,
                            every_kind_of_operator_is_applied_in_each_run,
                            positions_count_from_the_begin_of_a_run,
                            keys_may_be_of_any_type_and_equality, scans_may_be_in_place,
                            keys_are_compared_once, exceptions_of_every_call_leave_nothing_changed,
                            outputs_without_room_are_refused_and_filled, wrong_calls_are_refused);

}  // namespace upsweep::test
