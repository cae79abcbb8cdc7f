/// Contract 15 over ranks: each has a piece, and the results have the bits of one call.
#include <support/pieces.hpp>
#include <support/random.hpp>
#include <upsweep/core/view.hpp>
#include <upsweep/ops/exact_sum.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ranks/loopback.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

struct squares {
  using value = double;
  double const* of;
  double operator()(std::ptrdiff_t i) const { return of[i] * of[i]; }
};

/// Where each of `size` pieces of n elements begins: even, or at random positions, some empty.
std::vector<std::size_t> cuts_of(std::size_t n, int size, std::uint64_t salt) {
  random_bits next(test_seed() + salt);
  std::vector<std::size_t> cuts{0};
  for (int r = 1; r < size; ++r)
    cuts.push_back(salt % 2 == 0 ? n * static_cast<std::size_t>(r) / static_cast<std::size_t>(size)
                                 : static_cast<std::size_t>(next.below(n + 1)));
  cuts.push_back(n);
  if (size > 1 && salt % 3 == 1) cuts[1] = 0;                // the first is empty
  if (size > 1 && salt % 3 == 2) cuts[cuts.size() - 2] = n;  // or the last
  std::sort(cuts.begin(), cuts.end());
  return cuts;
}

template <class Op, class T>
void expect_the_bits_of_one_call(std::vector<T> const& x, Op const& op, int size,
                                 std::uint64_t salt, options<accumulator_t<Op, T>> const& o) {
  using R = result_t<Op, T>;
  auto const cuts = cuts_of(x.size(), size, salt);
  std::vector<R> inclusive(x.size()), exclusive(x.size()), want(x.size());
  std::vector<R> totals(static_cast<std::size_t>(size));
  loopback::run(size, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    ranks const all(c, serial{});
    auto const piece = std::span(x).subspan(cuts[r], cuts[r + 1] - cuts[r]);
    totals[r] = upsweep::reduce(all, piece, op, o);
    upsweep::inclusive_scan(all, piece, std::span(inclusive).subspan(cuts[r], piece.size()), op, o);
    if constexpr (monoid_over<Op, accumulator_t<Op, T>>)
      upsweep::exclusive_scan(all, piece, std::span(exclusive).subspan(cuts[r], piece.size()), op,
                              o);
  });
  auto const total = upsweep::reduce(x, op, o);
  for (auto const& each : totals) EXPECT_EQ(each, total) << size << " ranks, " << seed_note();
  upsweep::inclusive_scan(x, want, op, o);
  EXPECT_EQ(want, inclusive) << size << " ranks, " << seed_note();
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>) {
    upsweep::exclusive_scan(x, want, op, o);
    EXPECT_EQ(want, exclusive) << size << " ranks, " << seed_note();
  }
}

TEST(ranks, have_the_bits_of_one_call) {
  random_bits next(test_seed());
  for (int const size : {1, 2, 3, 4, 5, 7, 8, 13, 16})
    for (std::uint64_t salt = 0; salt < 6; ++salt) {
      std::vector<double> x(1 + 7 * salt + static_cast<std::size_t>(next.below(3000)));
      for (double& e : x) e = static_cast<double>(next.below(2001)) * 1e-3 - 1;
      expect_the_bits_of_one_call(x, plus{}, size, salt, {});
      expect_the_bits_of_one_call(x, plus{}, size, salt, {.initial = 0.1});
      expect_the_bits_of_one_call(x, max{}, size, salt, {});
      expect_the_bits_of_one_call(x, argmin{}, size, salt, {});
      expect_the_bits_of_one_call(x, plus{}, size, salt, {.initial = 0.1, .reverse = true});
      expect_the_bits_of_one_call(x, argmax_last{}, size, salt, {.reverse = true});
    }
}

TEST(ranks, join_strings_in_their_order) {
  std::string const letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJ";
  std::vector<char> const x(letters.begin(), letters.end());
  for (int const size : {1, 2, 3, 5, 8, 13})
    for (std::uint64_t salt = 0; salt < 6; ++salt)
      for (bool const reverse : {false, true})
        expect_the_bits_of_one_call(x, bracketed{}, size, salt,
                                    {.initial = "0", .reverse = reverse});
}

