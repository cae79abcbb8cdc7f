/// The large scan of the CUDA backend on the emulator: the bits of the combine tree at every size,
/// on every schedule, without a finding.
#include <bench/gpu/decoupled.hpp>
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/scan/scan_ring.hpp>
#include <upsweep/ops/arg_extrema.hpp>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace upsweep::test {
namespace {

using enum scan_kind;

template <scan_kind kind, class Shape, class Parts = ring_parts>
struct by_ring {
  ring_plan plan{3, 2};
  unsigned blocks = 3;
  bool output_is_aligned = true;

  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink out, std::size_t n,
                  scan_start<A> const& start, workspace_words w) const {
    using layout = ring_layout<Shape, Source>;
    out.vectors = output_is_aligned;
    m.launch({.name = "scan_ring",
              .blocks = {blocks},
              .threads = {layout::threads},
              .shared_bytes = layout::shared_bytes(plan)},
             scan_ring<kind, Shape, Source, Sink, Parts>, in, out, n, start, w, plan,
             whole_array<A, typename Source::operation, Parts>{});
  }
};

/// Inclusive, and exclusive where the operator has an identity.
template <class T, class U, class Op, class Shape = small_tile<T>>
void expect_scans(scan_case<accumulator_t<Op, T>> const& c, Op const& op, scheduled const& s = {}) {
  expect_scan<inclusive, T, U, Op>(c, op, s, by_ring<inclusive, Shape>{});
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>)
    expect_scan<exclusive, T, U, Op>(c, op, s, by_ring<exclusive, Shape>{});
}

TEST(device_ring, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n : sizes{1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 1023,
                                   1024, 1025, 4097, 9999})
    expect_scans<float, float>({.n = n}, plus{});
}
TEST(device_ring, has_the_bits_of_the_tree_for_every_number_of_rows) {
  using map = affine_map<double>;
  for (std::size_t const n : sizes{300, 2500}) {
    expect_scans<float, float, plus, tile_shape<4, 1, 4>>({.n = n}, plus{});
    expect_scans<float, float, plus, tile_shape<1, 4, 4>>({.n = n}, plus{});
    expect_scans<float, float, plus, tile_shape<2, 16, 1>>({.n = n}, plus{});
    expect_scans<float, float, plus, tile_shape<2, 32, 1>>({.n = n}, plus{});
    expect_scans<map, map, affine, tile_shape<2, 1, 1>>({.n = n}, affine{});
    expect_scans<map, map, affine, tile_shape<2, 4, 1>>({.n = n}, affine{});
    expect_scans<map, map, affine, tile_shape<2, 8, 1>>({.n = n}, affine{});
  }
}
TEST(device_ring, keeps_the_order_of_operands) {
  for (std::size_t const n : sizes{1, 2, 33, 127, 128, 129, 255, 256, 257, 1300}) {
    expect_scans<affine_map<double>, affine_map<double>>({.n = n}, affine{});
    expect_scans<triple, triple>({.n = n}, compose_triples{});
  }
}
TEST(device_ring, takes_accumulators_of_64_bytes) {
  for (std::size_t const n : sizes{1, 127, 128, 129, 1000})
    expect_scans<wide, wide>({.n = n}, join_wide{});
}
TEST(device_ring, widens_narrow_elements_and_converts_results) {
  for (std::size_t const n : sizes{1, 2047, 2048, 2049, 7001}) {
    expect_scans<std::int8_t, std::int64_t>({.n = n}, plus{});
    expect_scans<std::uint8_t, std::uint8_t>({.n = n}, plus{});
    expect_scans<std::int16_t, std::int32_t>({.n = n}, plus{});
  }
}
TEST(device_ring, tells_the_operator_where_an_element_is) {
  expect_scans<std::int64_t, std::uint64_t>({.n = 3000}, argmax{});
}
TEST(device_ring, puts_the_initial_value_on_the_left) {
  for (std::size_t const n : sizes{1, 700, 2500}) {
    expect_scans<float, float>({.n = n, .initial = 0.1f}, plus{});
    expect_scans<affine_map<double>, affine_map<double>>(
        {.n = n, .initial = affine_map<double>{0.5, 3}}, affine{});
  }
}
TEST(device_ring, works_in_place) {
  for (scheduled const& s : every_schedule())
    expect_scans<float, float>({.n = 6001, .in_place = true}, plus{}, s);
}
TEST(device_ring, stores_to_memory_that_is_not_aligned) {
  by_ring<inclusive, small_tile<float>> const ring{.output_is_aligned = false};
  expect_scan<inclusive, float, float>({.n = 3001}, plus{}, {}, ring);
}
TEST(device_ring, uses_its_workspace_again_without_clearing_it) {
  expect_scans<float, float>({.n = 5001, .launches = 3}, plus{});
}
TEST(device_ring, works_with_any_number_of_stages_and_copies) {
  for (unsigned stages = 1; stages <= 7; ++stages)
    for (unsigned copies = 1; copies <= stages; copies += 2)
      for (scheduled const& s : {scheduled{}, scheduled{sim::schedule::adversarial, 3}}) {
        by_ring<inclusive, small_tile<float>> const ring{{stages, copies}, 2};
        expect_scan<inclusive, float, float>({.n = 12000}, plus{}, s, ring);
      }
}
TEST(device_ring, looks_back_over_more_than_1024_tiles) {
  using tiny = tile_shape<2, 1, 1>;
  for (std::size_t const tiles : sizes{31, 32, 33, 64, 1023, 1024, 1025, 2100})
    expect_scan<inclusive, float, float>({.n = 64 * tiles - 5}, plus{}, {.check = false},
                                         by_ring<inclusive, tiny>{});
}
TEST(device_ring, waits_only_for_blocks_that_have_started) {
  std::vector<scheduled> schedules = every_schedule();
  for (std::uint64_t seed = 3; seed < 12; ++seed)
    schedules.push_back({sim::schedule::random, seed, 3});
  for (scheduled const& s : schedules)
    expect_scans<triple, triple>({.n = 1500, .launches = 2}, compose_triples{}, s);
}
TEST(device_ring, has_the_bits_of_the_tree_in_the_tiles_it_ships_with) {
  using f32 = tile_shape<8, 8, 4>;
  expect_scan<inclusive, float, float>({.n = 7 * f32::size + 4321}, plus{}, {},
                                       by_ring<inclusive, f32>{{6, 3}, 2});
  using f64 = tile_shape<8, 8, 2>;
  expect_scan<exclusive, double, double>({.n = 7 * f64::size + 1}, plus{}, {},
                                         by_ring<exclusive, f64>{{6, 3}, 2});
}

