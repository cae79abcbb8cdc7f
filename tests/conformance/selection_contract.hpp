/// Contract 11: select, partition, unique and runs keep input order, call predicates once, and
/// store nothing beyond the outputs.
#pragma once

#include <conformance/contract_test.hpp>
#include <conformance/predicate_calls.hpp>
#include <support/bits.hpp>
#include <support/fenced.hpp>
#include <support/functions.hpp>
#include <support/random.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/select.hpp>
#include <upsweep/unique.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// Numbers from 0 to 6 in runs of one to three, of any type.
template <class T>
T element_of(std::uint64_t k) {
  if constexpr (std::is_same_v<T, std::string>)
    return std::string(k, 'x');
  else if constexpr (std::is_same_v<T, three_words>)
    return {static_cast<std::uint32_t>(k), 7, 8};
  else
    return static_cast<T>(k);
}
template <class T>
std::vector<T> few_values(std::size_t n) {
  std::vector<T> x;
  for (std::uint64_t const bits : random_words(n))
    x.insert(x.end(), std::min<std::size_t>(1 + (bits >> 32) % 3, n - x.size()),
             element_of<T>(bits % 7));
  return x;
}

inline std::vector<std::size_t> selection_sizes() {
  return {0, 1, 2, 7, 8, 9, 255, 256, 257, 4095, 4096, 4097, 100'003, many};
}

/// out[0 .. expected.size()) is `expected`, and nothing after it was written.
template <class T>
testing::AssertionResult holds_only(fenced<T> const& out, std::vector<T> const& expected) {
  if (!out.intact()) return testing::AssertionFailure() << "wrote outside of the output";
  for (std::size_t i = 0; i < out.size(); ++i)
    if (!(i < expected.size() ? out[i] == expected[i] : out[i] == sentinel<T>()))
      return testing::AssertionFailure() << "element " << i << " of " << expected.size();
  return testing::AssertionSuccess();
}

/// select, positions and partition of `x` by `keep`, into outputs and in place.
template <class T, class E, class Keep>
void expect_selection(E const& on, std::vector<T> const& x, Keep const& keep) {
  std::size_t const n = x.size();
  auto const positions = reference::select_positions(x, keep);
  auto const expected = reference::elements_at(x, positions);
  auto const no = reference::elements_at(
      x, reference::select_positions(x, [&](T const& value) { return !keep(value); }));
  SCOPED_TRACE(std::to_string(expected.size()) + " of " + std::to_string(n));

  fenced<T> out(expected.size() + 5), rest(no.size());
  ASSERT_EQ(upsweep::select(on, x, out.inside(), keep), expected.size());
  EXPECT_TRUE(holds_only(out, expected));

  std::vector<T> in_place = x;
  ASSERT_EQ(upsweep::select(on, in_place, in_place, keep), expected.size());
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_EQ(in_place[i], i < expected.size() ? expected[i] : x[i]) << i;

  std::vector<bool> flags;
  for (T const& value : x) flags.push_back(keep(value));
  fenced<T> by_flags(expected.size());
  ASSERT_EQ(upsweep::select(on, x, flags, by_flags.inside()), expected.size());
  EXPECT_TRUE(holds_only(by_flags, expected));

  fenced<std::uint32_t> where(positions.size() + 3);
  ASSERT_EQ(upsweep::select_positions(on, flags, where.inside()), positions.size());
  EXPECT_TRUE(holds_only(where, {positions.begin(), positions.end()}));
  std::deque<long> far(n);
  ASSERT_EQ(upsweep::select_positions(on, x, far, keep), positions.size());
  EXPECT_TRUE(std::equal(positions.begin(), positions.end(), far.begin(), std::equal_to<>()));

  fenced<T> yes(expected.size());
  partition_counts const counts{expected.size(), no.size()};
  EXPECT_EQ(upsweep::partition(on, x, yes.inside(), rest.inside(), keep), counts);
  EXPECT_TRUE(holds_only(yes, expected));
  EXPECT_TRUE(holds_only(rest, no));
}

/// unique, runs and run_starts of `x`.
template <class T, class E, class Same>
void expect_runs(E const& on, std::vector<T> const& x, Same const& equal) {
  auto const starts = reference::run_starts(x, equal);
  auto const firsts = reference::elements_at(x, starts);
  std::vector<std::uint32_t> lengths;
  for (std::size_t k = 0; k < starts.size(); ++k)
    lengths.push_back(
        static_cast<std::uint32_t>((k + 1 < starts.size() ? starts[k + 1] : x.size()) - starts[k]));

  std::vector<T> in_place = x;
  ASSERT_EQ(upsweep::unique(on, in_place, in_place, equal), firsts.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_TRUE(same_bits(in_place[i], i < firsts.size() ? firsts[i] : x[i])) << i;
  fenced<std::size_t> begins(starts.size());
  ASSERT_EQ(upsweep::run_starts(on, x, begins.inside(), equal), starts.size());
  EXPECT_TRUE(holds_only(begins, starts));
  std::vector<T> values(starts.size());
  fenced<std::uint32_t> counts(starts.size() + 1);
  ASSERT_EQ(upsweep::runs(on, x, values, counts.inside(), equal), starts.size());
  for (std::size_t i = 0; i < firsts.size(); ++i) ASSERT_TRUE(same_bits(values[i], firsts[i])) << i;
  EXPECT_TRUE(holds_only(counts, lengths));
}

template <class Backend>
class selection_contract : public testing::Test {};
TYPED_TEST_SUITE_P(selection_contract);

CONTRACT_TEST(selection_contract, elements_keep_their_order) {
  auto const on = TypeParam::make();
  auto const try_all = [&]<class T>(T const& pivot) {
    for (std::size_t const n : selection_sizes()) {
      auto const x = few_values<T>(n);
      expect_selection(on, x, compared_with<T>{pivot});
      expect_selection(on, x, compared_with<T>{pivot, false, true});
      expect_selection(on, x, always<T>(true));
      expect_selection(on, x, always<T>(false));
    }
  };
  try_all(std::uint8_t{3});
  try_all(std::int16_t{3});
  try_all(3.0f);
  try_all(3.0);
}

CONTRACT_TEST(selection_contract, elements_of_any_type_keep_their_order) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{0}, std::size_t{9}, std::size_t{4097},
                              std::size_t{slow_build ? 20'001u : 100'003u}}) {
    expect_selection(on, few_values<three_words>(n),
                     compared_with<three_words>{element_of<three_words>(3)});
    std::vector<bool> bits(n), ones(n);
    for (std::size_t i = 0; i < n; ++i) bits[i] = i % 3 == 0;
    EXPECT_EQ(upsweep::select(on, bits, ones, compared_with<bool>{true}), (n + 2) / 3);
    EXPECT_EQ(static_cast<std::size_t>(std::count(ones.begin(), ones.end(), true)), (n + 2) / 3);
    if (is_device<TypeParam>) continue;  // a device cannot hold strings
    auto const words = few_values<std::string>(n);
    auto const is_long = [](std::string const& word) { return word.size() > 2; };
    auto const expected =
        reference::elements_at(words, reference::select_positions(words, is_long));
    std::deque<std::string> out(n), in_place(words.begin(), words.end());
    ASSERT_EQ(upsweep::select(on, words, out, is_long), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), out.begin()));
    ASSERT_EQ(upsweep::select(on, in_place, in_place, is_long), expected.size());
    EXPECT_TRUE(std::equal(expected.begin(), expected.end(), in_place.begin()));
  }
}

