/// Reductions and scans by key with inexact operators on the emulator: each run has the bits of the
/// reference for that run alone, on every schedule, without a finding.
#include <kernels_on_sim/segments_on_sim.hpp>
#include <upsweep/cuda/runs/reduce.hpp>
#include <upsweep/cuda/runs/scan.hpp>
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

/// Windows and items of 4 elements, chunks of 16, tiles of 60 windows.
using small_shape = run_shape<2, 2, 1>;

/// The heads of runs as a selection leaves them, by granules of 2^granule_log2 elements; bits of
/// elements past the end are 0.
struct heads_on_sim {
  run_heads heads;

  heads_on_sim(sim::machine& m, offsets_of const& begins, std::size_t n, unsigned granule_log2) {
    std::size_t const granule = std::size_t{1} << granule_log2,
                      granules = (n + granule - 1) / granule;
    std::vector<word> bits(granules * granule / 32), earlier(2 * granules);
    for (std::size_t const i : begins)
      if (i < n) bits[i / 32] |= word{1} << (i % 32);
    for (std::size_t g = 0; g < granules; ++g)
      for (std::size_t const i : begins)
        if (i < g * granule) ++earlier[2 * g], earlier[2 * g + 1] = i + 1;
    auto* const at = m.allocate<word>(bits.size() + 1, "bits of heads");
    auto* const in_front = m.allocate<word>(earlier.size() + 1, "heads in front of granules");
    m.to_device(at, std::span<word const>(bits));
    m.to_device(in_front, std::span<word const>(earlier));
    heads = {at, in_front, granule_log2};
  }
};

/// Keys of runs, and room for what a call stores of them.
template <class K>
struct keys_on_sim {
  using output = selection_output<taken::values, 0, K*, K>;
  using heads_of = run_keys<K const*, marks_of_heads<same>, output>;
  std::vector<K> first_keys;
  K* out;
  heads_of heads;

  keys_on_sim(sim::machine& m, offsets_of const& offsets, std::size_t capacity, std::size_t room,
              std::size_t misaligned, word* count) {
    std::vector<K> keys(capacity);
    for (std::size_t k = 0; k + 1 < offsets.size(); ++k) {
      first_keys.push_back(static_cast<K>(k % 100 + 1));
      for (std::size_t i = offsets[k]; i < offsets[k + 1]; ++i) keys[i] = first_keys.back();
    }
    K* const in = m.allocate<K>(capacity + misaligned + 1, "keys") + misaligned;
    m.to_device(in, std::span<K const>(keys));
    out = m.allocate<K>(first_keys.size() + 1, "first keys");
    m.fill(out, first_keys.size() + 1, K{77});
    heads = {{in, misaligned == 0}, {}, {out, std::min(room, first_keys.size())}, count};
  }
  void expect(sim::machine& m, std::size_t room) const {
    auto want = first_keys;
    want.resize(std::min(room, want.size()));
    want.resize(first_keys.size() + 1, K{77});
    EXPECT_EQ(m.to_host(out, want.size()), want);
    EXPECT_EQ(m.to_host(heads.count, 1)[0], first_keys.size());
  }
};

/// A case of all verbs, and the options of their launches. Kernels that compare keys are a wave.
template <class Shape = small_shape, class K = std::uint32_t>
struct runs_case {
  scheduled how{};
  unsigned blocks = 3;  ///< or 0: a wave
  unsigned misaligned = 0, granule_log2 = 7;
  bool vectors = true, in_place = false;
  std::size_t room = ~std::size_t{0};  ///< for reductions
  std::size_t most = 0;  ///< if more elements than those of the call, the device has their number

  /// `offsets` begin with 0, increase, and end with the number of elements.
  template <class T, class Op, class A = accumulator_t<Op, T>>
  void expect(offsets_of const& offsets, Op const& op, std::optional<A> const& initial,
              A const& poison, std::optional<A> const& first) const {
    std::size_t const n = offsets.back();
    SCOPED_TRACE(testing::Message() << n << " elements, " << offsets.size() - 1 << " runs, " << how
                                    << ", " << seed_note());
    auto const x = elements_for<T>(n);
    auto const with = [&](A const& p) { return initial ? A(op(*initial, p)) : p; };
    std::vector<A> totals, inclusive, exclusive;
    for (auto const& of : expected_prefixes(x, offsets, op)) {
      totals.push_back(totals.size() < room ? with(of.back()) : poison);
      for (std::size_t i = 0; i < of.size(); ++i) {
        inclusive.push_back(with(of[i]));
        exclusive.push_back(i > 0 ? with(of[i - 1]) : first.value_or(poison));
      }
    }
    for (bool const by_keys : {false, true}) {
      run<void>("reduce_runs", by_keys, x, offsets, totals, op, initial, first, poison);
      run<std::integral_constant<scan_kind, scan_kind::inclusive>>(
          "inclusive_scan_runs", by_keys, x, offsets, inclusive, op, initial, first, poison);
      if (first)
        run<std::integral_constant<scan_kind, scan_kind::exclusive>>(
            "exclusive_scan_runs", by_keys, x, offsets, exclusive, op, initial, first, poison);
    }
  }
  void floats(offsets_of const& offsets) const {
    expect<float>(offsets, plus{}, std::optional<float>{}, 77.0f, std::optional<float>{0.0f});
  }

