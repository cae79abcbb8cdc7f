/// The verbs over segments of the CUDA backend on the emulator: each segment has the bits of the
/// reference for that segment alone, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <kernels_on_sim/segments_on_sim.hpp>
#include <upsweep/cuda/segments/by_warps.hpp>
#include <upsweep/cuda/segments/long.hpp>
#include <upsweep/cuda/segments/reduce.hpp>
#include <upsweep/cuda/segments/scan.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <optional>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace upsweep::test {
namespace {

/// Tiles of 256 elements and ends, chunks of 64, items of 2.
using small_shape = segment_shape<256, 1, 2, 1>;

/// The ranges of a launch with a segment for each warp.
inline constexpr unsigned beside_segments = 3;

/// The host's part of a call, on the emulator: by tiles, or by ranges of so many chunks for each
/// warp.
template <unsigned range_chunks, class Shape, class T, class Borders, class Op, class A>
void launch_reduction(sim::machine& m, segment_call const& call, workspace_words w, unsigned blocks,
                      element_input<T const*> const& in, Borders const& borders, A* out,
                      Op const& op, std::optional<A> const& initial,
                      std::optional<A> const& empty) {
  using sink = element_sink<A, A*, Op, false>;
  auto const results = results_on_sim<A>(sink{out, call.count.most, op, false}, op, initial, empty);
  using input = element_input<T const*>;
  using all_results = segment_results<A, Op, sink>;
  segment_levels<Shape, A> const levels{w.words + workspace_words::header, call.n.most,
                                        segment_levels<Shape, A>::levels_of(call.n.most)};
  std::size_t const work = call.n.most + call.count.most, size = range_chunks * Shape::chunk;
  auto const blocks_of = [](std::size_t warps) {
    return static_cast<unsigned>((warps + Shape::warps - 1) / Shape::warps);
  };
  if constexpr (range_chunks == beside_segments)
    m.launch({.name = "reduce_by_warps",
              .blocks = {blocks_of(call.count.most) + blocks_of((work + size - 1) / size)},
              .threads = {Shape::threads}},
             reduce_by_warps<Shape, input, Borders, all_results, A>, call, in, borders, results,
             levels, tile_tickets<true>{w}, size);
  else if constexpr (range_chunks > 0)
    m.launch(grid_over<Shape>("reduce_long_segments", blocks > 0 ? blocks : 3, work),
             reduce_long_segments<Shape, input, Borders, all_results, A>, call, in, borders,
             results, levels, w, size);
  else if (blocks > 0)
    m.launch(grid_over<Shape>("reduce_segments", blocks, work),
             reduce_segments<false, Shape, input, Borders, all_results, A>, call, in, borders,
             results, levels, tile_tickets<false>{w});
  else
    m.launch(grid_over<Shape>("reduce_segments", 0, work),
             reduce_segments<true, Shape, input, Borders, all_results, A>, call, in, borders,
             results, levels, tile_tickets<true>{w});
}

template <scan_kind kind, class Shape, class T, class Offset, class Op, class A>
void launch_scan(sim::machine& m, segment_call const& call, workspace_words w, unsigned blocks,
                 element_input<T const*> const& in, offset_borders<Offset const*> const& borders,
                 A* out, Op const& op, std::optional<A> const& initial,
                 std::optional<A> const& first) {
  using sink = element_sink<A, A*, Op, false>;
  using input = element_input<T const*>;
  using offsets = offset_borders<Offset const*>;
  using levels_of = segment_levels<Shape, A>;
  auto const results = results_on_sim<A>(sink{out, call.n.most, op, false}, op, initial, first);
  levels_of const levels{w.words + workspace_words::header, call.n.most,
                         levels_of::levels_of(call.n.most)};
  auto const grid = grid_over<Shape>("scan_segments", blocks, call.n.most + call.count.most);
  using results_of = segment_results<A, Op, sink>;
  if (blocks > 0)
    m.launch(grid, scan_segments<kind, false, Shape, input, A, offsets, results_of, A>, call, in,
             borders, results, levels, tile_tickets<false>{w});
  else
    m.launch(grid, scan_segments<kind, true, Shape, input, A, offsets, results_of, A>, call, in,
             borders, results, levels, tile_tickets<true>{w});
}

/// A case of all verbs, and the options of their launches.
template <class Shape = small_shape, class Offset = std::uint32_t>
struct segment_case {
  scheduled how{};
  unsigned blocks = 3;  ///< or 0: a wave
  unsigned misaligned = 0;
  bool vectors = true, in_place = false;