CONTRACT_TEST(selection_contract, one_element_is_found_wherever_it_is) {
  auto const on = TypeParam::make();
  std::vector<std::int32_t> x(100'003, 0);
  for (std::size_t const at :
       {std::size_t{0}, std::size_t{4095}, std::size_t{4096}, std::size_t{65'536}, x.size() - 1}) {
    x[at] = 5;
    fenced<std::int32_t> out(1);
    fenced<std::size_t> where(1);
    compared_with<std::int32_t> const is_five{5};
    EXPECT_EQ(upsweep::select(on, x, out.inside(), is_five), 1u);
    EXPECT_EQ(upsweep::select_positions(on, x, where.inside(), is_five), 1u);
    EXPECT_EQ(out[0], 5);
    EXPECT_EQ(where[0], at);
    EXPECT_TRUE(out.intact() && where.intact());
    x[at] = 0;
  }
}

template <class E>
void expect_three_parts(E const& on, std::size_t n) {
  auto x = few_values<float>(n);
  for (std::size_t i = 0; i < n; ++i) x[i] += static_cast<float>(i % 1024) / 2048;  // all differ
  auto const part = [&](auto const& test) {
    return reference::elements_at(x, reference::select_positions(x, test));
  };
  auto const first = part([](float v) { return v < 2; }),
             second = part([](float v) { return v >= 2 && v < 4; }),
             rest = part([](float v) { return v >= 4; });
  fenced<float> a(first.size()), b(second.size()), c(rest.size());
  three_way_counts const expected{first.size(), second.size(), rest.size()};
  EXPECT_EQ(upsweep::partition(on, x, a.inside(), b.inside(), c.inside(), less_than<float>{2},
                               less_than<float>{4}),
            expected);
  EXPECT_TRUE(holds_only(a, first) && holds_only(b, second) && holds_only(c, rest)) << n;
}

CONTRACT_TEST(selection_contract, three_parts_keep_their_order) {
  for (std::size_t const n : selection_sizes()) expect_three_parts(TypeParam::make(), n);
}

CONTRACT_TEST(selection_contract, runs_end_where_neighbors_differ) {
  auto const on = TypeParam::make();
  for (std::size_t const n : selection_sizes()) {
    expect_runs(on, few_values<std::uint8_t>(n), same{});
    expect_runs(on, few_values<double>(n), same{});
    expect_runs(on, few_values<std::int32_t>(n), same_quotient<2>{});
    expect_runs(on, std::vector<float>(n, 1.0f), same{});
  }
  float const nan = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> const special{0.0f, -0.0f, -0.0f, nan, nan, 1.0f};
  expect_runs(on, special, same{});
  std::vector<float> out(special.size());
  EXPECT_EQ(upsweep::unique(on, special, out), 4u) << "0, two NaN, 1";
  if (is_device<TypeParam>) return;  // same_bits calls std::memcmp, which is the host's
  expect_runs(on, special, upsweep::same_bits{});
  EXPECT_EQ(upsweep::unique(on, special, out, upsweep::same_bits{}), 4u) << "0, -0, NaN, 1";
}

CONTRACT_TEST(selection_contract, predicates_are_called_once_for_each_element) {
  if constexpr (is_device<TypeParam>)
    GTEST_SKIP() << "the predicate counts in the host's memory";
  else
    for (std::size_t const n : {std::size_t{10}, std::size_t{9'001}, std::size_t{100'003}})
      expect_each_called_once(TypeParam::make(), n);
}

CONTRACT_TEST(selection_contract, the_first_exception_is_thrown) {
  if constexpr (is_device<TypeParam>) {
    GTEST_SKIP() << "device code does not throw";
  } else {
    auto const on = TypeParam::make();
    for (std::size_t at = 0; at < 10; ++at) expect_first_exception(on, 10, at);
    for (std::size_t const n : {std::size_t{9'001}, std::size_t{100'003}})
      for (std::size_t const at :
           {std::size_t{0}, std::size_t{255}, std::size_t{256}, n / 2, n - 1})
        expect_first_exception(on, n, at);
  }
}

CONTRACT_TEST(selection_contract, outputs_without_room_are_refused_and_filled) {
  auto const on = TypeParam::make();
  for (std::size_t const n : {std::size_t{10}, std::size_t{9'001}, std::size_t{100'003}}) {
    std::vector<int> x(n), all(n);
    std::iota(x.begin(), x.end(), 0);
    auto const any = always<int>(true);
    std::string const needed = "there are " + std::to_string(n);
    for (std::size_t const room : {std::size_t{0}, std::size_t{1}, n / 2, n - 1}) {
      fenced<int> out(room);
      std::string const has = "room for " + std::to_string(room);
      EXPECT_TRUE(refuses({"select", has.c_str(), needed.c_str()},
                          [&] { upsweep::select(on, x, out.inside(), any); }));
      EXPECT_TRUE(
          holds_only(out, std::vector<int>(x.begin(), x.begin() + static_cast<long>(room))));
      EXPECT_TRUE(refuses({"partition", "for false", has.c_str()}, [&] {
        upsweep::partition(on, x, all, out.inside(), always<int>(false));
      }));
      EXPECT_TRUE(refuses({"runs", "lengths", has.c_str()},
                          [&] { upsweep::runs(on, x, all, out.inside()); }));
      EXPECT_TRUE(out.intact());
    }
  }
}

CONTRACT_TEST(selection_contract, wrong_calls_are_refused) {
  auto const on = TypeParam::make();
  std::vector<int> x(300, 1), out(300);
  auto const any = always<int>(true);
  std::span const all(x);
  EXPECT_TRUE(refuses({"select", "overlap"},
                      [&] { upsweep::select(on, all.first(200), all.subspan(1, 200), any); }));
  EXPECT_TRUE(
      refuses({"select", "overlap"}, [&] { upsweep::select(on, out, x, std::span<int>(x)); }));
  EXPECT_TRUE(refuses({"partition", "overlap"}, [&] { upsweep::partition(on, x, out, out, any); }));
  EXPECT_TRUE(refuses({"partition", "overlap"}, [&] { upsweep::partition(on, x, x, out, any); }));
  EXPECT_TRUE(refuses({"select", "300", "299"},
                      [&] { upsweep::select(on, x, std::vector<char>(299), out); }));
  std::span const inside(reinterpret_cast<std::uint8_t*>(x.data()) + 1, 100);
  EXPECT_TRUE(refuses({"select", "overlap"}, [&] { upsweep::select(on, x, inside, any); }));
  if constexpr (!is_device<TypeParam>) {  // an output that begins at the input, but is strided
    auto const even = std::views::iota(0, 150) |
                      std::views::transform([&x](int i) -> int& { return x[2 * std::size_t(i)]; });
    std::ranges::subrange every_second(even.begin(), even.end());
    EXPECT_TRUE(refuses({"select", "overlap"},
                        [&] { upsweep::select(on, all.first(150), every_second, any); }));
    EXPECT_TRUE(
        refuses({"unique", "overlap"}, [&] { upsweep::unique(on, all.first(150), every_second); }));
    EXPECT_EQ(upsweep::select(on, all.first(1), every_second, any), 1u);
  }
  std::vector<std::uint8_t> narrow(300);
  EXPECT_TRUE(refuses({"select_positions", "300", "8 bits"},
                      [&] { upsweep::select_positions(on, x, narrow, any); }));
  EXPECT_EQ(upsweep::select_positions(on, all.first(256), narrow, any), 256u);
}

/// The longest run that integers of type T hold, and one element more.
template <class T, class E>
void expect_lengths_of(E const& on) {
  std::size_t const most = std::numeric_limits<T>::max();
  std::vector<int> const x(most + 1, 7);
  fenced<int> values(2);
  fenced<T> lengths(2);
  EXPECT_TRUE(refuses({"runs", std::to_string(most + 1).c_str(), " bits", "std::size_t"},
                      [&] { upsweep::runs(on, x, values.inside(), lengths.inside()); }));
  EXPECT_TRUE(holds_only(values, {}) && holds_only(lengths, {}));
  EXPECT_EQ(upsweep::runs(on, std::span(x).first(most), values.inside(), lengths.inside()), 1u);
  EXPECT_TRUE(holds_only(lengths, {std::numeric_limits<T>::max()}));
}

CONTRACT_TEST(selection_contract, lengths_that_do_not_fit_are_refused) {
  if (is_device<TypeParam>)
    GTEST_SKIP() << "the sizes are compared on the host, and devices have kernels for std::size_t";
  expect_lengths_of<std::uint8_t>(TypeParam::make());
  expect_lengths_of<std::int8_t>(TypeParam::make());
  expect_lengths_of<std::uint16_t>(TypeParam::make());
}

REGISTER_TYPED_TEST_SUITE_P(selection_contract, elements_keep_their_order,
                            elements_of_any_type_keep_their_order,
                            one_element_is_found_wherever_it_is, three_parts_keep_their_order,
                            runs_end_where_neighbors_differ,
                            predicates_are_called_once_for_each_element,
                            the_first_exception_is_thrown,
                            outputs_without_room_are_refused_and_filled, wrong_calls_are_refused,
                            lengths_that_do_not_fit_are_refused);

}  // namespace upsweep::test