TEST(ranks, take_functions_views_and_two_ranges) {
  random_bits next(test_seed());
  std::vector<double> x(1003), y(x.size()), want(x.size()), got(x.size());
  for (double& e : x) e = scattered_double(next);
  for (double& e : y) e = scattered_double(next);
  auto const cuts = cuts_of(x.size(), 5, 1);
  auto const square = [](double a) { return a * a; };
  auto const product = [](double a, double b) { return a * b; };
  auto const on_each = [&](auto const& f) {
    std::fill(got.begin(), got.end(), -1.0);
    loopback::run(5, [&](loopback const& c) {
      auto const r = static_cast<std::size_t>(c.rank());
      std::size_t const n = cuts[r + 1] - cuts[r];
      f(ranks(c, serial{}), std::span(x).subspan(cuts[r], n), std::span(y).subspan(cuts[r], n),
        std::span(got).subspan(cuts[r], n));
    });
  };
  for (bool const reverse : {false, true}) {
    options<double> const o{.initial = 3.0, .reverse = reverse};
    on_each([&](auto const& all, auto a, auto b, auto out) {
      EXPECT_EQ(upsweep::transform_reduce(x, square), upsweep::transform_reduce(all, a, square));
      EXPECT_EQ(upsweep::transform_reduce(x, square, plus{}, o),
                upsweep::transform_reduce(all, a, square, plus{}, o));
      EXPECT_EQ(upsweep::transform_reduce(x, y, product, plus{}, o),
                upsweep::transform_reduce(all, a, b, product, plus{}, o));
      EXPECT_EQ(upsweep::transform_reduce(x, y, product, max{}),
                upsweep::transform_reduce(all, a, b, product, max{}));
      upsweep::transform_inclusive_scan(all, a, out, square, plus{}, o);
    });
    upsweep::transform_inclusive_scan(x, want, square, plus{}, o);
    EXPECT_EQ(want, got);
    on_each([&](auto const& all, auto a, auto b, auto out) {
      upsweep::transform_exclusive_scan(all, a, b, out, product, plus{}, o);
    });
    upsweep::transform_exclusive_scan(x, y, want, product, plus{}, o);
    EXPECT_EQ(want, got);
    on_each([&](auto const& all, auto a, auto, auto out) {
      detail::indexed_range<squares> const computed({a.data()}, a.size());
      upsweep::exclusive_scan(all, computed, out, plus{}, o);
    });
    upsweep::transform_exclusive_scan(x, want, square, plus{}, o);
    EXPECT_EQ(want, got);
  }
  loopback::run(2, [&](loopback const& c) {
    EXPECT_THROW(
        (void)upsweep::transform_reduce(ranks(c, serial{}), std::span(x).first(3),
                                        std::span(x).first(c.rank() == 1 ? 2 : 3), product),
        error);
  });
}

TEST(ranks, without_elements_have_the_identity) {
  loopback::run(3, [](loopback const& c) {
    EXPECT_EQ(0.0, upsweep::reduce(ranks(c, serial{}), std::vector<double>{}));
    EXPECT_THROW((void)upsweep::reduce(ranks(c, serial{}), std::vector<double>{}, argmax{}),
                 precondition_error);
  });
}

TEST(ranks, all_throw_when_the_operator_throws_on_one) {
  struct thrown : std::runtime_error {
    using std::runtime_error::runtime_error;
  };
  auto const op = monoid(
      [](int a, int b) { return b == 100 ? throw thrown("a hundred is refused") : a + b; }, 0);
  for (int const bad : {0, 2, 4}) {
    std::atomic<int> own = 0, others = 0;
    loopback::run(5, [&](loopback const& c) {
      std::vector<int> const piece{1, c.rank() == bad ? 100 : 2, 3, 4};
      try {
        (void)upsweep::reduce(ranks(c, serial{}), piece, op);
      } catch (thrown const&) {
        ++own;
      } catch (error const& e) {
        others += std::string(e.what()) == "another rank failed: a hundred is refused";
      }
      // They can go on.
      EXPECT_EQ(10, upsweep::reduce(ranks(c, serial{}), std::vector<int>{2}, op));
    });
    EXPECT_EQ(1, own);
    EXPECT_EQ(4, others);
  }
}

