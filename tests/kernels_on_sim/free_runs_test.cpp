/// Scans and reductions by key with exact operators on the emulator: one scan, on every schedule.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/runs/free_runs.hpp>
#include <upsweep/cuda/scan/scan_tiles.hpp>
#include <upsweep/cuda/scan/scan_wave.hpp>
#include <upsweep/cuda/segments/call.hpp>
#include <upsweep/cuda/select/marks.hpp>
#include <upsweep/cuda/select/outputs.hpp>
#include <upsweep/unique.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using enum scan_kind;

template <class K>
[[nodiscard]] std::vector<K> keys_in_runs(std::size_t n, std::size_t longest, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  std::vector<K> keys;
  for (unsigned key = 0; keys.size() < n; ++key)
    keys.insert(keys.end(), std::min(n - keys.size(), 1 + next() % longest),
                static_cast<K>(key % 100));
  return keys;
}

/// What a call is given. Keys and values are misaligned if not `vectors`.
template <class A>
struct runs_case {
  std::size_t n, longest;
  std::optional<A> initial{};
  std::size_t room = ~std::size_t{0};
  bool vectors = true;
  bool by_wave = false;
  unsigned launches = 1;
};

/// One array in the emulator's memory, and how many elements before it misalign it.
template <class T>
[[nodiscard]] T* uploaded(sim::machine& m, std::vector<T> const& x, bool aligned,
                          char const* name) {
  std::size_t const offset = aligned ? 0 : 1;
  T* const to = m.allocate<T>(offset + x.size(), name) + offset;
  m.to_device(to, std::span<T const>(x));
  return to;
}

template <class K, class T, class Op, class A = accumulator_t<Op, T>>
struct free_runs {
  using elements_of = run_elements<T const*, K const*, marks_of_heads<same>, Op, A>;
  using results_of = segment_results<A, Op, element_sink<A, A*, Op, false>>;
  using shape = tile_shape<2, 2, items_of<T>>;

  runs_case<A> const& c;
  Op op{};
  scheduled how{};
  std::vector<K> keys = keys_in_runs<K>(c.n, c.longest, 1);
  std::vector<T> x = elements_for<T>(c.n);

  /// The scan of each run by a loop; `runs` has where they begin, and n.
  template <scan_kind kind>
  [[nodiscard]] std::vector<A> scanned(std::vector<std::size_t>& runs) const {
    std::vector<A> want;
    A so_far{};
    bool there = false;
    for (std::size_t i = 0; i < c.n; ++i) {
      if (i == 0 || keys[i] != keys[i - 1]) {
        runs.push_back(i);
        there = c.initial.has_value();
        if (there) so_far = *c.initial;
      }
      if (kind == exclusive) want.push_back(there ? so_far : empty());
      A const here = upsweep::detail::lift(op, x[i], 0);
      so_far = there ? A(op(so_far, here)) : here;
      there = true;
      if (kind == inclusive) want.push_back(so_far);
    }
    runs.push_back(c.n);
    return want;
  }
  [[nodiscard]] A empty() const {
    if constexpr (monoid_over<Op, A>)
      return c.initial ? *c.initial : identity_of<A>(op);
    else
      return c.initial ? *c.initial : A{};
  }

  template <scan_kind kind, class Sink>
  void launch(sim::machine& m, elements_of const& in, Sink const& out, workspace_words w) const {
    scan_start<run_so_far<A>> const start{};
    if (c.by_wave)
      m.launch({.name = "scan_wave",
                .blocks = {static_cast<unsigned>((c.n + shape::size - 1) / shape::size)},
                .threads = {shape::threads}},
               scan_wave<kind, true, shape, elements_of, Sink>, in, out, start, w);
    else
      m.launch({.name = "scan_tiles", .blocks = {3}, .threads = {shape::threads}},
               scan_tiles<kind, shape, elements_of, Sink>, in, out, c.n, start, w);
  }
  [[nodiscard]] results_of results(A* out, std::size_t size) const {
    return {op,      {out, size, op, true}, c.initial.value_or(A{}),
            empty(), c.initial.has_value(), true};
  }

  template <scan_kind kind>
  void expect_scan() const {
    sim::machine m = machine_for(how);
    workspace_words const w = workspace_on(m, c.n * 20 + 64);
    K* const k = uploaded(m, keys, c.vectors, "keys");
    T* const in = uploaded(m, x, c.vectors, "in");
    for (unsigned time = 0; time < c.launches; ++time) {
      A* out = m.allocate<A>(c.n, "out");
      if constexpr (std::is_same_v<A, T>)  // in place, the last time
        if (time > 0 && time + 1 == c.launches) out = in;
      launch<kind>(m, {{in, c.vectors}, {k, c.vectors}, {}, c.n, {op}},
                   run_scans<kind, elements_of, results_of>{
                       {{in, c.vectors}, {k, c.vectors}, {}, c.n, {op}}, results(out, c.n)},
                   w);
      std::vector<std::size_t> runs;
      auto const want = scanned<kind>(runs);
      auto const got = m.to_host(out, c.n);
      for (std::size_t i = 0; i < c.n; ++i)
        ASSERT_TRUE(same_bits(got[i], want[i])) << "element " << i << " of " << c.n << ", " << how;
    }
    expect_no_finding(m);
  }
  void expect_reductions() const {
    std::vector<std::size_t> runs;
    auto const want = scanned<inclusive>(runs);
    std::size_t const count = runs.size() - 1, room = std::min(c.room, c.n);
    sim::machine m = machine_for(how);
    workspace_words const w = workspace_on(m, c.n * 20 + 64);
    elements_of const in{{uploaded(m, x, c.vectors, "in"), c.vectors},
                         {uploaded(m, keys, c.vectors, "keys"), c.vectors},
                         {},
                         c.n,
                         {op}};
    K* const keys_out = m.allocate<K>(room + 1, "keys of runs");
    A* const out = m.allocate<A>(room + 1, "reductions");
    auto const guards = elements_for<A>(room + 1, 9);
    word* const found = m.allocate<word>(1, "their number");
    using keys_to = selection_output<taken::values, 0, K*, K>;
    for (unsigned time = 0; time < c.launches; ++time) {
      m.to_device(out, std::span<A const>(guards));
      launch<inclusive>(m, in,
                        run_reductions<elements_of, keys_to, results_of>{
                            in, {keys_out, room}, results(out, room), room, found},
                        w);
      ASSERT_EQ(m.to_host(found, 1)[0], count);
      auto const got = m.to_host(out, room + 1);
      std::size_t const stored = std::min(room, count);
      auto const got_keys = m.to_host(keys_out, stored);
      for (std::size_t k = 0; k < room + 1; ++k)
        ASSERT_TRUE(same_bits(got[k], k < stored ? want[runs[k + 1] - 1] : guards[k]))
            << "run " << k << " of " << count << ", " << how;
      for (std::size_t k = 0; k < stored; ++k) ASSERT_EQ(got_keys[k], keys[runs[k]]) << "run " << k;
    }
    expect_no_finding(m);
  }
};