 private:
  /// `Kind` of a scan, or void. `by_keys`: the kernel compares them, otherwise a selection has.
  template <class Kind, class T, class Op, class A>
  void run(char const* verb, bool by_keys, std::vector<T> const& x, offsets_of const& offsets,
           std::vector<A> const& want, Op const& op, std::optional<A> const& initial,
           std::optional<A> const& first, A const& poison) const {
    constexpr bool scans = !std::is_void_v<Kind>;
    std::size_t const n = x.size(), capacity = std::max(most, n);
    sim::machine m = machine_for(how);
    workspace_words const w = workspace_on(m, capacity * 40 + 2000);
    T* const in = m.allocate<T>(capacity + misaligned + 1, "in") + misaligned;
    m.to_device(in, std::span<T const>(x));
    word* const numbers = m.allocate<word>(2, "the length, the number of runs");
    m.fill(numbers, 1, word{n});
    fenced_output<A> const out(m, want.size(), poison);
    A* to = out.first;
    if constexpr (std::is_same_v<T, A>)
      if (in_place && scans) to = in;
    using sink = element_sink<A, A*, Op, false>;
    auto const results =
        results_on_sim<A>(sink{to, want.size(), op, vectors && in_place}, op, initial, first);
    using results_of = std::remove_const_t<decltype(results)>;
    using input = element_input<T const*>;
    using levels_of = segment_levels<Shape, A>;
    bounded_size const size{capacity, capacity > n ? numbers : nullptr};
    std::size_t const totals = workspace_words::needed<head_counts>(capacity / Shape::size + 1);
    levels_of const levels{w.words + totals, capacity, levels_of::levels_of(capacity)};
    input const elements{in, vectors && misaligned == 0};
    auto const launch = [&]<class Heads, bool wave>(Heads const& heads, std::bool_constant<wave>) {
      auto const grid = grid_over<Shape>(verb, wave ? 0 : blocks, capacity);
      tile_tickets<wave> const tickets{w};
      if constexpr (scans)
        m.launch(grid, scan_runs<Kind::value, wave, Shape, Heads, input, A, results_of, A>, size,
                 elements, heads, results, levels, tickets);
      else
        m.launch(grid, reduce_runs<wave, Shape, Heads, input, results_of, A>, size, room, elements,
                 heads, results, levels, tickets);
    };
    SCOPED_TRACE(by_keys ? "by keys" : "by a selection's bits");
    if (by_keys) {
      keys_on_sim<K> const keys(m, offsets, capacity, room, misaligned, numbers + 1);
      launch(keys.heads, std::true_type());
      keys.expect(m, scans ? 0 : room);
    } else {
      heads_on_sim const marked(m, offsets, n, granule_log2);
      if (blocks > 0)
        launch(marked.heads, std::false_type());
      else
        launch(marked.heads, std::true_type());
    }
    out.expect(verb, to, want);
  }
};

/// Mostly short ones.
offsets_of mixed(std::size_t n, std::uint64_t salt) {
  random_bits next(test_seed() + n + salt);
  return cut(n, [&](std::size_t) {
    std::size_t const kind = next() % 8;
    return 1 + next() % (kind == 0 ? 600 : kind == 1 ? 70 : kind < 5 ? 12 : 2);
  });
}