TEST(ranks, all_throw_when_a_scan_throws_on_one_or_its_output_does_not_fit) {
  std::atomic<int> thrown = 0;
  loopback::run(3, [&](loopback const& c) {
    ranks const all(c, serial{});
    // Only the last prefix of the middle rank is too large.
    std::vector<std::int64_t> piece{0, 0, 0}, out(3);
    if (c.rank() == 1) piece = {std::numeric_limits<std::int64_t>::max(), 1, -1};
    try {
      upsweep::inclusive_scan(all, piece, out, checked_plus{});
    } catch (error const&) {
      ++thrown;
    }
    out.resize(c.rank() == 0 ? 2 : 3);
    try {
      upsweep::inclusive_scan(all, piece, out);
    } catch (error const&) {
      ++thrown;
    }
  });
  EXPECT_EQ(6, thrown);
}

/// The elements of `in`, of which the first has position 0.
template <class It, class F, class Op>
source<It, F, Op, false> from_start(source<It, F, Op, false> const& in, std::size_t n,
                                    Op const& op) {
  return {in.first(), n, in.function(), op};
}
template <class It, class Op>
sink<It, Op, false> from_start(sink<It, Op, false> const& out, std::size_t n, Op const& op) {
  return {out.first(), n, op};
}
/// The CPU in the role of a device, for calls over ranks: it gets whole arrays after a prefix.
struct other_device : serial {
  static constexpr bool has_own_memory = true;
  template <class Call>
  typename Call::accumulator reduce(Call const& c) const {
    if constexpr (requires { from_start(c.in, c.n, c.op); })
      return serial::reduce(call{from_start(c.in, c.n, c.op), c.n, c.op});
    else
      return serial::reduce(c);
  }
  template <scan_kind kind, class Call, class Sink>
  auto scan(Call const& c, Sink const& out) const {
    if constexpr (requires { from_start(c.in, c.n, c.op); })
      return serial::scan<kind>(
          call{from_start(c.in, c.n, c.op), c.n, c.op, c.how, c.initial, c.first},
          from_start(out, c.n, c.op));
    else
      return serial::scan<kind>(c, out);
  }
};

template <class Op>
void expect_the_bits_of_one_call_on_devices(
    Op const& op, std::optional<accumulator_t<Op, double>> const& initial) {
  options<accumulator_t<Op, double>> const o{.initial = initial};
  random_bits next(test_seed());
  for (std::size_t const n : {1u, 64u, 1000u, 1003u}) {
    std::vector<double> x(n), inclusive(n), exclusive(n), want(n);
    for (double& e : x) e = scattered_double(next);
    double const total = upsweep::reduce(x, op, o);
    for (int const size : {1, 2, 3, 8})
      for (std::uint64_t salt = 0; salt < 6; ++salt) {
        auto const cuts = cuts_of(n, size, salt);
        loopback::run(size, [&](loopback const& c) {
          auto const r = static_cast<std::size_t>(c.rank());
          std::size_t const begin = cuts[r], count = cuts[r + 1] - begin;
          ranks const all(c, other_device{});
          auto const piece = std::span(x).subspan(begin, count);
          EXPECT_EQ(total, upsweep::reduce(all, piece, op, o));
          upsweep::inclusive_scan(all, piece, std::span(inclusive).subspan(begin, count), op, o);
          upsweep::exclusive_scan(all, piece, std::span(exclusive).subspan(begin, count), op, o);
        });
        upsweep::inclusive_scan(x, want, op, o);
        EXPECT_EQ(want, inclusive) << n << " elements, " << size << " ranks";
        upsweep::exclusive_scan(x, want, op, o);
        EXPECT_EQ(want, exclusive) << n << " elements, " << size << " ranks";
      }
  }
}

