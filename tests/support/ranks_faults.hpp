/// Calls of every verb over ranks in which each allocation and each copy of one rank fails in turn.
/// Whatever fails, no rank waits for ever, each throws or has the right results, and the next call
/// works. Include it in one file of a program: it replaces `new`.
#pragma once

#include <upsweep/ops/arg_extrema.hpp>
#include <upsweep/ranks.hpp>
#include <upsweep/upsweep.hpp>

#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <ranges>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <vector>

namespace upsweep::test {

/// How many fault points this thread may still pass; negative if none is to fail.
inline thread_local std::ptrdiff_t faults_of_thread = -1;
inline bool fails_now() {
  return faults_of_thread >= 0 && faults_of_thread-- == 0;
}

struct copy_fails : std::runtime_error {
  copy_fails() : std::runtime_error("a copy fails") {}
};
/// Its copies may fail.
struct fragile_part {
  fragile_part() = default;
  fragile_part(fragile_part const&) { check(); }
  fragile_part& operator=(fragile_part const&) {
    check();
    return *this;
  }
  ~fragile_part() = default;
  static void check() {
    if (fails_now()) throw copy_fails();
  }
};
struct fragile_total : fragile_part {
  double value = 0;
  fragile_total() = default;
  explicit fragile_total(double x) : value(x) {}
  auto parts() { return std::tie(value); }
  auto parts() const { return std::tie(value); }
};
/// A sum whose copies and those of its totals may fail.
struct fragile_sum : fragile_part {
  template <class>
  using accumulator = fragile_total;
  fragile_total lift(double x) const { return fragile_total(x); }
  fragile_total operator()(fragile_total const& a, fragile_total const& b) const {
    return fragile_total(a.value + b.value);
  }
  fragile_total identity() const { return fragile_total(); }
  double finish(fragile_total const& a) const { return a.value; }
};

/// What one rank has after a call: its results, as text.
using results_of_rank = std::string;
template <class... R>
results_of_rank text_of(R const&... results) {
  std::string all;
  auto const add = [&](auto const& x) {
    if constexpr (std::is_convertible_v<decltype(x), std::string>)
      all += x;
    else if constexpr (requires { x.total; })
      all +=
          std::to_string(x.count) + '/' + std::to_string(x.begin) + '/' + std::to_string(x.total);
    else
      all += std::to_string(static_cast<double>(x));
    all += ' ';
  };
  auto const each = [&](auto const& x) {
    if constexpr (std::ranges::range<decltype(x)> &&
                  !std::is_convertible_v<decltype(x), std::string>)
      for (auto const& e : x) add(e);
    else
      add(x);
  };
  (each(results), ...);
  return all;
}

/// The pieces of three arrays on this rank, and all calls over them. call(f) runs f(), which may
/// fail.
template <class C>
class calls_over_ranks {
 public:
  explicit calls_over_ranks(C const& c) : all_(c, serial{}) {
    for (int i = 0; i < 5 + c.rank(); ++i) {
      x_.push_back(i * 0.75 + c.rank());
      keys_.push_back("a key that does not fit in the string itself " + std::to_string(i / 4));
      odd_.push_back(i % 2 == 1);
      indices_.push_back(i % 3);
    }
    if (c.rank() == 0) begins_ = {0};
    begins_.push_back(2);
    for (double e : x_) y_.push_back(e * 0.5);
  }

  static constexpr int count = 30;
  static char const* name(int number) { return names[static_cast<std::size_t>(number)]; }
  /// Makes call `number`, between arm() and disarm().
  template <class Arm>
  results_of_rank run(int number, Arm const& arm) {
    out_.assign(x_.size(), -1);
    no_ = rest_ = out_;
    places_.assign(x_.size(), 99);
    texts_.assign(x_.size(), "none");
    bins_.assign(3, -1);
    counts_.assign(3, -1);
    if (number < 12) return reduction(number, arm);
    if (number < 20) return selection(number, arm);
    return by_key(number, arm);
  }