TEST(device_runs, have_their_own_bits_whatever_their_lengths) {
  runs_case<> const run;
  for (std::size_t const n : {1u, 2u, 15u, 16u, 17u, 239u, 240u, 241u, 255u, 256u, 257u, 3001u}) {
    run.floats({0, n});
    run.floats(cut(n, [](std::size_t) { return 1u; }));
    run.floats(cut(n, [](std::size_t) { return 4u; }));
    run.floats(cut(n, [](std::size_t) { return 7u; }));
    run.floats(cut(n, [](std::size_t k) { return 40 + k % 50; }));
    run.floats(cut(n, [](std::size_t k) { return k % 3 == 0 ? 300u : 1u; }));
    run.floats(mixed(n, 0));
  }
}
TEST(device_runs, begin_and_end_at_every_border) {
  runs_case<> const run;
  one_in taken{7};
  // Around windows, chunks, the tile's own part and its last windows.
  for (std::size_t const border : {4u, 16u, 128u, 240u, 244u, 256u, 480u})
    for (std::size_t begin = border - 1; begin <= border + 1; ++begin)
      for (std::size_t const size : {1u, 3u, 4u, 5u, 16u, 17u, 33u, 225u, 257u, 500u})
        for (auto const& offsets : {offsets_of{0, begin, begin + size},
                                    offsets_of{0, begin, begin + size, begin + size + 5},
                                    offsets_of{0, 1, begin, begin + size, begin + size + 300}})
          if (taken()) run.floats(offsets);
}
TEST(device_runs, begin_at_every_place_of_a_tile) {
  runs_case<> const run;
  // One of three sizes at each position, so that every position modulo 16 meets all of them.
  for (std::size_t begin = 1; begin < 260; ++begin) {
    std::size_t const size = 16 * 31 - 1 + begin % 3;
    run.floats({0, begin, begin + size, begin + size + 1, begin + 2 * size});
  }
}
TEST(device_runs, take_random_cases) {
  for (std::uint64_t k = 0; k < (full_tests ? 80 : 40); ++k) {
    random_bits next(test_seed() + k);
    std::size_t const n = 1 + next() % 4000;
    bool const vectors = next() % 2 == 0;
    runs_case<> const run{.blocks = static_cast<unsigned>(next() % 6),
                          .misaligned = vectors ? 0 : static_cast<unsigned>(next() % 4),
                          .granule_log2 = 5 + static_cast<unsigned>(next() % 7),
                          .vectors = vectors,
                          .in_place = k % 3 == 0,
                          .room = next() % 2 == 0 ? next() % 100 : ~std::size_t{0},
                          .most = next() % 3 == 0 ? n + next() % 2000 : 0};
    run.floats(mixed(n, k));
    run.floats(cut(n, [&](std::size_t) { return 1 + next() % (1 + next() % 700); }));
  }
}
/// The shapes that nvcc compiles for elements of 4 and of 16 bytes, and for few elements of 4.
TEST(device_runs, have_their_own_bits_in_tiles_of_full_size) {
  runs_case<run_shape<5, 4, 7>> const words{.granule_log2 = 10};
  runs_case<run_shape<3, 4, 7>> const maps{.granule_log2 = 10}, few_words{.granule_log2 = 8};
  for (auto const& offsets : {offsets_of{0, 1000, 14'000, 14'031, 15'100}, mixed(9000, 5),
                              cut(9000, [](std::size_t k) { return k % 7 == 0 ? 1030u : 9u; }),
                              cut(5000, [](std::size_t) { return 1u; }),
                              cut(30'000, [](std::size_t) { return 28'000u; })}) {
    words.floats(offsets);
    few_words.floats(offsets);
    maps.expect<affine_map<double>>(offsets, affine{}, std::optional<affine_map<double>>{}, {7, 7},
                                    std::optional<affine_map<double>>{{1, 0}});
  }
}
TEST(device_runs, are_right_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (auto const& offsets : {mixed(3000, 1), offsets_of{0, 100, 3500, 3600},
                                cut(2000, [](std::size_t) { return 9u; })})
      for (bool const in_place : {false, true})
        runs_case<>{.how = s, .in_place = in_place}.floats(offsets);
}
TEST(device_runs, take_elements_and_operators_of_every_kind) {
  for (auto const& offsets : {mixed(2000, 2), offsets_of{0, 10, 2500, 2501, 3000}}) {
    runs_case<>{}.expect<double>(offsets, plus{}, std::optional<double>{0x1p60}, 77.0,
                                 std::optional<double>{0x1p60});
    runs_case<>{}.expect<int>(offsets, plus{}, std::optional<std::int64_t>{}, std::int64_t{77},
                              std::optional<std::int64_t>{0});
    runs_case<>{}.expect<signed char>(offsets, max{}, std::optional<signed char>{},
                                      static_cast<signed char>(77), std::optional<signed char>{});
    runs_case<>{}.expect<affine_map<double>>(offsets, affine{},
                                             std::optional<affine_map<double>>{{0.5, 2.0}}, {7, 7},
                                             std::optional<affine_map<double>>{{0.5, 2.0}});
    runs_case<run_shape<1, 2, 1>>{}.expect<triple>(offsets, compose_triples{},
                                                   std::optional<triple>{}, triple{7, 7, 7},
                                                   std::optional<triple>{});
    runs_case<run_shape<0, 2, 1>>{}.expect<wide>(offsets, join_wide{}, std::optional<wide>{},
                                                 wide{}, std::optional<wide>{});
  }
}
TEST(device_runs, compare_keys_of_every_width) {
  for (auto const& offsets : {mixed(1500, 3), offsets_of{0, 10, 900, 901, 1400}}) {
    runs_case<small_shape, unsigned char>{}.floats(offsets);
    runs_case<small_shape, std::uint16_t>{.misaligned = 1}.floats(offsets);
    runs_case<small_shape, double>{}.floats(offsets);
    runs_case<run_shape<5, 2, 1>, unsigned char>{}.floats(offsets);
    runs_case<run_shape<5, 2, 1>, std::uint16_t>{}.floats(offsets);
    runs_case<run_shape<0, 2, 1>, double>{}.floats(offsets);
  }
}
TEST(device_runs, of_no_elements_are_none) {
  runs_case<>{.most = 600}.floats({0});
}
TEST(device_runs, may_have_thousands_of_chunks) {
  runs_case<> const run{.how = {.check = false}, .blocks = 7};
  for (std::size_t const chunks : {1024u, 2047u, 2048u})
    run.floats({0, 30, 30 + 16 * chunks + 7, 47 + 16 * chunks});
}

}  // namespace
}  // namespace upsweep::test
