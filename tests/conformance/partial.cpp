/// Contract 15: partials of pieces join, in any grouping, to the bits of one call.
#include <support/bits.hpp>
#include <support/message.hpp>
#include <support/pieces.hpp>
#include <support/random.hpp>
#include <support/tree.hpp>
#include <upsweep/ops/laws.hpp>
#include <upsweep/partial/bytes.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::test {
namespace {

using part_of_text = partial<char, bracketed>;

std::string const alphabet = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ";

template <class Op, class T>
partial<T, Op> part(std::vector<T> const& x, std::size_t begin, std::size_t end, Op op = {}) {
  partial<T, Op> p(begin, op);
  p.push(serial{}, std::span(x).subspan(begin, end - begin));
  return p;
}
part_of_text text_part(std::size_t begin, std::size_t end) {
  part_of_text p(begin);
  p.push(serial{}, std::span(alphabet).subspan(begin, end - begin));
  return p;
}

TEST(partial, consists_of_the_largest_aligned_blocks) {
  EXPECT_EQ((std::deque<std::string>{"d", "((ef)(gh))", "((ij)(kl))", "m"}),
            text_part(3, 13).totals());
  EXPECT_TRUE(text_part(5, 5).totals().empty());
}

TEST(partial, of_neighbors_joins_to_the_partial_of_both_for_all_triples) {
  for (std::size_t a = 0; a <= alphabet.size(); ++a)
    for (std::size_t b = a; b <= alphabet.size(); ++b)
      for (std::size_t c = b; c <= alphabet.size(); ++c) {
        auto const whole = text_part(a, c), joined = merge(text_part(a, b), text_part(b, c));
        ASSERT_EQ(whole.totals(), joined.totals()) << a << ' ' << b << ' ' << c;
        ASSERT_TRUE(joined.empty() || (joined.begin() == a && joined.end() == c));
      }
}

/// Every way to cut a few elements, joined in a random grouping and in a random order.
TEST(partial, of_all_partitions_of_few_elements_join_to_the_whole) {
  random_bits next(test_seed());
  constexpr std::size_t n = 11;
  auto const whole = text_part(0, n).totals();
  for (unsigned cuts = 0; cuts < 1u << (n - 1); ++cuts) {
    std::vector<part_of_text> parts;
    for (std::size_t begin = 0, end = 1; end <= n; ++end) {
      if (end < n && (cuts >> (end - 1) & 1u) == 0) continue;
      parts.push_back(text_part(begin, end));
      begin = end;
    }
    ASSERT_EQ(whole, inserted_in_any_order(parts, next).whole(n).totals())
        << cuts << ' ' << seed_note();
    ASSERT_EQ(whole, appended_in_any_order(parts, next).totals()) << cuts;
  }
}

/// A hash of how it was called: another association has another value but for one in 2^64.
struct hashed {
  static constexpr bool exact = false;
  std::uint64_t operator()(std::uint64_t a, std::uint64_t b) const {
    std::uint64_t const h = (a ^ std::rotl(b, 17)) * 0x9e3779b97f4a7c15u;
    return (h ^ h >> 29) + 3 * b;
  }
};

/// Totals are looked up in a table of all blocks, so that only joining takes time.
TEST(partial, of_random_neighbors_joins_to_the_partial_of_both) {
#ifdef UPSWEEP_FULL_TESTS
  constexpr int merges = 10'000'000;
#else
  constexpr int merges = 20'000;
#endif
  constexpr int levels = 14;
  random_bits next(test_seed());
  std::vector<std::vector<std::uint64_t>> blocks(levels + 1);
  for (std::size_t i = 0; i < std::size_t{1} << levels; ++i) blocks[0].push_back(next());
  for (std::size_t k = 1; k <= levels; ++k)
    for (std::size_t j = 0; j < blocks[k - 1].size(); j += 2)
      blocks[k].push_back(hashed{}(blocks[k - 1][j], blocks[k - 1][j + 1]));
  using part = partial<std::uint64_t, hashed>;
  auto const of = [&](std::size_t begin, std::size_t end) {
    std::deque<std::uint64_t> totals;
    detail::block_sequence const all(begin, end, 62);
    for (std::size_t i = 0; i < all.size(); ++i)
      totals.push_back(blocks[static_cast<std::size_t>(all[i].k)][all[i].position >> all[i].k]);
    return part::of_totals(begin, end, std::move(totals));
  };
  for (int i = 0; i < merges; ++i) {
    std::size_t cuts[3];
    for (std::size_t& cut : cuts)
      cut = static_cast<std::size_t>(next.below((std::size_t{1} << levels) + 1));
    std::ranges::sort(cuts);
    ASSERT_EQ(of(cuts[0], cuts[2]).totals(),
              merge(of(cuts[0], cuts[1]), of(cuts[1], cuts[2])).totals())
        << cuts[0] << ' ' << cuts[1] << ' ' << cuts[2];
  }
}

TEST(partial, has_the_same_totals_far_behind_the_beginning) {
  constexpr std::size_t far = std::size_t{1} << 50;
  std::vector<double> x(3000);
  random_bits next(test_seed());
  for (double& e : x) e = scattered_double(next);
  partial<double> near(4096 + 77), away(far + 77);
  near.push(serial{}, x);
  away.push(serial{}, x);
  EXPECT_EQ(near.totals(), away.totals());
  EXPECT_EQ(far + 77 + x.size(), from_bytes<double>(to_bytes(away)).end());
}

TEST(partial, of_the_whole_has_the_result_of_the_definition) {
  std::vector<std::string> x;
  for (char c : alphabet) x.emplace_back(1, c);
  auto const prefixes = tree_prefixes(x, bracketed{});
  for (std::size_t n = 1; n <= alphabet.size(); ++n)
    EXPECT_EQ(prefixes[n - 1], text_part(0, n).result());
}

/// Cuts [0, n) at random positions, some of them equal.
std::vector<std::size_t> random_cuts(random_bits& next, std::size_t n) {
  std::vector<std::size_t> cuts{0, n};
  for (std::size_t more = next.below(17); more > 0; --more)
    cuts.push_back(static_cast<std::size_t>(next.below(n + 1)));
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

/// The pieces of x between random cuts, joined by random neighbors, and in a random order.
template <class Op, class T>
void expect_the_bits_of_one_call(std::vector<T> const& x, std::uint64_t salt) {
  random_bits next(test_seed() + salt);
  auto const cuts = random_cuts(next, x.size());
  std::vector<partial<T, Op>> parts;
  for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
    partial<T, Op> p(cuts[i]);
    std::size_t const middle = cuts[i] + (cuts[i + 1] - cuts[i]) / 3;
    p.push(cpu{.threads = 2}, std::span(x).subspan(cuts[i], middle - cuts[i]));
    p.push(std::span(x).subspan(middle, cuts[i + 1] - middle));
    parts.push_back(from_bytes<T, Op>(to_bytes(p)));
  }
  auto const want = reduce(x, Op{});
  auto const set = inserted_in_any_order(parts, next);
  EXPECT_TRUE(detail::parts::same(want, set.whole(x.size()).result())) << seed_note();
  EXPECT_TRUE(detail::parts::same(want, appended_in_any_order(parts, next).result()))
      << seed_note();
}

template <class T>
std::vector<T> numbers_of(std::size_t n) {
  random_bits next(test_seed() + n);
  std::vector<T> x(n);
  for (T& e : x) e = static_cast<T>(static_cast<double>(next.below(2001)) * 1e-3 - 1);
  return x;
}

TEST(partial, of_every_piece_gives_the_bits_of_one_call) {
  for (std::uint64_t i = 0; i < 60; ++i) {
    auto const x = numbers_of<float>(1 + (i * i * 97) % 9001);
    expect_the_bits_of_one_call<plus>(x, i);
    expect_the_bits_of_one_call<moments>(x, i);
    expect_the_bits_of_one_call<log_sum_exp>(x, i);
    expect_the_bits_of_one_call<exact_sum>(x, i);
  }
  expect_the_bits_of_one_call<plus>(numbers_of<double>(1'234'567), 1);
}

TEST(partial, counts_positions_from_the_beginning_of_the_whole) {
  for (std::uint64_t i = 0; i < 60; ++i)
    expect_the_bits_of_one_call<argmax_last>(numbers_of<double>(1 + i * 53), i);
  std::vector<int> x(1000, 1);
  x[777] = 5;
  EXPECT_EQ(777u, part<argmax>(x, 700, 1000).totals().front().index);
}

TEST(partial, of_an_exact_operator_is_one_total) {
  std::vector<int> const x(1000, 3);
  auto const p = part<plus>(x, 1, 999);
  EXPECT_EQ(1u, p.totals().size());
  EXPECT_EQ(3000, merge(merge(part<plus>(x, 0, 1), p), part<plus>(x, 999, 1000)).result());
  std::vector<bool> const none;
  EXPECT_EQ(false, (partial<bool, logical_or>().result()));
}

TEST(partial, takes_the_initial_value_at_the_end) {
  std::vector<double> const x{0.1, 0.2, 0.3, 0.4, 0.5};
  EXPECT_EQ(reduce(x, {.initial = 7.0}),
            merge(part<plus>(x, 0, 3), part<plus>(x, 3, 5)).result({.initial = 7.0}));
}

TEST(partial, gives_its_elements_to_a_stream_and_takes_those_of_one) {
  auto const x = numbers_of<double>(5000);
  std::vector<double> want(x.size()), got(x.size());
  inclusive_scan(x, want);
  for (std::size_t const cut : {0u, 1u, 64u, 777u, 4096u, 4999u}) {
    scan_stream<double> behind;
    part<plus>(x, 0, cut).resume(behind);
    behind.inclusive(std::span(x).subspan(cut), std::span(got).subspan(cut));
    EXPECT_TRUE(std::equal(got.begin() + static_cast<std::ptrdiff_t>(cut), got.end(),
                           want.begin() + static_cast<std::ptrdiff_t>(cut)));
    auto all = part<plus>(x, 0, cut);
    all.append(part<plus>(x, cut, x.size()));
    EXPECT_EQ(partial<double>::of(behind).totals(), all.totals());
  }
  reduce_stream<double, max> exact;
  part<max>(x, 0, 777).resume(exact);
  exact.push(std::span(x).subspan(777));
  EXPECT_EQ(reduce(x, max{}), exact.result());
}

TEST(partial, refuses_what_does_not_belong_together) {
  std::vector<double> const x(10, 1.0);
  auto p = part<plus>(x, 0, 4);
  EXPECT_EQ("partial: only adjacent parts can be joined; one ends at 4, the later begins at 5",
            message_of([&] { p.append(part<plus>(x, 5, 6)); }));
  EXPECT_EQ(4u, p.end());
  EXPECT_NE(std::string::npos,
            message_of([&] { (void)part<plus>(x, 2, 6).result(); }).find("[0, 2) are missing"));
  partial_set<double> set;
  set.insert(part<plus>(x, 2, 6));
  EXPECT_NE(std::string::npos,
            message_of([&] { set.insert(part<plus>(x, 5, 7)); }).find("[5, 7) exist already"));
  EXPECT_NE(std::string::npos,
            message_of([&] { (void)set.whole(6); }).find("[0, 2) of 6 are missing"));
  set.insert(p = part<plus>(x, 0, 2));
  EXPECT_EQ(6.0, set.whole(6).result());
  EXPECT_NE(std::string::npos, message_of([&] { (void)set.whole(10); }).find("element 6 of 10"));
}
/// A stream that has elements keeps them.
TEST(partial, resumes_only_streams_without_elements) {
  auto const x = numbers_of<double>(8);
  auto const refuses = [&](auto& stream, auto const& of) {
    EXPECT_EQ("partial: the stream to resume already has elements",
              message_of([&] { of.resume(stream); }));
    EXPECT_EQ(1u, stream.size());
  };
  reduce_stream<double> sums;
  sums.push(std::span(x).first(1));
  refuses(sums, part<plus>(x, 0, 4));
  refuses(sums, part<plus>(x, 0, 0));
  EXPECT_EQ(x[0], sums.result());
  reduce_stream<double, max> exact;
  exact.push(std::span(x).first(1));
  refuses(exact, part<max>(x, 0, 4));
  scan_stream<double> scans;
  std::vector<double> out(1);
  scans.inclusive(std::span(x).first(1), out);
  refuses(scans, part<plus>(x, 0, 4));
}

TEST(partial, stays_as_it_was_when_the_operator_throws) {
  auto const throwing =
      monoid([](int a, int b) { return b < 0 ? throw std::runtime_error("negative") : a + b; }, 0);
  std::vector<int> const x{1, 2, 3, -4, 5, 6};
  partial<int, decltype(throwing)> p(0, throwing);
  p.push(std::span(x).first(3));
  auto const before = p.totals();
  EXPECT_THROW(p.push(std::span(x).subspan(3)), std::runtime_error);
  EXPECT_EQ(3u, p.end());
  EXPECT_EQ(before, p.totals());
}

/// Written once, by a program in Python that follows the description of the format; every later
/// version must read it: the sum of k / 10 for k = 5, ..., 20.
constexpr unsigned char golden[] = {
    117, 112, 115, 119, 101, 101, 112, 32,  112, 97, 114, 116, 105, 97,  108, 10,  1,   0,   1,
    0,   3,   0,   0,   0,   102, 54,  52,  3,   0,  0,   0,   115, 117, 109, 0,   0,   0,   0,
    5,   0,   0,   0,   0,   0,   0,   0,   21,  0,  0,   0,   0,   0,   0,   0,   5,   0,   0,
    0,   0,   0,   0,   0,   0,   0,   0,   0,   0,  0,   224, 63,  204, 204, 204, 204, 204, 204,
    244, 63,  103, 102, 102, 102, 102, 102, 34,  64, 0,   0,   0,   0,   0,   0,   28,  64,  0,
    0,   0,   0,   0,   0,   0,   64,  42,  153, 71, 58,  2,   156, 27,  100};

TEST(partial, that_was_written_by_an_earlier_version_is_read) {
  std::vector<double> x(21);
  for (std::size_t k = 0; k < x.size(); ++k) x[k] = static_cast<double>(k) / 10;
  auto const now = to_bytes(part<plus>(x, 5, 21));
  auto const then = std::as_bytes(std::span(golden));
  EXPECT_TRUE(std::equal(now.begin(), now.end(), then.begin(), then.end()));
  auto whole = part<plus>(x, 0, 5);
  whole.append(from_bytes<double>(then));
  EXPECT_EQ(reduce(x), whole.result());
}

TEST(partial, refuses_bytes_of_another_kind) {
  std::vector<double> const x(100, 1.0);
  auto const bytes = to_bytes(part<plus>(x, 3, 90));
  EXPECT_EQ("partial: the bytes are of the operator 'sum', not 'max'",
            message_of([&] { (void)from_bytes<double, max>(bytes); }));
  EXPECT_EQ("partial: the bytes are of elements of type 'f64', not 'f32'",
            message_of([&] { (void)from_bytes<float>(bytes); }));
  EXPECT_EQ("partial: these bytes are not a partial",
            message_of([&] { (void)from_bytes<double>(std::as_bytes(std::span(x))); }));
}

TEST(partial, refuses_damaged_bytes_and_any_part_of_them) {
  std::vector<double> const x(100, 1.0);
  auto const bytes = to_bytes(part<plus>(x, 3, 90));
  for (std::size_t n = 0; n < bytes.size(); ++n) {
    EXPECT_THROW((void)from_bytes<double>(std::span(bytes).first(n)), precondition_error);
    for (int bit = 0; bit < 8; ++bit) {
      auto damaged = bytes;
      damaged[n] ^= static_cast<std::byte>(1 << bit);
      EXPECT_THROW((void)from_bytes<double>(damaged), precondition_error) << n;
    }
  }
}

/// Bytes that somebody has changed, with the checksum of what they are now: lengths, positions and
/// numbers of totals are wrong. They are refused, or are the bytes of another partial.
TEST(partial, of_forged_bytes_is_refused_or_has_these_bytes) {
  auto const bytes = to_bytes(text_part(3, 13));
  std::size_t const body = bytes.size() - sizeof(std::uint64_t);
  int refused = 0;
  for (std::size_t n = 0; n < body; ++n)
    for (unsigned const change : {1u, 0x80u, 0xffu}) {
      auto forged = bytes;
      forged[n] ^= static_cast<std::byte>(change);
      auto const sum = detail::bytes::writer::checksum(std::span(forged).first(body));
      std::memcpy(forged.data() + body, &sum, sizeof sum);
      try {
        EXPECT_EQ(forged, to_bytes(from_bytes<char, bracketed>(forged))) << n;
      } catch (precondition_error const&) {
        ++refused;
      }
    }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace upsweep::test
