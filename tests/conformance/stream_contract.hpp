/// Streams: chunks of any lengths have the bits of one call over everything.
#pragma once

#include <conformance/checks.hpp>
#include <conformance/contract_test.hpp>
#include <support/probes.hpp>
#include <support/sizes.hpp>
#include <support/types.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// n cut into chunks, some of them empty, none longer than `longest`.
inline std::vector<std::size_t> random_chunks(std::size_t n, std::size_t longest,
                                              random_bits& next) {
  std::vector<std::size_t> chunks;
  while (n > 0) {
    std::size_t const chunk = std::min<std::size_t>(n, next.below(longest + 1));
    chunks.push_back(chunk);
    n -= chunk;
  }
  return chunks;
}

/// A stream of `in` cut into `chunks` holds what one call gives. `kinds` picks inclusive or
/// exclusive for each chunk.
template <class T, class E, class Op, class A = accumulator_t<Op, T>>
testing::AssertionResult stream_follows_tree(tree_values<A> const& v, E const& on,
                                             std::vector<T> const& in, Op const& op,
                                             options<A> const& o,
                                             std::vector<std::size_t> const& chunks,
                                             bool in_place) {
  scan_stream<T, Op, E> scan(on, op, o);
  reduce_stream<T, Op, E> reduction(on, op, o);
  std::size_t start = 0;
  for (std::size_t const n : chunks) {
    std::span const chunk = std::span(in).subspan(start, n);
    reduction.push(chunk);
    std::vector<T> memory(chunk.begin(), chunk.end());
    fenced<result_t<Op, T>> out(n);
    bool const inclusive = (start / 3) % 2 == 0;
    auto const run = [&](auto to) {
      if (inclusive)
        scan.inclusive(in_place ? std::span<T const>(memory) : chunk, to);
      else
        scan.exclusive(in_place ? std::span<T const>(memory) : chunk, to);
    };
    if (in_place)
      run(std::span(memory));
    else
      run(out.inside());
    if (!out.intact()) return testing::AssertionFailure() << "a stream wrote outside its output";
    for (std::size_t i = 0; i < n; ++i) {
      std::size_t const at = start + i;
      auto const wanted = detail::finish(op, A(inclusive ? v.inclusive[at]
                                               : at == 0 ? *v.exclusive_0
                                                         : v.inclusive[at - 1]));
      if (auto const r = equal_at(
              form(inclusive ? "scan_stream.inclusive" : "scan_stream.exclusive", in.size(), o), at,
              in_place ? memory[i] : out[i], wanted);
          !r)
        return r;
    }
    start += n;
    if (scan.size() != start || reduction.size() != start)
      return testing::AssertionFailure() << "a stream lost count at " << start;
    auto const total = detail::finish(op, A(start == 0 ? *v.exclusive_0 : v.inclusive[start - 1]));
    if (auto const r =
            equal_at(form("reduce_stream", in.size(), o), start, reduction.result(), total);
        !r)
      return r;
    if (auto const r =
            equal_at(form("result of scan_stream", in.size(), o), start, scan.result(), total);
        !r)
      return r;
  }
  return testing::AssertionSuccess();
}

/// Chunks that grow from single elements to enough for several threads, with and without an initial
/// value.
template <class T, class E, class Op>
testing::AssertionResult streams_follow_tree(E const& on, Op const& op) {
  using A = accumulator_t<Op, T>;
  random_bits next(test_seed());
  // A device needs many launches for a chunk.
  bool const smaller = slow_build || detail::has_own_memory<E>;
  std::size_t const most_chunks = slow_build && detail::has_own_memory<E> ? 100 : 3000;
  for (std::size_t const n :
       {std::size_t{1}, std::size_t{70}, std::size_t{1009}, std::size_t{smaller ? 20011 : 70001},
        std::size_t{smaller ? 40009 : 300007}}) {
    std::vector<T> const in = random_elements<T>(n);
    for (bool const with_initial : {false, true}) {
      options<A> o;
      if (with_initial) o.initial.emplace(detail::lift(op, random_elements<T>(1, 5).front(), 0));
      auto const v = values_by_tree(in, op, o);
      for (std::size_t const longest : {std::size_t{1}, std::size_t{7}, std::size_t{100},
                                        std::size_t{5000}, std::size_t{150000}}) {
        if (n / longest > most_chunks || longest > 4 * n) continue;
        auto const chunks = random_chunks(n, longest, next);
        if (auto r = stream_follows_tree(v, on, in, op, o, chunks, longest == 100); !r)
          return r << "; chunks of up to " << longest;
      }
    }
  }
  return testing::AssertionSuccess();
}