  /// `empty`: the result of an empty segment, which exclusive scans begin with; none if the
  /// operator has none.
  template <class T, class Op, class A = accumulator_t<Op, T>>
  void expect(offsets_of const& offsets, Op const& op, std::optional<A> const& initial,
              A const& poison, std::optional<A> const& empty) const {
    std::size_t const n = offsets.back(), count = offsets.size() - 1;
    SCOPED_TRACE(testing::Message()
                 << n << " elements, " << count << " segments, " << how << ", " << seed_note());
    auto const x = elements_for<T>(n);
    auto const with = [&](A const& p) { return initial ? A(op(*initial, p)) : p; };
    std::vector<A> totals, inclusive, exclusive;
    for (auto const& of : expected_prefixes(x, offsets, op)) {
      totals.push_back(!of.empty() ? with(of.back()) : empty ? *empty : poison);
      for (std::size_t i = 0; i < of.size(); ++i) {
        inclusive.push_back(with(of[i]));
        exclusive.push_back(i > 0 ? with(of[i - 1]) : empty.value_or(poison));
      }
    }
    auto const run = [&](char const* verb, std::vector<A> const& want, auto const& launch) {
      expect_results<T>(
          verb, x, offsets, want, poison,
          [&](auto const&... call) { launch(call..., initial, empty); }, op);
    };
    run("reduce_segments", totals,
        [&](auto const& m, auto const&... call) { launch_reduction<0, Shape>(*m, call...); });
    run("reduce_by_warps", totals, [&](auto const& m, auto const&... call) {
      launch_reduction<beside_segments, Shape>(*m, call...);
    });
    run("reduce_long_segments", totals,
        [&](auto const& m, auto const&... call) { launch_reduction<4, Shape>(*m, call...); });
    run("reduce_long_segments", totals,
        [&](auto const& m, auto const&... call) { launch_reduction<41, Shape>(*m, call...); });
    run("inclusive_scan_segments", inclusive, [&](auto const& m, auto const&... call) {
      launch_scan<scan_kind::inclusive, Shape>(*m, call...);
    });
    if (empty)
      run("exclusive_scan_segments", exclusive, [&](auto const& m, auto const&... call) {
        launch_scan<scan_kind::exclusive, Shape>(*m, call...);
      });
  }
  void floats(offsets_of const& offsets) const {
    expect<float>(offsets, plus{}, std::optional<float>{}, 77.0f, std::optional<float>{0.0f});
  }