/// The expected results: the blocks of prefix(i + 1) combined from left to right, starting with
/// `before`.
TEST(device_ring, applies_the_prefix_before_the_first_tile_to_every_result) {
  using map = affine_map<double>;
  using source = element_source<map, map const*, detail::as_is, affine, false>;
  using sink = element_sink<map, map*, affine, false>;
  constexpr std::size_t n = 1500;
  map const before{0.25, -7};
  auto const x = elements_for<map>(n);
  sim::machine m = machine_for({});
  auto const in = m.allocate<map>(n, "in"), out = m.allocate<map>(n, "out");
  m.to_device(in, x);
  auto const left = m.allocate<map>(1, "left");
  m.to_device(left, std::span<map const>(&before, 1));
  by_ring<inclusive, small_tile<map>> const ring;
  ring(m, source{in, n, {}, {}, true}, sink{out, n, {}, true}, n,
       scan_start<map>{before, before, false, true, left}, workspace_on(m, 1000));
  auto const got = m.to_host(out, n);
  for (std::size_t i = 0; i < n; ++i) {
    map want = before;
    for (std::size_t start = 0; start <= i;) {
      auto const k = static_cast<int>(std::bit_width(i + 1 - start)) - 1;
      want = affine{}(want, reference::block(x, k, start >> k, affine{}));
      start += std::size_t{1} << k;
    }
    ASSERT_TRUE(same_bits(got[i], want)) << i;
  }
  expect_no_finding(m);
}

/// Every element is read from memory once and written once. In shared memory the tile is read once
/// by the warp group that reduces. The one that scans reads it in the up-sweep and the down-sweep,
/// writes its results there and reads them row by row. None of this has a bank conflict.
TEST(device_ring, reads_every_element_once_without_bank_conflicts) {
  using shape = tile_shape<8, 8, 4>;
  using source = element_source<float, float const*, detail::as_is, plus, false>;
  using sink = element_sink<float, float*, plus, false>;
  constexpr std::size_t n = 3 * shape::size;
  sim::machine m({.check = false});
  auto const in = m.allocate<float>(n, "in"), out = m.allocate<float>(n, "out");
  m.to_device(in, elements_for<float>(n));
  by_ring<inclusive, shape> const ring{{6, 3}, 1};
  ring(m, source{in, n, {}, {}, true}, sink{out, n, {}, true}, n, scan_start<float>{},
       workspace_on(m, 1000));
  auto const& launch = m.result().launches.at(0);
  EXPECT_EQ(launch.buffers.at("in").loads, n / 4);  // four at once
  EXPECT_EQ(launch.buffers.at("out").stores, n / 4);
  std::uint64_t wavefronts = 0;
  for (auto const& line : launch.lines) {
    if (line.line.file.find("staged_tile.hpp") == std::string::npos) continue;
    EXPECT_EQ(line.counts.shared_conflicts, 0u) << "line " << line.line.line;
    wavefronts += line.counts.shared_wavefronts;
  }
  EXPECT_EQ(wavefronts, 5 * n * sizeof(float) / 128);
}

