/// Runs the kernels of the CUDA backend on the emulator and compares them with the reference, bit
/// by bit; there must be no finding.
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>
#include <support/scheduled.hpp>
#include <support/tree.hpp>
#include <upsweep/cuda/device/epoch_words.hpp>
#include <upsweep/cuda/device/tile.hpp>
#include <upsweep/cuda/scan/scan_tiles.hpp>
#include <upsweep/cuda/scan/scan_wave.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/affine.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace upsweep::test {

using namespace device;
using sizes = std::vector<std::size_t>;

/// Two chunks of two rows: the smallest tile that has every level of the tree in it.
template <class T>
using small_tile = tile_shape<2, 2, items_of<T>>;

[[nodiscard]] inline sim::machine machine_for(scheduled const& s) {
  return sim::machine(options_of(s));
}
#ifdef UPSWEEP_FULL_TESTS
inline constexpr bool full_tests = true;
#else
inline constexpr bool full_tests = false;
#endif
/// Takes each case of a sweep in `make test-full`, otherwise one of `step`. If that is prime to the
/// lengths of the inner loops, the outer ones meet every case of them.
struct one_in {
  std::size_t step, cases = 0;
  [[nodiscard]] bool operator()() { return cases++ % step == 0 || full_tests; }
};

/// Every kind of schedule; `least` blocks have to be resident.
[[nodiscard]] inline std::vector<scheduled> every_schedule(unsigned least = 1) {
  using enum sim::schedule;
  auto const blocks = [&](unsigned wanted) { return wanted < least ? least : wanted; };
  std::vector<scheduled> all{{in_order, 0, blocks(16)},
                             {in_order, 0, blocks(1)},
                             {round_robin, 0, blocks(16)},
                             {random, 1, blocks(2)},
                             {random, 2, blocks(64)}};
  for (std::uint64_t seed = 0; seed < (full_tests ? 4 : 2); ++seed)
    all.push_back({adversarial, seed, blocks(16)});
  return all;
}

/// Twelve bytes, not a power of two, and not commutative.
struct triple {
  std::uint32_t a, b, c;
  friend bool operator==(triple const&, triple const&) = default;
  static triple random(random_bits& next) {
    return {static_cast<std::uint32_t>(next()) | 1u, static_cast<std::uint32_t>(next()),
            static_cast<std::uint32_t>(next())};
  }
};
/// Composition of x -> a x + b, and the operands' order hashed: exactly associative.
struct compose_triples {
  static constexpr bool exact = true;
  constexpr triple operator()(triple const& l, triple const& r) const {
    return {l.a * r.a, r.a * l.b + r.b, r.c};
  }
};
/// 64 bytes; concatenation: the first word of the earlier value, sums, the last word of the later
/// one.
struct wide {
  std::uint32_t w[16];
  friend bool operator==(wide const& x, wide const& y) {
    for (int i = 0; i < 16; ++i)
      if (x.w[i] != y.w[i]) return false;
    return true;
  }
  static wide random(random_bits& next) {
    wide x;
    for (auto& w : x.w) w = static_cast<std::uint32_t>(next());
    return x;
  }
};
struct join_wide {
  constexpr wide operator()(wide const& l, wide const& r) const {
    wide x{};
    x.w[0] = l.w[0];
    for (unsigned i = 1; i < 15; ++i) x.w[i] = l.w[i] + r.w[i];
    x.w[15] = r.w[15];
    return x;
  }
};

/// Zeros, like the library's fresh device memory, and more than any test needs.
[[nodiscard]] inline workspace_words workspace_on(sim::machine& m, std::size_t words) {
  auto const w = m.allocate<word>(words, "workspace");
  m.fill(w, words, word{0});
  return {w};
}

template <class T>
[[nodiscard]] std::vector<T> elements_for(std::size_t n, std::uint64_t salt = 0) {
  random_bits next(test_seed() + n + salt);
  std::vector<T> x;
  for (std::size_t i = 0; i < n; ++i) {
    if constexpr (std::is_same_v<T, affine_map<double>>)
      x.push_back({scattered_double(next), scattered_double(next)});
    else
      x.push_back(random_element<T>(next));
  }
  return x;
}

inline void expect_no_finding(sim::machine const& m) {
  for (auto const& f : m.result().findings) ADD_FAILURE() << f.sentence;
}

/// The expected prefixes: by reference.hpp, which takes quadratic time, or for many elements by
/// support/tree.hpp, which another test compares with it.
template <scan_kind kind, class T, class Op, class A>
[[nodiscard]] auto expected_scan(std::vector<T> const& x, Op const& op,
                                 std::optional<A> const& initial) {
  constexpr bool inclusive = kind == scan_kind::inclusive;
  if (x.size() <= 600) {
    if constexpr (inclusive)
      return reference::inclusive_scan(x, op, initial);
    else
      return reference::exclusive_scan(x, op, initial);
  }
  std::vector<std::remove_cvref_t<decltype(upsweep::detail::finish(op, std::declval<A>()))>> out;
  if constexpr (!inclusive)
    out.push_back(upsweep::detail::finish(op, initial ? *initial : upsweep::identity_of<A>(op)));
  constexpr bool in_front = upsweep::detail::continues<Op, A>;
  for (A const& p : tree_prefixes(reference::lifted(x, op), op, in_front ? initial : std::nullopt))
    out.push_back(upsweep::detail::finish(op, initial && !in_front ? op(*initial, p) : p));
  out.resize(x.size());
  return out;
}

