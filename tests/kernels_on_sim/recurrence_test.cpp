/// Linear recurrences by the kernels of the CUDA backend on the emulator: the bits of the operator
/// whose accumulators know their length, on every schedule, without a finding.
#include <kernels_on_sim/scans_on_sim.hpp>
#include <upsweep/cuda/recurrence/powers.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>
#include <upsweep/cuda/scan/scan_ring.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

using enum scan_kind;

template <scan_kind kind, class Shape>
struct by_ring {
  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    using layout = ring_layout<Shape, Source>;
    ring_plan const plan{3, 2};
    m.launch({.name = "scan_ring",
              .blocks = {3},
              .threads = {layout::threads},
              .shared_bytes = layout::shared_bytes(plan)},
             scan_ring<kind, Shape, Source, Sink>, in, out, n, start, w, plan,
             whole_array<A, combine_of<typename Source::operation>, ring_parts>{});
  }
};

/// Zeros of both signs are among the elements.
template <class X>
std::vector<X> samples(std::size_t n) {
  auto x = elements_for<X>(n);
  for (std::size_t i = 0; i < n; i = i < 6 ? i + 1 : i + 7) x[i] = static_cast<X>(-0.0);
  return x;
}

template <std::size_t order, class T>
recurrence_values<order, T> values_of(recurrence_state<order, T> const& state) {
  recurrence_values<order, T> values;
  std::memcpy(&values, state.y, sizeof values);
  return values;
}

template <std::size_t order, class T>
struct scanned {
  std::size_t n;
  std::optional<recurrence_state<order, T>> initial{};
  bool vectors = true;
};

/// `launch` must write the scan by `op` to the output.
template <scan_kind kind, class X, bool reverse = false, std::size_t order, class T, class Launch>
void expect_scan_by(scanned<order, T> const& c, recurrence<order, T> const& op, scheduled const& s,
                    Launch const& launch) {
  SCOPED_TRACE(testing::Message() << "n = " << c.n << ", order " << order << ", " << s << ", "
                                  << seed_note());
  sim::machine m = machine_for(s);
  auto const x = samples<X>(c.n);
  auto const in = m.allocate<X>(c.n, "in");
  auto const out = m.allocate<T>(c.n, "out");
  m.to_device(in, std::span<X const>(x));
  using powers = recurrence_powers<order, T>;
  scan_start<recurrence_values<order, T>> start{};
  if (c.initial) {
    start.initial = start.first = values_of(*c.initial);
    start.has_before = true;
  }
  launch(m,
         element_source<X, X const*, detail::as_is, powers, reverse>{
             in, c.n, {}, powers(op), c.vectors},
         element_sink<T, T*, newest_result, reverse>{out, c.n, {}, c.vectors}, c.n, start,
         workspace_on(m, c.n * 20 + 64));
  auto seen = x;
  if (reverse) seen.assign(x.rbegin(), x.rend());
  auto const want = expected_scan<kind>(seen, op, c.initial);
  auto const got = m.to_host(out, c.n);
  for (std::size_t i = 0; i < c.n; ++i) {
    T const y = got[reverse ? c.n - 1 - i : i];
    ASSERT_TRUE(same_bits(y, want[i]))
        << "element " << i << ": " << shown(y) << " is not " << shown(want[i]);
  }
  expect_no_finding(m);
}
/// Not deduced.
template <std::size_t order, class T>
using initial_state = std::type_identity_t<std::optional<recurrence_state<order, T>>>;

template <class X, template <scan_kind, class> class Launch, std::size_t order, class T,
          class Shape = small_tile<X>>
void expect_both(std::size_t n, recurrence<order, T> const& op, scheduled const& s = {},
                 initial_state<order, T> const& initial = {}) {
  scanned<order, T> const c{n, initial};
  expect_scan_by<inclusive, X>(c, op, s, Launch<inclusive, Shape>{});
  expect_scan_by<exclusive, X>(c, op, s, Launch<exclusive, Shape>{});
}
template <class X, std::size_t order, class T>
void expect_scans(std::size_t n, recurrence<order, T> const& op, scheduled const& s = {},
                  initial_state<order, T> const& initial = {}) {
  expect_both<X, by_tiles>(n, op, s, initial);
  expect_both<X, by_wave>(n, op, s, initial);
  expect_both<X, by_ring>(n, op, s, initial);
}

