/// Faults on one of several ranks: each allocation and each copy fails in turn, in every verb, and
/// ranks that make other calls. No rank waits for ever. tests/mpi has the same under MPI.
#include <support/ranks_faults.hpp>
#include <upsweep/ops/recurrence.hpp>
#include <upsweep/ranks/loopback.hpp>

#include <gtest/gtest.h>

#include <atomic>
#include <cstddef>
#include <exception>
#include <new>
#include <span>
#include <stdexcept>
#include <string>
#include <tuple>
#include <vector>

namespace upsweep::test {
namespace {

constexpr unsigned most_seconds = 60;
constexpr int calls = calls_over_ranks<loopback>::count;
#ifdef UPSWEEP_FULL_TESTS
constexpr int step = 1;
#else
constexpr int step = 3;
#endif

void expect_to_survive(int size, int number, int failing) {
  EXPECT_NO_THROW(loopback::run(size, [&](loopback const& c) {
    expect_to_survive_faults(c, failing, number, most_seconds);
  }));
}

TEST(ranks_faults, reach_all_of_three_ranks) {
  for (int i = 0; i < 3 * calls; i += step) expect_to_survive(3, i / 3, (i + i / 3 / step) % 3);
}
TEST(ranks_faults, reach_all_of_one_two_and_five_ranks) {
  for (int const size : {1, 2, 5})
    for (int i = 0; i < calls; i += 2 * step) expect_to_survive(size, i, i % size);
}

TEST(ranks_faults, of_other_calls_are_told_to_all) {
  for (int const size : {2, 3, 5, 6})
    for (int odd = 0; odd < size; ++odd)
      EXPECT_NO_THROW(loopback::run(size, [&](loopback const& c) {
        auto const name = [](int i) { return std::string(calls_over_ranks<loopback>::name(i)); };
        for (int i = 0; i < calls; ++i)
          for (int j = (i + size) % step; j < calls; j += step)
            if (i != j &&
                name(i).substr(0, name(i).find(' ')) != name(j).substr(0, name(j).find(' ')))
              expect_to_refuse(c, odd, i, j, most_seconds);
      }));
}

/// Calls f(all) on the ranks but the last, and g(all) there; each must say these words.
template <class F, class G>
void expect_words(std::string const& words, F const& f, G const& g) {
  for (int const size : {2, 3, 4, 5}) {
    std::atomic<int> said = 0;
    std::string other;
    loopback::run(size, [&](loopback const& c) {
      ::alarm(most_seconds);
      ranks const all(c, serial{});
      try {
        c.rank() + 1 < size ? (void)f(all) : (void)g(all);
      } catch (error const& e) {
        std::string const sentence = e.what();
        said += sentence.starts_with(words + " of rank ") &&
                sentence.ends_with(" and rank " + std::to_string(size - 1) +
                                   " differ; all ranks must make the same call");
        if (c.rank() == 0) other = sentence;
      }
    });
    EXPECT_EQ(size, said) << other;
  }
  ::alarm(0);
}

TEST(ranks_faults, of_other_operators_types_and_options_have_a_sentence) {
  std::vector<double> const x{1, 2, 3};
  std::vector<float> const narrow{1, 2, 3};
  auto const by = [&](auto const& op, auto const& o) {
    return [&](auto const& all) { return reduce(all, x, op, o); };
  };
  options<double> const none{};
  std::string const operators = "the operators, or their parameters,",
                    others = "reduce: the options";
  expect_words("reduce: " + operators, by(plus{}, none), by(max{}, none));
  expect_words("reduce: " + operators, by(plus{}, none),
               by([](double a, double b) { return a + b; }, none));
  recurrence const filter({1.6, -0.64}), other_filter({1.6, -0.65});
  auto const scan = [&](auto const& op) {
    return [&](auto const& all) {
      std::vector<double> out(3);
      return inclusive_scan(all, x, out, op);
    };
  };
  expect_words("inclusive_scan: " + operators, scan(filter), scan(other_filter));
  auto const two = [&](auto const& op) {
    return [&](auto const& all) {
      std::vector<std::tuple<double, double>> out(3);
      return inclusive_scan(all, x, out, tuple_of(plus{}, op));
    };
  };
  expect_words("inclusive_scan: " + operators, two(filter), two(other_filter));
  expect_words("reduce: the element types", by(plus{}, none),
               [&](auto const& all) { return reduce(all, narrow); });
  expect_words(others, by(plus{}, none), by(plus{}, options<double>{.initial = 0.0}));
  expect_words(others, by(plus{}, options<double>{.initial = 1.0}),
               by(plus{}, options<double>{.initial = 2.0}));
  for (double const other : {-1.0, 0x1p16, 0x1p-16})  // another last byte only
    expect_words(others, by(plus{}, options<double>{.initial = 1.0}),
                 by(plus{}, options<double>{.initial = other}));
  expect_words(others, by(plus{}, none), by(plus{}, options<double>{.reverse = true}));
  expect_words(others, by(plus{}, none), by(plus{}, options<double>{.mode = mode::fast}));
  expect_words(others, by(plus{}, none), by(plus{}, options<double>{.tree = tree::pairwise}));
}
TEST(ranks_faults, of_other_widths_bins_and_keys_have_a_sentence) {
  std::vector<double> const x{1, 2, 3};
  auto const windows = [&](std::size_t width) {
    return [&, width](auto const& all) {
      std::vector<double> out(3);
      return windowed(all, x, width, out);
    };
  };
  expect_words("windowed: the options", windows(2), windows(3));
  auto const counted = [&](auto const& bins, histogram_options const& o) {
    return [&](auto const& all) {
      std::vector<int> counts(2);
      std::vector<double> sums(2);
      (void)weighted_histogram(all, x, x, sums, bins, o);
      return histogram(all, x, counts, bins, o);
    };
  };
  std::string const of_bins = "weighted_histogram: the options";
  expect_words(of_bins, counted(even{0, 4}, {}), counted(even{0, 5}, {}));
  expect_words(of_bins, counted(even{0, 4}, {}), counted(even{0, 4}, {.closed_right = true}));
  expect_words(of_bins, counted(std::vector{0, 2, 4}, {}), counted(std::vector{0, 3, 4}, {}));
  auto const keyed = [&](auto const& keys) {
    return [&](auto const& all) {
      std::vector<double> out(3);
      return inclusive_scan_runs(all, keys, x, out);
    };
  };
  expect_words("inclusive_scan_runs: the element types", keyed(std::vector{1, 2, 3}),
               keyed(std::vector<long>{1, 2, 3}));
}
/// What may differ: the ranges, the functions, and the names of one type.
TEST(ranks_faults, are_not_seen_where_calls_are_the_same) {
  loopback::run(3, [](loopback const& c) {
    ranks const all(c, serial{});
    std::vector<long> const x{1, 2, 3};
    std::vector<long long> const y{1, 2, 3};
    bool const last = c.rank() == 2;
    EXPECT_EQ(18, last ? reduce(all, y) : reduce(all, x));
    EXPECT_EQ(18, last ? transform_reduce(all, x, [](long e) { return e; })
                       : transform_reduce(all, x, [](long e) { return 0 + e; }));
    std::vector<double> const zero{0.0, 2.0};
    EXPECT_EQ(6.0, last ? reduce(all, zero, plus{}, {.initial = 0})
                        : reduce(all, std::span(zero), plus{}, {.initial = 0.0F}));
  });
}

/// An exception whose message is empty.
struct silent : std::exception {
  [[nodiscard]] char const* what() const noexcept override { return ""; }
};
TEST(ranks_faults, without_a_message_reach_all) {
  std::atomic<int> own = 0, others = 0;
  loopback::run(3, [&](loopback const& c) {
    std::vector<int> const x{1, 2};
    try {
      (void)upsweep::reduce(ranks(c, serial{}), x, [&](int a, int b) {
        if (c.rank() == 1) throw silent();
        return a + b;
      });
    } catch (silent const&) {
      ++own;
    } catch (error const& e) {
      others += e.what() == std::string("another rank failed: an exception without a message");
    }
  });
  EXPECT_EQ(1, own);
  EXPECT_EQ(2, others);
}
/// A connection that loses what other ranks say to one of them: it hears nothing, or has no memory.
struct losing {
  loopback all;
  int loser;
  bool const* has_no_memory = nullptr;

