/// The scans of the CUDA backend on the emulator: the bits of the combine tree at every size, on
/// every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <support/sizes.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

/// Both designs, inclusive and exclusive.
template <class T, class U, class Op, class Shape = small_tile<T>, bool reverse = false>
void expect_scans(scan_case<accumulator_t<Op, T>> const& c, Op const& op, scheduled const& s = {}) {
  using enum scan_kind;
  expect_scan<inclusive, T, U, Op, reverse>(c, op, s, by_tiles<inclusive, Shape>{});
  expect_scan<inclusive, T, U, Op, reverse>(c, op, s, by_wave<inclusive, Shape>{});
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>) {
    expect_scan<exclusive, T, U, Op, reverse>(c, op, s, by_tiles<exclusive, Shape>{});
    expect_scan<exclusive, T, U, Op, reverse>(c, op, s, by_wave<exclusive, Shape>{});
  }
}

TEST(device_scan, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n : sizes{1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 1023,
                                   1024, 1025, 4097, 9999})
    expect_scans<float, float>({.n = n}, plus{});
}
TEST(device_scan, keeps_the_order_of_operands) {
  for (std::size_t const n : sizes{1, 2, 33, 129, 300, 1025, 4097}) {
    expect_scans<affine_map<double>, affine_map<double>>({.n = n}, affine{});
    expect_scans<triple, triple>({.n = n}, compose_triples{});
  }
}
TEST(device_scan, takes_accumulators_of_64_bytes) {
  for (std::size_t const n : sizes{1, 63, 64, 65, 2500})
    expect_scans<wide, wide>({.n = n}, join_wide{});
}
TEST(device_scan, widens_narrow_elements_and_converts_results) {
  for (std::size_t const n : sizes{1, 2047, 2048, 2049, 7001}) {
    expect_scans<std::int8_t, std::int64_t>({.n = n}, plus{});
    expect_scans<std::uint8_t, std::uint8_t>({.n = n}, plus{});
    expect_scans<std::int16_t, std::int32_t>({.n = n}, plus{});
  }
}
TEST(device_scan, puts_the_initial_value_on_the_left) {
  for (std::size_t const n : sizes{1, 700, 5000}) {
    expect_scans<float, float>({.n = n, .initial = 0.1f}, plus{});
    expect_scans<affine_map<double>, affine_map<double>>(
        {.n = n, .initial = affine_map<double>{0.5, 3}}, affine{});
  }
}
TEST(device_scan, works_in_place) {
  expect_scans<float, float>({.n = 5001, .in_place = true}, plus{});
}
TEST(device_scan, takes_input_that_is_not_aligned) {
  expect_scans<float, float>({.n = 3001, .vectors = false, .offset = 3}, plus{});
}
TEST(device_scan, runs_from_the_end) {
  expect_scans<float, float, plus, small_tile<float>, true>({.n = 3001}, plus{});
  expect_scans<triple, triple, compose_triples, small_tile<triple>, true>({.n = 901},
                                                                          compose_triples{});
}
TEST(device_scan, uses_its_workspace_again_without_clearing_it) {
  expect_scans<float, float>({.n = 3001, .launches = 3}, plus{});
}
/// A chunk of a stream: an aligned block of 2^k elements after 2^(k+1) others, whose prefix is
/// given.
template <scan_kind kind, class Launch>
void expect_continuation(Launch const& launch) {
  using map = affine_map<double>;
  constexpr std::size_t before = 2048, n = 1024;
  auto const x = elements_for<map>(before + n);
  auto const want = expected_scan<kind>(x, affine{}, std::optional<map>{});
  map const carry =
      expected_scan<scan_kind::inclusive>(x, affine{}, std::optional<map>{})[before - 1];
  sim::machine m = machine_for({});
  auto const in = m.allocate<map>(n, "in"), out = m.allocate<map>(n, "out");
  m.to_device(in, std::span<map const>(x).subspan(before));
  auto const left = m.allocate<map>(1, "left");
  m.to_device(left, std::span<map const>(&carry, 1));
  launch(m, element_source<map, map const*, detail::as_is, affine, false>{in, n, {}, {}, true},
         element_sink<map, map*, affine, false>{out, n, {}, true}, n,
         scan_start<map>{carry, carry, false, true, left}, workspace_on(m, 4096));
  auto const got = m.to_host(out, n);
  for (std::size_t i = 0; i < n; ++i)
    ASSERT_TRUE(same_bits(got[i], want[before + i])) << "element " << i;
  expect_no_finding(m);
}
TEST(device_scan, continues_from_the_carry_of_a_stream) {
  using shape = small_tile<affine_map<double>>;
  expect_continuation<scan_kind::inclusive>(by_tiles<scan_kind::inclusive, shape>{});
  expect_continuation<scan_kind::exclusive>(by_tiles<scan_kind::exclusive, shape>{});
  expect_continuation<scan_kind::inclusive>(by_wave<scan_kind::inclusive, shape>{});
  expect_continuation<scan_kind::exclusive>(by_wave<scan_kind::exclusive, shape>{});
}
TEST(device_scan, looks_back_over_more_than_1024_tiles) {
  using tiny = tile_shape<1, 1, 1>;
  for (std::size_t const tiles : sizes{31, 32, 33, 64, 1023})
    expect_scans<float, float, plus, tiny>({.n = 32 * tiles - 5}, plus{}, {.check = false});
  for (std::size_t const tiles : sizes{1024, 1025, 2100})
    expect_scan<scan_kind::inclusive, float, float>({.n = 32 * tiles}, plus{}, {.check = false},
                                                    by_tiles<scan_kind::inclusive, tiny>{5});
}
/// The prefixes around the tiles `at` of one warp, whose totals have all been published.
template <class A, class Op>
__global__ void looks_back(tile_totals<A> published, A const* totals, unsigned tiles,
                           unsigned const* at, unsigned count, A* before, A* after) {
  using earlier_tiles = lookback<A, Op>;
  __shared__ shared_values<A, earlier_tiles::memory_size> memory;
  unsigned const lane = threadIdx.x;
  for (unsigned t = lane; t < tiles; t += 32) published.publish(t, totals[t]);
  earlier_tiles earlier(published, lane, totals[0], false, memory);
  for (unsigned k = 0; k < count; ++k) {
    auto const p = earlier.around(at[k], totals[at[k]], Op{});
    if (lane == 0) {
      before[k] = p.before.value();
      after[k] = p.after.value();
    }
  }
}
void expect_prefixes_around(std::vector<unsigned> const& at, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "first " << at.front() << ", " << seed_note());
  unsigned const tiles = at.back() + 1;
  auto const count = static_cast<unsigned>(at.size());
  auto const x = elements_for<triple>(tiles);
  sim::machine m = machine_for(s);
  auto const totals = m.allocate<triple>(tiles, "totals"),
             before = m.allocate<triple>(count, "before"),
             after = m.allocate<triple>(count, "after");
  auto const places = m.allocate<unsigned>(count, "at");
  m.to_device(totals, std::span<triple const>(x));
  m.to_device(places, std::span<unsigned const>(at));
  m.launch({.name = "looks_back", .threads = {32}}, looks_back<triple, compose_triples>,
           workspace_on(m, 3 * tiles + 2).totals<triple>(1), static_cast<triple const*>(totals),
           tiles, static_cast<unsigned const*>(places), count, before, after);
  auto const got_before = m.to_host(before, count), got_after = m.to_host(after, count);
  triple prefix = x[0];
  for (unsigned tile = 1, k = 0; k < count; ++tile) {
    triple const next = compose_triples{}(prefix, x[tile]);
    if (tile == at[k]) {
      EXPECT_TRUE(got_before[k] == prefix) << "before tile " << tile;
      EXPECT_TRUE(got_after[k] == next) << "after tile " << tile;
      ++k;
    }
    prefix = next;
  }
  expect_no_finding(m);
}
/// A block may be so late that it appends several groups of tiles at once across the end of a
/// level, which holds 1024 tiles, from any group on.
TEST(device_scan, appends_groups_of_tiles_across_the_end_of_a_level) {
  for (unsigned const first : {31u, 40u, 70u, 110u, 1000u})
    expect_prefixes_around({first, 1100, 1101, 2110, 3199});
}
/// The level above holds 32,768 tiles: when it is full, the prefixes of both levels move on.
TEST(device_scan, goes_on_behind_the_end_of_two_levels) {
  expect_prefixes_around({70, 32767, 32768, 32800, 33791, 33792, 33860}, {.check = false});
  expect_prefixes_around({32700, 32860, 33900}, {.check = false});
}
/// A sum of -0 alone is -0: nothing is added to +0.
TEST(device_scan, keeps_the_sign_of_zeros) {
  using shape = small_tile<float>;
  std::size_t const n = 3 * shape::size + 5;
  std::vector<float> const x(n, -0.0f);
  for (bool const as_wave : {false, true}) {
    sim::machine m = machine_for({});
    auto const in = m.allocate<float>(n, "in"), out = m.allocate<float>(n, "out");
    m.to_device(in, std::span<float const>(x));
    element_source<float, float const*, detail::as_is, plus, false> const from{in, n, {}, {}, true};
    element_sink<float, float*, plus, false> const to{out, n, {}, true};
    scan_start<float> const start{0.0f, 0.0f, false};
    auto const workspace = workspace_on(m, 1000);
    if (as_wave)
      by_wave<scan_kind::inclusive, shape>{}(m, from, to, n, start, workspace);
    else
      by_tiles<scan_kind::inclusive, shape>{}(m, from, to, n, start, workspace);
    auto const got = m.to_host(out, n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same_bits(got[i], -0.0f)) << i;
  }
}
/// Epoch 0 would be that of fresh memory, whose zeros would be totals.
TEST(device_scan, numbers_its_launches_from_one_again_after_two_to_the_32) {
  using shape = small_tile<float>;
  sim::machine m = machine_for({});
  auto const workspace = workspace_on(m, 4000);
  word const launches = word{0xfffffffe} << 32;
  m.to_device(workspace.words, std::span<word const>(&launches, 1));
  for (std::size_t const tiles : {2u, 7u, 11u}) {
    std::size_t const n = tiles * shape::size;
    auto const x = elements_for<float>(n);
    auto const in = m.allocate<float>(n, "in"), out = m.allocate<float>(n, "out");
    m.to_device(in, std::span<float const>(x));
    by_tiles<scan_kind::inclusive, shape>{}(
        m, element_source<float, float const*, detail::as_is, plus, false>{in, n, {}, {}, true},
        element_sink<float, float*, plus, false>{out, n, {}, true}, n,
        scan_start<float>{0.0f, 0.0f, false}, workspace);
    auto const want = expected_scan<scan_kind::inclusive>(x, plus{}, std::optional<float>{});
    auto const got = m.to_host(out, n);
    for (std::size_t i = 0; i < n; ++i) ASSERT_TRUE(same_bits(got[i], want[i])) << i;
    EXPECT_EQ(m.to_host(workspace.words, 1)[0] >> 32, tiles == 2 ? 0u : tiles == 7 ? 1u : 2u);
  }
  expect_no_finding(m);
}
TEST(device_scan, waits_only_for_blocks_that_have_started) {
  for (scheduled const& s : every_schedule())
    expect_scans<triple, triple>({.n = 1000, .launches = 2}, compose_triples{}, s);
}
TEST(device_scan, needs_no_tickets_when_all_blocks_are_resident) {
  using shape = small_tile<float>;
  for (scheduled const& s : every_schedule(12))
    expect_scan<scan_kind::inclusive, float, float>(
        {.n = 5000, .launches = 2}, plus{}, s,
        by_wave_of_blocks<scan_kind::inclusive, shape, false>{});
}
TEST(device_scan, has_the_bits_of_the_tree_in_the_tiles_it_ships_with) {
  using shape = tile_shape<8, 4, 4>;
  for (std::size_t const n : sizes{4095, 4096, 4097, 20000})
    expect_scans<float, float, plus, shape>({.n = n}, plus{}, {.check = false});
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_scan, is_right_for_every_associative_operator) {
  using run = element_run;
  for (std::size_t n = 1; n <= (slow_build ? 40 : 200); ++n)
    expect_scans<run, run>({.n = n}, join_element_runs{});
  for (scheduled const& s : every_schedule())
    for (std::size_t const n : sizes{1, 32, 63, 64, 65, 128, 129, 997, 1025})
      expect_scans<run, run>({.n = n, .launches = 2}, join_element_runs{}, s);
}
#endif

}  // namespace
}  // namespace upsweep::test