recurrence const first({0.75f});
recurrence const second({1.25f, -0.5f});
recurrence const third({0.5, 0.25, -0.125});
recurrence const fibonacci({std::int64_t{1}, std::int64_t{1}});
recurrence const eighth({0.3f, 0.2f, -0.1f, 0.1f, 0.05f, -0.05f, 0.02f, 0.01f});
/// Each kernel with the rows that it has on a GPU (several_numbers_scan_rows). This operator is
/// inlined at every level of a tile, so with the shapes that the other operators test it would be
/// half of this file's compile time.
void expect_scans_by_eighth(std::size_t n, initial_state<8, float> const& initial = {}) {
  expect_both<float, by_tiles, 8, float, tile_shape<2, 1, 4>>(n, eighth, {}, initial);
  expect_both<float, by_wave, 8, float, tile_shape<2, 1, 4>>(n, eighth, {}, initial);
  expect_both<float, by_ring, 8, float, tile_shape<2, 8, 4>>(n, eighth, {}, initial);
}

TEST(device_recurrence, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n :
       sizes{1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 1023, 1024, 1025, 4097}) {
    expect_scans<float>(n, first);
    expect_scans<float>(n, second);
  }
}
TEST(device_recurrence, has_them_for_every_order_and_type) {
  for (std::size_t const n : sizes{1, 2, 33, 300, 2050}) {
    expect_scans<double>(n, third);
    expect_scans<std::int64_t>(n, fibonacci);
    expect_scans<std::int16_t>(n, third);
  }
  for (std::size_t const n : sizes{1, 2, 33, 300, 2050, 6500}) expect_scans_by_eighth(n);
}
TEST(device_recurrence, has_them_for_every_number_of_rows_of_the_ring) {
  for (std::size_t const n : sizes{300, 2500}) {
    expect_both<float, by_ring, 2, float, tile_shape<4, 1, 4>>(n, second);
    expect_both<float, by_ring, 2, float, tile_shape<1, 4, 4>>(n, second);
    expect_both<float, by_ring, 2, float, tile_shape<2, 16, 1>>(n, second);
  }
}
TEST(device_recurrence, on_every_schedule) {
  for (scheduled const& s : every_schedule()) expect_scans<float>(1500, second, s);
}
TEST(device_recurrence, looks_back_over_more_than_1024_tiles) {
  using tiny = tile_shape<1, 1, 1>;
  for (std::size_t const tiles : sizes{31, 33, 1023})
    expect_both<float, by_wave, 1, float, tiny>(32 * tiles - 5, first, {.check = false});
  for (std::size_t const tiles : sizes{33, 1025, 2100}) {
    expect_both<float, by_tiles, 1, float, tiny>(32 * tiles, first, {.check = false});
    expect_both<float, by_ring, 2, float, tile_shape<2, 1, 1>>(64 * tiles - 5, second,
                                                               {.check = false});
  }
}
TEST(device_recurrence, takes_input_that_is_not_aligned_and_runs_from_the_end) {
  expect_scan_by<inclusive, float>(scanned<2, float>{.n = 3001, .vectors = false}, second, {},
                                   by_tiles<inclusive, small_tile<float>>{});
  expect_scan_by<exclusive, float, true>(scanned<2, float>{3001}, second, {},
                                         by_tiles<exclusive, small_tile<float>>{});
}
TEST(device_recurrence, continues_after_earlier_results) {
  for (std::size_t const n : sizes{1, 2, 3, 127, 128, 129, 511, 513, 700, 2500})
    for (auto const& initial : {second.after({1.5f, -2}), second(second.lift(3), second.lift(4))})
      expect_scans<float>(n, second, {}, initial);
  for (std::size_t const n : sizes{5, 2050})
    expect_scans<std::int64_t>(n, fibonacci, {}, fibonacci.after({2, -1}));
  for (std::size_t const n : sizes{5, 2050, 6500})
    expect_scans_by_eighth(n, eighth.after({1, 2, 3, 4, 5, 6, 7, 8}));
  for (scheduled const& s : every_schedule(5))
    expect_scans<float>(1500, second, s, second.after({-0.0f, 3}));
}
TEST(device_recurrence, continues_over_more_than_1024_tiles) {
  using tiny = tile_shape<1, 1, 1>;
  auto const initial = first.after({7});
  for (std::size_t const tiles : sizes{31, 33, 1023})
    expect_both<float, by_wave, 1, float, tiny>(32 * tiles - 5, first, {.check = false}, initial);
  for (std::size_t const tiles : sizes{33, 1025}) {
    expect_both<float, by_tiles, 1, float, tiny>(32 * tiles, first, {.check = false}, initial);
    expect_both<float, by_ring, 1, float, tile_shape<2, 1, 1>>(64 * tiles - 5, first,
                                                               {.check = false}, initial);
  }
}

