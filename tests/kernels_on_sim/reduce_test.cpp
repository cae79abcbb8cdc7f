/// The reduction of the CUDA backend on the emulator: the bits of prefix(n) at every size, on every
/// schedule, without a finding.
#include <kernels_on_sim/element_runs.hpp>
#include <kernels_on_sim/on_sim.hpp>
#include <support/build_kind.hpp>
#include <upsweep/cuda/reduce/reduce.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

struct reduce_case {
  std::size_t n;
  unsigned launches = 1;
  unsigned most_blocks = 4;
};

/// Tiles of 2^k parts: k = 0, 1 and 3.
template <unsigned k, class T, class Op, class Shape>
void expect_reduction_by(reduce_case const& c, Op const& op, scheduled const& s) {
  using A = accumulator_t<Op, T>;
  SCOPED_TRACE(testing::Message() << "n = " << c.n << ", k = " << k << ", " << s << ", "
                                  << seed_note());
  sim::machine m = machine_for(s);
  workspace_words const workspace = workspace_on(m, c.n * 20 + 64);
  for (unsigned launch = 0; launch < c.launches; ++launch) {
    auto const x = elements_for<T>(c.n, launch);
    auto const in = m.allocate<T>(c.n, "in");
    auto const out = m.allocate<A>(1, "out");
    m.to_device(in, std::span<T const>(x));
    using source = element_source<T, T const*, detail::as_is, Op, false>;
    auto const tiles = c.n / Shape::size >> k;
    auto const blocks = (tiles < c.most_blocks ? tiles : c.most_blocks) + 1;
    m.launch({.name = "reduce", .blocks = {blocks}, .threads = {Shape::threads}},
             device::reduce<k, Shape, source, accumulator_result<A, Op>>,
             source{in, c.n, {}, op, true}, c.n, accumulator_result<A, Op>{out}, workspace);
    A const got = m.to_host(out, 1)[0];
    A const want = reference::prefix(reference::lifted(x, op), c.n, op);
    ASSERT_TRUE(same_bits(got, want)) << shown(got) << " is not " << shown(want);
  }
  expect_no_finding(m);
}
template <class T, class Op, class Shape = small_tile<T>>
void expect_reduction(reduce_case const& c, Op const& op, scheduled const& s = {}) {
  expect_reduction_by<0, T, Op, Shape>(c, op, s);
  expect_reduction_by<1, T, Op, Shape>(c, op, s);
  expect_reduction_by<3, T, Op, Shape>(c, op, s);
}

TEST(device_reduce, has_the_bits_of_the_tree_at_every_size) {
  for (std::size_t const n : sizes{1,   2,   3,   5,    31,   32,   33,   127,  128,  129,
                                   511, 512, 513, 1000, 1023, 1024, 1025, 3583, 4097, 9999})
    expect_reduction<float>({.n = n}, plus{});
}
TEST(device_reduce, keeps_the_order_of_operands) {
  for (std::size_t const n : sizes{1, 2, 33, 129, 300, 1025, 4097}) {
    expect_reduction<affine_map<double>>({.n = n}, affine{});
    expect_reduction<triple>({.n = n}, compose_triples{});
  }
}
TEST(device_reduce, takes_accumulators_of_64_bytes) {
  for (std::size_t const n : sizes{1, 63, 64, 65, 2500})
    expect_reduction<wide>({.n = n}, join_wide{});
}
TEST(device_reduce, widens_narrow_elements) {
  for (std::size_t const n : sizes{1, 2047, 2048, 2049, 7001}) {
    expect_reduction<std::int8_t>({.n = n}, plus{});
    expect_reduction<std::uint16_t>({.n = n}, plus{});
  }
}
TEST(device_reduce, uses_its_workspace_again_without_clearing_it) {
  expect_reduction<float>({.n = 3001, .launches = 3}, plus{});
}
TEST(device_reduce, looks_back_over_more_than_1024_tiles) {
  for (std::size_t const n : sizes{32 * 1024, 32 * 2100 + 7})
    expect_reduction<float, plus, tile_shape<1, 1, 1>>({.n = n}, plus{}, {.check = false});
}
TEST(device_reduce, waits_for_its_tiles_in_whatever_order_they_come) {
  for (scheduled const& s : every_schedule(5))
    expect_reduction<triple>({.n = 2000, .launches = 2}, compose_triples{}, s);
}
TEST(device_reduce, has_the_bits_of_the_tree_in_the_tiles_it_ships_with) {
  using shape = tile_shape<16, 8, 4>;
  for (std::size_t const n : sizes{16383, 16384, 40000})
    expect_reduction<float, plus, shape>({.n = n}, plus{}, {.check = false});
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_reduce, is_right_for_every_associative_operator) {
  for (std::size_t n = 1; n <= (slow_build ? 40 : 200); ++n)
    expect_reduction<element_run>({.n = n}, join_element_runs{});
  for (scheduled const& s : every_schedule(5))
    for (std::size_t const n : sizes{1, 32, 63, 64, 65, 128, 129, 997, 1025, 2000})
      expect_reduction<element_run>({.n = n, .launches = 2}, join_element_runs{}, s);
}
#endif

}  // namespace
}  // namespace upsweep::test