 private:
  static constexpr std::array names{"reduce",
                                    "reduce with an initial value",
                                    "reduce in reverse",
                                    "transform_reduce",
                                    "transform_reduce of two ranges",
                                    "inclusive_scan",
                                    "exclusive_scan",
                                    "inclusive_scan in reverse",
                                    "exclusive_scan in reverse, with an initial value",
                                    "transform_inclusive_scan",
                                    "transform_exclusive_scan of two ranges",
                                    "reduce of argmin in reverse",
                                    "select",
                                    "select by flags",
                                    "select_positions",
                                    "partition",
                                    "partition in three",
                                    "unique",
                                    "run_starts",
                                    "runs",
                                    "reduce_runs",
                                    "inclusive_scan_runs",
                                    "exclusive_scan_runs",
                                    "reduce_segments",
                                    "inclusive_scan_segments",
                                    "exclusive_scan_segments",
                                    "windowed",
                                    "histogram",
                                    "weighted_histogram",
                                    "count_indices"};
  static double half(double x) { return x / 2; }
  static double product(double x, double y) { return x * y; }
  static bool is_large(double x) { return x > 2; }
  static bool is_small(double x) { return x < 1; }
  using in_braces = options<fragile_total>;

  template <class Arm>
  results_of_rank reduction(int number, Arm const& arm) {
    in_braces const initial{.initial = fragile_total(3)}, reversed{.reverse = true},
        both{.initial = fragile_total(3), .reverse = true};
    double total = 0;
    switch (number) {
      case 0:
        arm([&] { total = reduce(all_, x_, op_); });
        break;
      case 1:
        arm([&] { total = reduce(all_, x_, op_, initial); });
        break;
      case 2:
        arm([&] { total = reduce(all_, x_, op_, reversed); });
        break;
      case 3:
        arm([&] { total = transform_reduce(all_, x_, half, op_); });
        break;
      case 4:
        arm([&] { total = transform_reduce(all_, x_, y_, product, op_); });
        break;
      case 5:
        arm([&] { inclusive_scan(all_, x_, out_, op_); });
        break;
      case 6:
        arm([&] { exclusive_scan(all_, x_, out_, op_); });
        break;
      case 7:
        arm([&] { inclusive_scan(all_, x_, out_, op_, reversed); });
        break;
      case 8:
        arm([&] { exclusive_scan(all_, x_, out_, op_, both); });
        break;
      case 9:
        arm([&] { transform_inclusive_scan(all_, x_, out_, half, op_); });
        break;
      case 10:
        arm([&] { transform_exclusive_scan(all_, x_, y_, out_, product, op_); });
        break;
      default:
        arm([&] {
          total = static_cast<double>(reduce(all_, x_, argmin{}, {.reverse = true}).index);
        });
    }
    return text_of(total, out_);
  }
  template <class Arm>
  results_of_rank selection(int number, Arm const& arm) {
    result_piece at;
    partition_pieces two;
    three_way_pieces three;
    switch (number) {
      case 12:
        arm([&] { at = select(all_, x_, out_, is_large); });
        break;
      case 13:
        arm([&] { at = select(all_, x_, odd_, out_); });
        break;
      case 14:
        arm([&] { at = select_positions(all_, x_, places_, is_large); });
        break;
      case 15:
        arm([&] { two = partition(all_, x_, out_, no_, is_large); });
        break;
      case 16:
        arm([&] { three = partition(all_, x_, out_, no_, rest_, is_large, is_small); });
        break;
      case 17:
        arm([&] { at = unique(all_, keys_, texts_); });
        break;
      case 18:
        arm([&] { at = run_starts(all_, keys_, places_); });
        break;
      default:
        arm([&] { at = runs(all_, keys_, texts_, places_); });
    }
    return text_of(at, two.yes, two.no, three.first, three.second, three.rest, out_, no_, rest_,
                   places_, texts_);
  }
  template <class Arm>
  results_of_rank by_key(int number, Arm const& arm) {
    result_piece at;
    std::vector<double> of_begins(begins_.size(), -1);
    std::array const borders{0.0, 1.0, 2.0, 4.0};
    switch (number) {
      case 20:
        arm([&] { at = reduce_runs(all_, keys_, x_, texts_, out_, op_); });
        break;
      case 21:
        arm([&] { inclusive_scan_runs(all_, keys_, x_, out_, op_); });
        break;
      case 22:
        arm([&] { exclusive_scan_runs(all_, keys_, x_, out_, op_); });
        break;
      case 23:
        arm([&] { at = reduce_segments(all_, x_, begins_, of_begins, op_); });
        break;
      case 24:
        arm([&] { inclusive_scan_segments(all_, x_, begins_, out_, op_); });
        break;
      case 25:
        arm([&] { exclusive_scan_segments(all_, x_, begins_, out_, op_); });
        break;
      case 26:
        arm([&] { at = windowed(all_, x_, 7, out_, op_); });
        break;
      case 27:
        arm([&] { (void)histogram(all_, x_, counts_, borders); });
        break;
      case 28:
        arm([&] { (void)weighted_histogram(all_, x_, y_, bins_, borders, op_); });
        break;
      default:
        arm([&] { count_indices(all_, indices_, counts_); });
    }
    return text_of(at, out_, texts_, of_begins, counts_, bins_);
  }

