/// The large scan of the CUDA backend on the emulator: the bits of the combine tree at every size, on every schedule, without a finding.
#include <device/on_sim.hpp>
#include <upsweep/cuda/kernels/scan_ring.hpp>

namespace upsweep::test {
namespace {

using namespace device;
using sizes = std::vector<std::size_t>;
using enum scan_kind;

/// Two chunks of two rows: the smallest tile that has every level of the tree in it.
template <class T>
using small_tile = tile_shape<2, 2, items_of<T>>;

template <scan_kind kind, class Shape>
struct by_ring {
  ring_plan plan{2, 2};
  unsigned blocks = 3;

  template <class Source, class Sink, class A>
  void operator()(sim::machine& m, Source const& in, Sink const& out, std::size_t n, scan_start<A> const& start,
                  workspace_words w) const {
    using layout = ring_layout<Shape, Source>;
    m.launch({.name = "scan_ring", .blocks = {blocks}, .threads = {layout::threads}, .shared_bytes = layout::shared_bytes(plan)},
             scan_ring<kind, Shape, Source, Sink>, in, out, n, start, w, plan);
  }
};

/// Inclusive, and exclusive where the operator has an identity.
template <class T, class U, class Op, class Shape = small_tile<T>>
void expect_scans(scan_case<accumulator_t<Op, T>> const& c, Op const& op, scheduled const& s = {}, ring_plan plan = {3, 2}) {
  expect_scan<inclusive, T, U, Op>(c, op, s, by_ring<inclusive, Shape>{plan});
  if constexpr (monoid_over<Op, accumulator_t<Op, T>>) expect_scan<exclusive, T, U, Op>(c, op, s, by_ring<exclusive, Shape>{plan});
}

TEST(device_ring, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n : sizes{1, 2, 3, 5, 31, 32, 33, 127, 128, 129, 511, 512, 513, 1000, 1023, 1024, 1025, 4097, 9999})
    expect_scans<float, float>({.n = n}, plus{});
}
TEST(device_ring, keeps_the_order_of_operands) {
  for (std::size_t const n : sizes{1, 2, 33, 129, 255, 256, 257, 1300}) {
    expect_scans<affine_map<double>, affine_map<double>>({.n = n}, affine{});
    expect_scans<triple, triple>({.n = n}, compose_triples{});
  }
}
TEST(device_ring, takes_accumulators_of_64_bytes) {
  for (std::size_t const n : sizes{1, 127, 128, 129, 1000}) expect_scans<wide, wide>({.n = n}, join_wide{});
}
TEST(device_ring, widens_narrow_elements_and_converts_results) {
  for (std::size_t const n : sizes{1, 2047, 2048, 2049, 7001}) {
    expect_scans<std::int8_t, std::int64_t>({.n = n}, plus{});
    expect_scans<std::uint8_t, std::uint8_t>({.n = n}, plus{});
    expect_scans<std::int16_t, std::int32_t>({.n = n}, plus{});
  }
}
TEST(device_ring, puts_the_initial_value_on_the_left) {
  for (std::size_t const n : sizes{1, 700, 2500}) {
    expect_scans<float, float>({.n = n, .initial = 0.1f}, plus{});
    expect_scans<affine_map<double>, affine_map<double>>({.n = n, .initial = affine_map<double>{0.5, 3}}, affine{});
  }
}
TEST(device_ring, works_in_place) {
  for (scheduled const& s : every_schedule()) expect_scans<float, float>({.n = 6001, .in_place = true}, plus{}, s);
}
TEST(device_ring, uses_its_workspace_again_without_clearing_it) {
  expect_scans<float, float>({.n = 5001, .launches = 3}, plus{});
}
TEST(device_ring, works_with_any_number_of_stages_and_copies) {
  for (unsigned stages = 2; stages <= 7; ++stages)
    for (unsigned copies = 1; copies <= stages; copies += 2)
      expect_scan<inclusive, float, float>({.n = 12000}, plus{}, {}, by_ring<inclusive, small_tile<float>>{{stages, copies}, 2});
}
TEST(device_ring, looks_back_over_more_than_1024_tiles) {
  using tiny = tile_shape<2, 1, 1>;
  for (std::size_t const tiles : sizes{31, 32, 33, 64, 1025})
    expect_scan<inclusive, float, float>({.n = 64 * tiles - 5}, plus{}, {.check = false}, by_ring<inclusive, tiny>{{3, 2}, 3});
}
TEST(device_ring, waits_for_nobody_who_has_not_started) {
  for (scheduled const& s : every_schedule()) expect_scans<triple, triple>({.n = 1500, .launches = 2}, compose_triples{}, s);
}
TEST(device_ring, has_the_bits_of_the_tree_in_the_tiles_it_ships_with) {
  using f32 = tile_shape<8, 8, 4>;
  expect_scan<inclusive, float, float>({.n = 5 * f32::size + 4321}, plus{}, {.check = false}, by_ring<inclusive, f32>{{6, 3}, 2});
  using f64 = tile_shape<8, 8, 2>;
  expect_scan<exclusive, double, double>({.n = 5 * f64::size + 1}, plus{}, {.check = false}, by_ring<exclusive, f64>{{6, 3}, 2});
}

}  // namespace
}  // namespace upsweep::test