/// Tiles of 2^k parts.
template <unsigned k, class X, std::size_t order, class T, class Shape = small_tile<X>>
void expect_reduction_by(std::size_t n, recurrence<order, T> const& op, scheduled const& s,
                         initial_state<order, T> const& initial = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << n << ", k = " << k << ", order " << order << ", "
                                  << s << ", " << seed_note());
  sim::machine m = machine_for(s);
  auto const x = samples<X>(n);
  auto const in = m.allocate<X>(n, "in");
  m.to_device(in, std::span<X const>(x));
  using powers = recurrence_powers<order, T>;
  using values = recurrence_values<order, T>;
  auto const out = m.allocate<values>(1, "out");
  using source = element_source<X, X const*, detail::as_is, powers, false>;
  using result = recurrence_result<values, values>;
  auto const tiles = n / Shape::size >> k;
  m.launch({.name = "reduce", .blocks = {(tiles < 4 ? tiles : 4) + 1}, .threads = {Shape::threads}},
           device::reduce<k, Shape, source, result>, source{in, n, {}, powers(op), true}, n,
           result{out, initial ? values_of(*initial) : values{}, initial.has_value()},
           workspace_on(m, n * 20 + 64));
  recurrence_state<order, T> got{.y = {}, .length = n};
  values const stored = m.to_host(out, 1)[0];
  std::memcpy(got.y, &stored, sizeof stored);
  auto const want = reference::behind(initial, reference::lifted(x, op), n, op);
  for (std::size_t i = 0; i < order; ++i)
    ASSERT_TRUE(same_bits(got.y[i], want.y[i]))
        << shown(got.y[i]) << " is not " << shown(want.y[i]);
  expect_no_finding(m);
}
template <class X, std::size_t order, class T>
void expect_reduction(std::size_t n, recurrence<order, T> const& op, scheduled const& s = {},
                      initial_state<order, T> const& initial = {}) {
  expect_reduction_by<0, X>(n, op, s, initial);
  expect_reduction_by<1, X>(n, op, s, initial);
  expect_reduction_by<3, X>(n, op, s, initial);
}
TEST(device_recurrence, reduces_to_the_last_results) {
  for (std::size_t const n : sizes{1,   2,   3,   5,    31,   32,   33,   127,  128,  129,
                                   511, 512, 513, 1000, 1023, 1024, 1025, 3583, 4097, 9999}) {
    expect_reduction<float>(n, first);
    expect_reduction<float>(n, second);
    expect_reduction<float>(n, second, {}, second.after({1.5f, -2}));
    expect_reduction<std::int64_t>(n, fibonacci);
  }
  for (std::size_t const n : sizes{33, 2050}) expect_reduction_by<0, float>(n, eighth, {});
  for (scheduled const& s : every_schedule(5)) expect_reduction<float>(2000, second, s);
  for (std::size_t const n : sizes{32 * 1024, 32 * 2100 + 7})
    for (auto const& initial : {initial_state<1, float>{}, initial_state<1, float>(first.lift(3))})
      expect_reduction_by<0, float, 1, float, tile_shape<1, 1, 1>>(n, first, {.check = false},
                                                                   initial);
}

}  // namespace
}  // namespace upsweep::test