 private:
  template <class T, class A, class Launch, class Op>
  void expect_results(char const* verb, std::vector<T> const& x, offsets_of const& offsets,
                      std::vector<A> const& want, A const& poison, Launch const& launch,
                      Op const& op) const {
    std::size_t const n = x.size(), count = offsets.size() - 1;
    sim::machine m = machine_for(how);
    workspace_words const w = workspace_on(m, (n + count) * 40 + 2000);
    T* const in = m.allocate<T>(n + misaligned + 1, "in") + misaligned;
    m.to_device(in, std::span<T const>(x));
    std::vector<Offset> const narrow(offsets.begin(), offsets.end());
    auto* const at = m.allocate<Offset>(narrow.size(), "offsets");
    m.to_device(at, std::span<Offset const>(narrow));
    fenced_output<A> const out(m, want.size(), poison);
    A* to = out.first;
    if constexpr (std::is_same_v<T, A>)
      if (in_place && verb[0] != 'r') to = in;
    launch(&m, segment_call{{n, nullptr}, {count, nullptr}}, w, blocks,
           element_input<T const*>{in, vectors && misaligned == 0},
           offset_borders<Offset const*>{at}, to, op);
    out.expect(verb, to, want);
  }
};

offsets_of power_law(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  return cut(n, [&](std::size_t) {
    std::size_t const r = next() % 4096 + 1;
    return next() % 5 == 0 ? 0 : 4096 * 4 / (r * r / 256 + 1) / 8 + next() % 3;
  });
}

TEST(device_segments, have_their_own_bits_whatever_their_lengths) {
  segment_case<> const run;
  for (std::size_t const n : {1u, 2u, 63u, 64u, 65u, 255u, 256u, 257u, 1000u, 5003u}) {
    run.floats({0, n});
    run.floats(cut(n, [](std::size_t) { return 1u; }));
    run.floats(cut(n, [](std::size_t) { return 7u; }));
    run.floats(cut(n, [](std::size_t k) { return 40 + k % 50; }));
    run.floats(cut(n, [](std::size_t k) { return k % 3 == 0 ? 300u : 0u; }));
    run.floats(power_law(n, 0));
  }
}
TEST(device_segments, begin_and_end_at_every_border) {
  segment_case<> const run;
  one_in taken{4};
  // Around items, chunks and tiles, and the tile's elements when it also has a few ends.
  for (std::size_t const border : {2u, 64u, 254u, 255u, 256u, 320u, 510u, 512u})
    for (std::size_t begin = border - 1; begin <= border + 1; ++begin)
      for (std::size_t const size : {1u, 63u, 64u, 65u, 129u, 257u, 400u})
        for (auto const& offsets :
             {offsets_of{0, begin, begin + size},
              offsets_of{0, begin, begin + size, begin + size + 5},
              offsets_of{0, 1, begin, begin, begin + size, begin + size + 300}})
          if (taken()) run.floats(offsets);
}
TEST(device_segments, begin_at_every_place_of_a_chunk) {
  segment_case<> const run;
  one_in taken{2};
  for (std::size_t begin = 0; begin < 70; ++begin)
    for (std::size_t const size : {64u * 7 - 1, 64u * 7, 64u * 7 + 1})
      if (taken()) run.floats({0, begin, begin + size, begin + size + 1, begin + 2 * size});
}
TEST(device_segments, may_be_empty_anywhere) {
  segment_case<> const run;
  run.floats(offsets_of(2000, 0));
  offsets_of some(700, 0);
  for (std::size_t k = 0; k < 5; ++k) {
    some.push_back(some.back() + 200);
    some.insert(some.end(), 300, some.back());
  }
  run.floats(some);
  segment_case<>{}.expect<float>(some, plus{}, std::optional<float>{}, 77.0f,
                                 std::optional<float>{});
}
TEST(device_segments, take_random_cases) {
  for (std::uint64_t k = 0; k < (full_tests ? 60 : 30); ++k) {
    random_bits next(test_seed() + k);
    std::size_t const n = next() % 6000;
    segment_case<> const run{.blocks = static_cast<unsigned>(next() % 6),
                             .misaligned = static_cast<unsigned>(next() % 4),
                             .vectors = next() % 2 == 0,
                             .in_place = k % 3 == 0};
    run.floats(power_law(n, k));
    run.floats(cut(n, [&](std::size_t) { return next() % (1 + next() % 700); }));
  }
}
/// The shapes that nvcc compiles for elements of 4 and of 16 bytes, and for few elements of 4
/// and 8.
TEST(device_segments, have_their_own_bits_in_tiles_of_full_size) {
  segment_case<segment_shape<4096, 5, 4, 7>> const words;
  segment_case<segment_shape<1024, 3, 4, 7>> const maps, few_words;
  segment_case<segment_shape<512, 2, 4, 7>> const few_pairs;
  for (auto const& offsets : {offsets_of{0, 1000, 1000, 14'000, 14'031, 15'100}, power_law(9000, 5),
                              cut(9000, [](std::size_t k) { return k % 7 == 0 ? 1030u : 9u; }),
                              cut(40'000, [](std::size_t) { return 36'000u; })}) {
    words.floats(offsets);
    few_words.floats(offsets);
    few_pairs.floats(offsets);
    maps.expect<affine_map<double>>(offsets, affine{}, std::optional<affine_map<double>>{}, {7, 7},
                                    std::optional<affine_map<double>>{{1, 0}});
  }
}
TEST(device_segments, are_right_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (auto const& offsets : {power_law(4000, 1), offsets_of{0, 100, 3500, 3600},
                                cut(2000, [](std::size_t) { return 9u; })})
      for (unsigned const blocks : {3u, 0u})
        segment_case<>{.how = s, .blocks = blocks}.floats(offsets);
}
TEST(device_segments, take_elements_and_operators_of_every_kind) {
  using shape_of_16 = segment_shape<128, 2, 2, 1>;
  for (auto const& offsets : {power_law(3000, 2), offsets_of{0, 0, 10, 2500, 2500, 3000}}) {
    segment_case<small_shape, std::int64_t>{}.expect<double>(
        offsets, plus{}, std::optional<double>{0x1p60}, 77.0, std::optional<double>{0x1p60});
    segment_case<>{}.expect<int>(offsets, plus{}, std::optional<std::int64_t>{}, std::int64_t{77},
                                 std::optional<std::int64_t>{0});
    segment_case<>{}.expect<signed char>(offsets, max{}, std::optional<signed char>{},
                                         static_cast<signed char>(77),
                                         std::optional<signed char>{});
    segment_case<shape_of_16>{}.expect<affine_map<double>>(
        offsets, affine{}, std::optional<affine_map<double>>{{0.5, 2.0}}, {7, 7},
        std::optional<affine_map<double>>{{0.5, 2.0}});
    segment_case<shape_of_16>{}.expect<triple>(offsets, compose_triples{}, std::optional<triple>{},
                                               triple{7, 7, 7}, std::optional<triple>{});
    segment_case<segment_shape<64, 0, 2, 1>>{}.expect<wide>(
        offsets, join_wide{}, std::optional<wide>{}, wide{}, std::optional<wide>{});
  }
}
TEST(device_segments, may_have_thousands_of_chunks) {
  auto const long_one = [](std::size_t chunks) {
    std::size_t const n = 64 * chunks + 37;
    return offsets_of{0, 30, 30 + n, 40 + n};
  };
  segment_case<> const run{.how = {.check = false}, .blocks = 7};
  for (std::size_t const chunks : {1024u, 2047u, 2048u}) run.floats(long_one(chunks));
  run.expect<triple>(long_one(3000), compose_triples{}, std::optional<triple>{}, triple{7, 7, 7},
                     std::optional<triple>{});
}
TEST(device_segments, with_wrong_offsets_leave_other_memory_alone) {
  for (offsets_of const& wrong :
       {offsets_of{5, 900, 2000}, offsets_of{0, 700, 300, 1500},
        offsets_of{0, 4'000'000'000, 1000, 1000}, offsets_of{0, 10, 20}}) {
    sim::machine m = machine_for({});
    std::size_t const n = 1500, count = wrong.size() - 1;
    auto const x = elements_for<float>(n);
    workspace_words const w = workspace_on(m, 4000);
    float* const in = m.allocate<float>(n, "in");
    m.to_device(in, std::span<float const>(x));
    std::vector<std::uint32_t> const narrow(wrong.begin(), wrong.end());
    auto* const at = m.allocate<std::uint32_t>(narrow.size(), "offsets");
    m.to_device(at, std::span<std::uint32_t const>(narrow));
    float* const out = m.allocate<float>(count, "out");
    segment_call const call{{n, nullptr}, {count, nullptr}};
    offset_borders<std::uint32_t const*> const borders{at};
    std::optional<float> const none, zero = 0.0f;
    element_input<float const*> const input{in, true};
    auto const run = [](auto const& launch) {
      try {
        launch();
      } catch (std::exception const& waits) {  // a GPU gives up after seconds
        EXPECT_NE(std::string(waits.what()).find("no thread can make progress"), std::string::npos);
      }
    };
    run([&] {
      launch_reduction<0, small_shape>(m, call, w, 2, input, borders, out, plus{}, none, zero);
    });
    run([&] {
      launch_reduction<4, small_shape>(m, call, w, 2, input, borders, out, plus{}, none, zero);
    });
    run([&] {
      launch_reduction<beside_segments, small_shape>(m, call, w, 0, input, borders, out, plus{},
                                                     none, zero);
    });
    run([&] {
      launch_scan<scan_kind::exclusive, small_shape>(m, call, w, 2, input, borders, in, plus{},
                                                     none, zero);
    });
    for (auto const& f : m.result().findings)
      EXPECT_TRUE(f.sentence.find("outside") == std::string::npos) << f.sentence;
  }
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_segments, are_right_for_every_associative_operator) {
  element_run const poison{7, 7, 7, 7};
  join_element_runs const op;
  for (scheduled const& s : every_schedule()) {
    segment_case<> const run{.how = s};
    for (std::size_t const n : {1u, 2u, 64u, 65u, 257u, 1000u, 2003u})
      for (std::size_t const size : {1u, 7u, 33u, 300u, 2003u})
        run.expect<element_run>(cut(n, [&](std::size_t k) { return k % 3 == 1 ? 0 : size; }), op,
                                std::optional<element_run>{}, poison, std::optional(op.identity()));
  }
}
#endif

}  // namespace
}  // namespace upsweep::test