  [[nodiscard]] int rank() const { return all.rank(); }
  [[nodiscard]] int size() const { return all.size(); }
  [[nodiscard]] std::vector<std::byte> exchange(int other,
                                                std::vector<std::byte> const& bytes) const {
    auto heard = all.exchange(other, bytes);
    if (rank() != loser) return heard;
    if (!has_no_memory) return {};
    if (*has_no_memory) throw std::bad_alloc();
    return heard;
  }
  [[nodiscard]] std::vector<std::byte> broadcast(int other,
                                                 std::vector<std::byte> const& bytes) const {
    return all.broadcast(other, bytes);
  }
};
/// A rank without memory for words sends nothing, which is a failure too.
TEST(ranks_faults, without_words_are_failures) {
  std::string words;
  loopback::run(2, [&](loopback const& c) {
    try {
      EXPECT_EQ(6, reduce(ranks(losing{c, 0}, serial{}), std::vector<int>{1, 2}));
      EXPECT_EQ(1, c.rank());
    } catch (error const& e) {
      if (c.rank() == 0) words = e.what();
    }
  });
  EXPECT_EQ("another rank failed and has no memory left to report the cause", words);
}
TEST(ranks_faults, keep_what_was_thrown_when_memory_fails_later) {
  std::atomic<int> own = 0, others = 0;
  loopback::run(3, [&](loopback const& c) {
    bool has_thrown = false;
    try {
      (void)reduce(ranks(losing{c, 1, &has_thrown}, serial{}), std::vector<int>{1, 2},
                   [&](int a, int b) {
                     has_thrown = c.rank() == 1;
                     if (has_thrown) throw std::runtime_error("seven");
                     return a + b;
                   });
    } catch (std::runtime_error const& e) {
      own += e.what() == std::string("seven");
    } catch (error const& e) {
      others += e.what() == std::string("another rank failed: seven");
    }
  });
  EXPECT_EQ(1, own);
  EXPECT_EQ(2, others);
}

TEST(ranks_faults, of_other_numbers_of_bins_have_a_sentence) {
  for (int const size : {2, 3, 5}) {
    std::atomic<int> said = 0;
    loopback::run(size, [&](loopback const& c) {
      std::vector<double> const x{1, 2, 3};
      std::vector<int> counts(c.rank() + 1 < size ? 2 : 3);
      try {
        (void)histogram(ranks(c, serial{}), x, counts, even{0, 4});
      } catch (error const& e) {
        said +=
            std::string(e.what()).ends_with("histogram: one rank has 2 counts, but another has 3");
      }
    });
    EXPECT_EQ(size, said);
  }
}
TEST(loopback, ends_a_rank_whose_letter_nobody_reads) {
  EXPECT_THROW(loopback::run(2,
                             [](loopback const& c) {
                               if (c.rank() == 1) throw std::runtime_error("gone");
                               (void)c.broadcast(0, std::vector<std::byte>(3));
                             }),
               std::runtime_error);
}

}  // namespace
}  // namespace upsweep::test