template <class K, class T, class Op>
void expect_runs(runs_case<accumulator_t<Op, T>> c, Op const& op, scheduled const& how = {}) {
  SCOPED_TRACE(testing::Message() << c.n << " elements, runs of up to " << c.longest << ", "
                                  << seed_note());
  for (bool const by_wave : {false, true}) {
    c.by_wave = by_wave;
    free_runs<K, T, Op> const calls{c, op, how};
    calls.template expect_scan<inclusive>();
    calls.template expect_scan<exclusive>();
    calls.expect_reductions();
  }
}

TEST(device_free_runs, are_those_of_a_loop_at_every_size) {
  for (std::size_t const n : {1u, 2u, 3u, 31u, 128u, 129u, 511u, 512u, 513u, 1025u, 4001u})
    for (std::size_t const longest : {1u, 3u, 40u, 3000u}) {
      expect_runs<int, unsigned>({.n = n, .longest = longest}, plus_32{});
      expect_runs<int, float>({.n = n, .longest = longest}, max{});
    }
}
TEST(device_free_runs, keep_the_order_of_operands) {
  for (std::size_t const n : {1u, 33u, 300u, 2000u})
    for (std::size_t const longest : {1u, 5u, 200u})
      expect_runs<std::uint64_t, triple>({.n = n, .longest = longest}, compose_triples{});
}
TEST(device_free_runs, take_keys_and_values_of_other_sizes_and_any_alignment) {
  for (bool const vectors : {true, false}) {
    expect_runs<std::uint8_t, std::uint64_t>({.n = 3001, .longest = 9, .vectors = vectors}, plus{});
    expect_runs<std::uint64_t, std::uint8_t>({.n = 5001, .longest = 70, .vectors = vectors}, max{});
    expect_runs<double, std::uint16_t>({.n = 700, .longest = 4, .vectors = vectors}, min{});
  }
}
struct thirds {
  unsigned operator[](std::size_t i) const { return static_cast<unsigned>(i / 3); }
};
TEST(device_free_runs, take_values_of_any_iterator) {
  std::size_t const n = 1500;
  auto const keys = keys_in_runs<int>(n, 30, 1);
  sim::machine m = machine_for({});
  int* const k = uploaded(m, keys, true, "keys");
  auto* const out = m.allocate<unsigned>(n, "out");
  using elements_of = run_elements<thirds, int const*, marks_of_heads<same>, plus_32, unsigned>;
  using results_of =
      segment_results<unsigned, plus_32, element_sink<unsigned, unsigned*, plus_32, false>>;
  using sink = run_scans<inclusive, elements_of, results_of>;
  using shape = tile_shape<2, 2, 4>;
  elements_of const elements{{{}, false}, {k, true}, {}, n, {}};
  m.launch({.name = "scan_tiles", .blocks = {3}, .threads = {shape::threads}},
           scan_tiles<inclusive, shape, elements_of, sink>, elements,
           sink{elements, {{}, {out, n, {}, true}, 0, 0, false, true}}, n,
           scan_start<run_so_far<unsigned>>{}, workspace_on(m, 4096));
  auto const got = m.to_host(out, n);
  unsigned sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    sum = (i > 0 && keys[i] == keys[i - 1] ? sum : 0) + thirds{}[i];
    ASSERT_EQ(got[i], sum) << "element " << i;
  }
  expect_no_finding(m);
}
TEST(device_free_runs, have_the_initial_value_on_the_left_of_each) {
  expect_runs<int, unsigned>({.n = 2001, .longest = 30, .initial = 5u}, plus_32{});
  expect_runs<int, triple>({.n = 901, .longest = 7, .initial = triple{3, 5, 7}}, compose_triples{});
}
TEST(device_free_runs, store_what_fits_and_count_the_rest) {
  for (std::size_t const room : {0u, 1u, 77u, 500u})
    expect_runs<int, unsigned>({.n = 2001, .longest = 5, .room = room}, plus_32{});
}
TEST(device_free_runs, wait_only_for_blocks_that_have_started) {
  for (scheduled const& how : every_schedule())
    expect_runs<int, triple>({.n = 700, .longest = 20, .launches = 3}, compose_triples{}, how);
}

}  // namespace
}  // namespace upsweep::test