/// An exact operator whose initial value is a prefix, as that of a recurrence.
struct continued_max : max {
  [[nodiscard]] bool continues(double) const { return true; }
};
TEST(ranks, of_devices_refuse_the_reverse_direction) {
  std::atomic<int> refused = 0;
  loopback::run(2, [&](loopback const& c) {
    std::vector<double> const x{1, 2};
    std::vector<double> out(2);
    try {
      upsweep::inclusive_scan(ranks(c, other_device{}), x, out, plus{}, {.reverse = true});
    } catch (error const& e) {
      refused += std::string(e.what()).find("give the ranks in reverse order") != std::string::npos;
    }
  });
  EXPECT_EQ(2, refused);
}
TEST(ranks, of_devices_have_the_bits_of_one_call) {
  recurrence const filter({1.6, -0.64});
  expect_the_bits_of_one_call_on_devices(filter, {});
  expect_the_bits_of_one_call_on_devices(filter, filter.after({0.5, -2}));
  expect_the_bits_of_one_call_on_devices(plus{}, 0.1);
  expect_the_bits_of_one_call_on_devices(max{}, {});
  expect_the_bits_of_one_call_on_devices(max{}, 0.1);
  expect_the_bits_of_one_call_on_devices(continued_max{}, 0.1);
  expect_the_bits_of_one_call_on_devices(max{}, std::numeric_limits<double>::infinity());
  expect_the_bits_of_one_call_on_devices(exact_sum{}, {});
  expect_the_bits_of_one_call_on_devices(exact_sum{}, accumulator_t<exact_sum, double>(0.1));
}

TEST(ranks, may_work_in_place) {
  for (bool const reverse : {false, true})
    loopback::run(4, [&](loopback const& c) {
      std::vector<long> piece(10, 1);
      upsweep::inclusive_scan(ranks(c, cpu{}), piece, piece, plus{}, {.reverse = reverse});
      EXPECT_EQ(10 * (reverse ? 3 - c.rank() : c.rank()) + (reverse ? 1 : 10), piece.back());
    });
}

/// Counts the messages of all ranks.
struct counting {
  loopback of;
  std::atomic<std::size_t>& messages;
  std::atomic<std::size_t>& bytes;

  int rank() const { return of.rank(); }
  int size() const { return of.size(); }
  std::vector<std::byte> exchange(int other, std::vector<std::byte> const& b) const {
    ++messages;
    bytes += b.size();
    return of.exchange(other, b);
  }
  std::vector<std::byte> broadcast(int other, std::vector<std::byte> const& b) const {
    return of.broadcast(other, b);
  }
};

TEST(ranks, exchange_the_bytes_that_the_model_counts) {
  std::atomic<std::size_t> messages = 0, bytes = 0;
  std::vector<double> const x(1'000'003, 0.1);
  auto const cuts = cuts_of(x.size(), 13, 0);
  loopback::run(13, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    (void)upsweep::reduce(ranks(counting{c, messages, bytes}, serial{}),
                          std::span(x).subspan(cuts[r], cuts[r + 1] - cuts[r]));
  });
  // exchange(1'000'003, 13) of tools/ranks_model.py: 44 messages of partials, and as many of sizes.
  EXPECT_EQ(2 * 44u, messages);
  EXPECT_EQ(6800u + 44u * 24u, bytes);
}

/// Pieces of three elements, and of none on every fifth rank.
TEST(loopback, has_as_many_ranks_as_there_can_be_threads) {
#ifdef UPSWEEP_FULL_TESTS
  constexpr int size = 10'007;
#else
  constexpr int size = 257;
#endif
  auto const begin_of = [](std::size_t r) { return 3 * (r - (r + 4) / 5); };
  random_bits next(test_seed());
  std::vector<double> x(begin_of(size)), want(x.size()), got(x.size());
  for (double& e : x) e = scattered_double(next);
  double const total = reduce(x);
  std::atomic<int> wrong = 0;
  loopback::run(size, [&](loopback const& c) {
    auto const r = static_cast<std::size_t>(c.rank());
    std::size_t const begin = begin_of(r), n = begin_of(r + 1) - begin;
    ranks const all(c, serial{});
    wrong += upsweep::reduce(all, std::span(x).subspan(begin, n)) != total;
    upsweep::inclusive_scan(all, std::span(x).subspan(begin, n), std::span(got).subspan(begin, n));
  });
  EXPECT_EQ(0, wrong);
  upsweep::inclusive_scan(x, want);
  EXPECT_EQ(want, got);
}

TEST(loopback, ends_ranks_that_wait_for_one_that_has_thrown) {
  EXPECT_THROW(loopback::run(5,
                             [](loopback const& c) {
                               if (c.rank() == 3) throw std::runtime_error("gone");
                               (void)upsweep::reduce(ranks(c, serial{}), std::vector<int>{1});
                             }),
               std::runtime_error);
}

}  // namespace
}  // namespace upsweep::test