TEST(device_ring, is_right_with_the_look_back_that_the_benchmark_compares) {
  for (scheduled const& s : every_schedule())
    for (std::size_t const n : sizes{1, 128, 129, 1500, 9000})
      expect_scan<inclusive, triple, triple>(
          {.n = n}, compose_triples{}, s,
          by_ring<inclusive, small_tile<triple>, decoupled_parts>{});
}

template <class Barrier>
struct parts_with : ring_parts {
  using barrier = Barrier;
};

using triples_in = element_source<triple, triple const*, detail::as_is, compose_triples, false>;

/// Barriers with one missing wait: that on the array initialized last, where the scanning warps
/// wait for their prefixes.
class deaf_barrier : public arrival_barrier {
 public:
  __device__ explicit deaf_barrier(word* at) : arrival_barrier(at), at_(at) {}
  __device__ void init(unsigned arrivals) const {
    arrival_barrier::init(arrivals);
    last() = at_;
  }
  __device__ void wait(unsigned parity) const {
    // Another array is much farther away.
    if (static_cast<std::size_t>(last() - at_) < slots) return __syncwarp();
    arrival_barrier::wait(parity);
  }

 private:
  static constexpr unsigned slots = ring_layout<small_tile<triple>, triples_in>::slots;

  __device__ static word*& last() {
    __shared__ word* initialized_last;
    return initialized_last;
  }

  word* at_;
};

/// A scan with barriers of that kind: whether the result is right, and what is found.
struct outcome {
  bool is_right;
  std::vector<sim::finding> findings;

  [[nodiscard]] bool is_clean() const { return is_right && findings.empty(); }
};
template <class Barrier>
outcome run_with(scheduled const& s) {
  using sink = element_sink<triple, triple*, compose_triples, false>;
  constexpr std::size_t n = 1500;
  auto const x = elements_for<triple>(n);
  sim::machine m = machine_for(s);
  auto const in = m.allocate<triple>(n, "in"), out = m.allocate<triple>(n, "out");
  m.to_device(in, x);
  m.fill(out, n, triple{});
  by_ring<inclusive, small_tile<triple>, parts_with<Barrier>> const ring;
  ring(m, triples_in{in, n, {}, {}, true}, sink{out, n, {}, true}, n, scan_start<triple>{},
       workspace_on(m, 1000));
  return {m.to_host(out, n) == tree_prefixes(x, compose_triples{}), m.result().findings};
}
TEST(device_ring, fails_when_a_wait_is_left_out) {
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    for (auto const how :
         {sim::schedule::in_order, sim::schedule::random, sim::schedule::adversarial}) {
      scheduled const s{how, seed, 2};
      EXPECT_TRUE(run_with<arrival_barrier>(s).is_clean()) << s;
      EXPECT_FALSE(run_with<deaf_barrier>(s).is_clean()) << s;
    }
  }
}
/// Not in the headers that are inlined into the kernel.
TEST(device_ring, says_in_the_kernel_where_a_wait_is_missing) {
  auto const found = run_with<deaf_barrier>({}).findings;
  EXPECT_FALSE(found.empty());
  for (auto const& f : found)
    for (auto const& at : {f.first, f.second})
      EXPECT_TRUE(at.line == 0 || at.file.find("/upsweep/cuda/") != std::string::npos)
          << f.sentence;
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_ring, is_right_for_every_associative_operator) {
  using run = element_run;
  for (std::size_t n = 1; n <= 300; ++n) expect_scans<run, run>({.n = n}, join_element_runs{});
  for (scheduled const& s : every_schedule())
    for (std::size_t const n : sizes{127, 128, 129, 997, 1025, 4096})
      expect_scans<run, run>({.n = n, .launches = 2}, join_element_runs{}, s);
}
#endif

}  // namespace
}  // namespace upsweep::test