/// What one scan on the emulator is given.
template <class A>
struct scan_case {
  std::size_t n;
  std::optional<A> initial{};
  unsigned launches = 1;  ///< one after another on the same workspace, with fresh data
  bool in_place = false;
  bool vectors = true;
  unsigned offset = 0;  ///< elements by which the input is misaligned
};

/// `launch(machine, source, sink, n, start, workspace)` must write the scan to the output, and
/// nothing outside it.
template <scan_kind kind, class T, class U, class Op, bool reverse = false, class Launch,
          class A = accumulator_t<Op, T>>
void expect_scan(scan_case<A> const& c, Op const& op, scheduled const& s, Launch const& launch) {
  SCOPED_TRACE(testing::Message() << "n = " << c.n << ", " << s << ", " << seed_note());
  sim::machine m = machine_for(s);
  workspace_words const workspace = workspace_on(m, c.n * 20 + 64);
  constexpr std::size_t fence = 64;
  for (unsigned k = 0; k < c.launches; ++k) {
    auto const x = elements_for<T>(c.n, k);
    auto const in = m.allocate<T>(c.offset + c.n, "in") + c.offset;
    m.to_device(in, std::span<T const>(x));
    U* out = nullptr;
    if constexpr (std::is_same_v<T, U>)
      if (c.in_place) out = in;
    auto const guard = elements_for<U>(fence, 7);
    if (!out) {
      auto const room = m.allocate<U>(c.n + 2 * fence, "out");
      m.to_device(room, std::span<U const>(guard));
      m.to_device(room + fence + c.n, std::span<U const>(guard));
      out = room + fence;
    }
    using source = element_source<T, T const*, detail::as_is, Op, reverse>;
    using sink = element_sink<U, U*, Op, reverse>;
    scan_start<A> start{A{}, A{}, c.initial.has_value()};
    if (c.initial)
      start.initial = start.first = *c.initial;
    else if constexpr (monoid_over<Op, A>)
      start.first = identity_of<A>(op);
    launch(m, source{in, c.n, {}, op, c.vectors}, sink{out, c.n, op, c.vectors}, c.n, start,
           workspace);
    auto seen = x;
    if (reverse) seen.assign(x.rbegin(), x.rend());
    auto const want = expected_scan<kind>(seen, op, c.initial);
    auto const got = m.to_host(out, c.n);
    for (std::size_t i = 0; i < c.n; ++i) {
      U const expected = static_cast<U>(want[i]);
      ASSERT_TRUE(same_bits(got[reverse ? c.n - 1 - i : i], expected))
          << "launch " << k << ", element " << i << ": " << shown(got[reverse ? c.n - 1 - i : i])
          << " is not " << shown(expected);
    }
    if (!c.in_place) {
      ASSERT_TRUE(m.to_host(out - fence, fence) == guard && m.to_host(out + c.n, fence) == guard)
          << "wrote outside its output";
    }
  }
  expect_no_finding(m);
}

template <scan_kind kind, class Shape>
struct by_tiles {
  unsigned blocks = 3;
  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    m.launch({.name = "scan_tiles", .blocks = {blocks}, .threads = {Shape::threads}},
             scan_tiles<kind, Shape, Source, Sink>, in, out, n, start, w);
  }
};
template <scan_kind kind, class Shape, bool tickets>
struct by_wave_of_blocks {
  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    auto const blocks = (n + Shape::size - 1) / Shape::size;
    m.launch({.name = "scan_wave", .blocks = {blocks}, .threads = {Shape::threads}},
             scan_wave<kind, tickets, Shape, Source, Sink>, in, out, start, w);
  }
};
template <scan_kind kind, class Shape>
using by_wave = by_wave_of_blocks<kind, Shape, true>;

// Runs of consecutive elements, [begin, end), as the elements of the CUDA backend's kernels: a
// kernel that joins them correctly, without a race, combines any elements correctly, whatever the
// associative operator is. Chong, Donaldson, Ketema, "A sound and complete abstraction for
// reasoning about parallel prefix sums", POPL 2014.

/// 16 bytes, as large as an element may be that is loaded in one access.
struct element_run {
  static constexpr std::uint32_t of_elements = 0x600d600d, neutral = 0x1de0717e, apart = 0xbad1bad1;
  std::uint32_t begin, end;
  std::uint32_t mark;   ///< one of these; anything else is no value of a call
  std::uint32_t other;  ///< of `apart`: where the operand on the right begins, which does not meet

  /// The next element: those of one array follow each other.
  static element_run random(random_bits&) {
    static std::uint32_t next = 0;
    std::uint32_t const at = next++;
    return {at, at + 1, of_elements, 0};
  }
  /// An error is equal to nothing, so no comparison of two errors succeeds.
  [[nodiscard]] bool same_bits(element_run const& b) const { return mark != apart && *this == b; }
  friend bool operator==(element_run const&, element_run const&) = default;
};

struct join_element_runs {
  static constexpr bool exact = false;
  [[nodiscard]] constexpr element_run identity() const { return {0, 0, element_run::neutral, 0}; }
  constexpr element_run operator()(element_run const& earlier, element_run const& later) const {
    if (earlier.mark == element_run::neutral) return later;
    if (later.mark == element_run::neutral) return earlier;
    if (earlier.mark == element_run::apart) return earlier;
    if (later.mark == element_run::apart) return later;
    bool const meet = earlier.mark == element_run::of_elements && later.mark == earlier.mark &&
                      earlier.end == later.begin;
    if (!meet) return {earlier.begin, earlier.end, element_run::apart, later.begin};
    return {earlier.begin, later.end, element_run::of_elements, 0};
  }
};

}  // namespace upsweep::test