  ranks<C, serial> all_;
  fragile_sum op_;
  std::vector<double> x_, y_, out_, no_, rest_, bins_;
  std::vector<std::string> keys_, texts_;
  std::vector<bool> odd_;
  std::vector<int> indices_, begins_, counts_;
  std::vector<std::size_t> places_;
};

/// Throws what is wrong with the calls of this rank. The others then wait for it: end them too.
template <class C>
class expectation {
 public:
  expectation(C const& c, std::string what)
      : what_(what + ", on rank " + std::to_string(c.rank()) + " of " + std::to_string(c.size())) {}
  void operator()(bool condition, std::string const& words) const {
    if (!condition) throw std::logic_error(what_ + ": " + words);
  }

 private:
  std::string what_;
};
/// Whether f() throws what a call over ranks may throw here.
template <class F>
bool throws_a_failure(F const& f) {
  try {
    f();
    return false;
  } catch (error const&) {
  } catch (copy_fails const&) {
  } catch (std::bad_alloc const&) {
  }
  return true;
}
inline auto const plainly = [](auto const& f) { f(); };

/// Ends the program if a call takes this many seconds.
template <class C>
void expect_to_survive_faults(C const& c, int failing_rank, int number, unsigned seconds) {
  calls_over_ranks<C> calls(c);
  ranks const all(c, serial{});
  auto const count_of = [&](bool here) { return reduce(all, std::array{here ? 1 : 0}); };
  expectation const expect(
      c, std::string(calls.name(number)) + " with a fault on rank " + std::to_string(failing_rank));
  auto const right = calls.run(number, plainly);
  int reach_all = 0, reach_some = 0;
  for (bool happened = true; happened;) {
    ::alarm(seconds);
    std::string const k = std::to_string(reach_all + reach_some);
    bool threw = false, fault = false;
    auto const got = calls.run(number, [&](auto const& f) {
      if (c.rank() == failing_rank) faults_of_thread = reach_all + reach_some;
      threw = throws_a_failure(f);
      fault = c.rank() == failing_rank && faults_of_thread < 0;
      faults_of_thread = -1;
    });
    expect(threw || got == right, "fault " + k + " gives " + got + "not " + right);
    auto const throwing = count_of(threw), failing = count_of(threw && c.rank() == failing_rank);
    expect(throwing == 0 || failing == 1, "only others throw for fault " + k);
    expect(calls.run(number, plainly) == right, "a call after fault " + k + " is wrong");
    happened = count_of(fault) > 0;
    if (!happened) break;
    // Only what fails among the last messages is not known to all.
    expect(throwing > 0, "fault " + k + " is not told");
    (throwing == c.size() ? reach_all : reach_some)++;
    expect(throwing < c.size() || reach_some == 0, "fault " + k + " is told again");
  }
  ::alarm(0);
  bool const receives_much = number < 5 || number == 11 || number == 28;  // totals, not counts
  expect(receives_much || c.size() > 3 || reach_some <= 5,
         std::to_string(reach_some) + " faults are told to some ranks only");
  expect(reach_all > 4, "only " + std::to_string(reach_all) + " faults are told to all");
}

/// Rank `odd` makes another call than the others: all throw, and say why.
template <class C>
void expect_to_refuse(C const& c, int odd, int number, int of_odd, unsigned seconds) {
  ::alarm(seconds);
  calls_over_ranks<C> calls(c);
  expectation const expect(c, std::string(calls.name(number)) + " beside " + calls.name(of_odd) +
                                  " of rank " + std::to_string(odd));
  std::string words = "nothing";
  (void)calls.run(c.rank() == odd ? of_odd : number, [&](auto const& f) {
    try {
      f();
    } catch (error const& e) {
      words = e.what();
    }
  });
  expect(words.find("all ranks must make the same call") != std::string::npos, words);
  ranks const all(c, serial{});
  expect(reduce(all, std::array{c.rank()}) == c.size() * (c.size() - 1) / 2, "cannot go on");
  ::alarm(0);
}

}  // namespace upsweep::test

#ifndef __CUDACC__  // whose functions must also be those of devices
// Not inlined: g++ 12 warns of free() in an inlined `delete`.
[[gnu::noinline]] void* operator new(std::size_t size) {
  if (upsweep::test::fails_now()) throw std::bad_alloc();
  if (void* const p = std::malloc(size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept {
  std::free(p);
}
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept {
  std::free(p);
}
#endif