template <class Backend>
class stream_contract : public testing::Test {};
TYPED_TEST_SUITE_P(stream_contract);

CONTRACT_TEST(stream_contract, chunks_of_any_length_follow_the_tree) {
  EXPECT_TRUE(streams_follow_tree<tree_name>(TypeParam::make(), name_tree{}));
}
CONTRACT_TEST(stream_contract, chunks_of_any_length_have_the_bits_of_one_float_sum) {
  EXPECT_TRUE(streams_follow_tree<float>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(stream_contract, chunks_of_any_length_have_the_bits_of_one_double_sum) {
  EXPECT_TRUE(streams_follow_tree<double>(TypeParam::make(), plus{}));
}
CONTRACT_TEST(stream_contract, chunks_of_any_length_keep_the_order_of_exact_operators) {
  EXPECT_TRUE(
      streams_follow_tree<affine_map<std::uint64_t>>(TypeParam::make(), compose_maps<true>{}));
}

CONTRACT_TEST(stream_contract, every_way_to_cut_ten_elements_in_three_gives_the_same_bits) {
  auto const in = random_elements<tree_name>(10);
  options<tree_name> const o;
  auto const v = values_by_tree(in, name_tree{}, o);
  for (std::size_t a = 0; a <= 10; ++a)
    for (std::size_t b = 0; a + b <= 10; ++b)
      ASSERT_TRUE(
          stream_follows_tree(v, TypeParam::make(), in, name_tree{}, o, {a, b, 10 - a - b}, false))
          << a << " + " << b;
}

/// A reduce_stream whose operator throws in its second chunk is empty, and counts from 0 again.
template <class E>
testing::AssertionResult throwing_stream_is_empty(E const& on, std::size_t first,
                                                  std::size_t second, std::size_t bad) {
  std::vector<living> const good(first, living(3));
  std::vector<living> chunk(second, living(4));
  chunk[bad] = living(5, first + bad);
  reduce_stream<living, add_living, E> stream(on);
  stream.push(good);
  try {
    stream.push(chunk);
    return testing::AssertionFailure()
           << "no exception from chunks of " << first << " and " << second;
  } catch (bad_element const& e) {
    if (e.at != first + bad)
      return testing::AssertionFailure() << "threw for " << e.at << " instead of " << first + bad;
  }
  if (stream.size() != 0)
    return testing::AssertionFailure()
           << "after an exception in element " << bad
           << " of its second chunk, the stream still holds " << stream.size() << " of " << first
           << " + " << second << " elements";
  stream.push(good);
  return equal_at("reduce_stream after an exception", first, stream.result(),
                  tree_prefixes(good, add_living{}).back());
}

CONTRACT_TEST(stream_contract, stream_is_empty_after_an_exception) {
  if (is_device<TypeParam>) GTEST_SKIP() << "operators do not throw on a device";
  for (std::size_t const first : {1u, 2u, 5u, 64u, 1000u})
    for (std::size_t const second : {2u, 7u, 100u})
      for (std::size_t const bad : {std::size_t{0}, std::size_t{1}, second - 1})
        EXPECT_TRUE(throwing_stream_is_empty(TypeParam::make(), first, second, bad));
  EXPECT_TRUE(throwing_stream_is_empty(TypeParam::make(), 70001, 70001, 60000));
}

CONTRACT_TEST(stream_contract, streams_refuse_what_they_cannot_do) {
  auto const on = TypeParam::make();
  using E = std::remove_const_t<decltype(on)>;
  auto const larger = [](float a, float b) { return a > b ? a : b; };
  EXPECT_TRUE(
      refuses({"stream", "reverse"}, [&] { scan_stream<float, plus, E>(on, {.reverse = true}); }));
  EXPECT_TRUE(refuses({"stream", "reverse"},
                      [&] { reduce_stream<float, plus, E>(on, {.reverse = true}); }));
  std::vector<float> const in(10, 1.0f);
  fenced<float> out(9), other(10);
  scan_stream<float, plus, E> sum(on);
  EXPECT_TRUE(refuses({"10", "9"}, [&] { sum.inclusive(std::span(in), out.inside()); }));
  scan_stream<float, decltype(larger), E> largest(on, larger);
  EXPECT_TRUE(
      refuses({"identity", ".initial"}, [&] { largest.exclusive(std::span(in), other.inside()); }));
  EXPECT_TRUE(refuses({"identity", ".initial"}, [&] { (void)largest.result(); }));
  EXPECT_TRUE(out.unwritten() && other.unwritten());
  EXPECT_EQ(sum.result(), 0.0f);
}

CONTRACT_TEST(stream_contract, any_contiguous_ranges_are_a_chunk_and_its_results) {
  auto const on = TypeParam::make();
  std::vector<double> chunk{1, 2, 3}, out(3);
  double const more[] = {4, 5};
  std::array<double, 2> results{};
  scan_stream<double, plus, std::remove_const_t<decltype(on)>> stream(on);
  stream.inclusive(chunk, out);
  EXPECT_EQ(out, (std::vector{1.0, 3.0, 6.0}));
  stream.exclusive(more, results);
  EXPECT_EQ(results, (std::array{6.0, 10.0}));
  stream.inclusive(std::span(chunk).first(2), std::span(out).first(2));
  EXPECT_EQ(out, (std::vector{16.0, 18.0, 6.0}));
  stream.exclusive(chunk, chunk);
  EXPECT_EQ(chunk, (std::vector{18.0, 19.0, 21.0}));
}

CONTRACT_TEST(stream_contract, exclusive_results_need_no_identity_after_the_first_chunk) {
  if (is_device<TypeParam>)
    GTEST_SKIP() << "the tests have no kernels for streams of this operator";
  auto const on = TypeParam::make();
  scan_stream<int, larger_of_two, std::remove_const_t<decltype(on)>> stream(on);
  std::vector<int> out(3);
  stream.inclusive(std::vector{3, 1, 4}, out);
  EXPECT_EQ(out, (std::vector{3, 3, 4}));
  stream.exclusive(std::vector{1, 5, 9}, out);
  EXPECT_EQ(out, (std::vector{4, 4, 5}));
  stream.inclusive(std::vector{2, 6, 10}, out);
  EXPECT_EQ(out, (std::vector{9, 9, 10}));
  stream.exclusive(std::vector{3, 5, 8}, out);
  EXPECT_EQ(out, (std::vector{10, 10, 10}));
}

REGISTER_TYPED_TEST_SUITE_P(stream_contract, chunks_of_any_length_follow_the_tree,
                            chunks_of_any_length_have_the_bits_of_one_float_sum,
                            chunks_of_any_length_have_the_bits_of_one_double_sum,
                            chunks_of_any_length_keep_the_order_of_exact_operators,
                            every_way_to_cut_ten_elements_in_three_gives_the_same_bits,
                            stream_is_empty_after_an_exception, streams_refuse_what_they_cannot_do,
                            any_contiguous_ranges_are_a_chunk_and_its_results,
                            exclusive_results_need_no_identity_after_the_first_chunk);

}  // namespace upsweep::test
