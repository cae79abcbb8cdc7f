/// The windows of the CUDA backend on the emulator: each with the bits of its own reduction, at
/// every width, on every schedule, without a finding.
#include <device/on_sim.hpp>
#include <upsweep/cuda/windows/blocks.hpp>
#include <upsweep/cuda/windows/windows.hpp>
#include <upsweep/ops/min_max.hpp>

namespace upsweep::test {
namespace {

using namespace device;

/// 64 threads: windows of up to 128 of 320 elements.
using small_tile = window_shape<2, 5, 2, 1>;
/// 32 threads: windows of up to 64 of 288 elements, which are one block of the last digit.
using tile_of_long_chains = window_shape<1, 9, 3, 1>;

/// One launch over x[0 .. n), the elements of which are on the emulator.
template <class Shape, class T, class Op, class Sink, class A = accumulator_t<Op, T>>
void launch(sim::machine& m, T const* x, std::size_t n, Op const& op, Sink const& out,
            window_call<A> const& call, bool vectors = true) {
  using source = element_source<T, T const*, upsweep::detail::as_is, Op, false>;
  auto const tile = static_cast<std::size_t>(Shape::windows(call.width));
  auto const arrays = static_cast<std::size_t>(Shape::arrays(call.width, call.totals != nullptr));
  m.launch({.name = "windows",
            .blocks = {static_cast<unsigned>((call.count + tile - 1) / tile)},
            .threads = {unsigned{Shape::threads}},
            .shared_bytes =
                sizeof(boxed<A>) * static_cast<std::size_t>(Shape::room(call.width)) * arrays},
           windows<Shape, source, Sink>, source{x, n, {}, op, vectors}, out, call);
}

template <class T>
struct window_case {
  std::size_t n, width;
  std::optional<T> initial{};
  unsigned offset = 0;  ///< elements by which the input is misaligned
};

/// The window that begins at i, by the reference.
template <class T, class Op, class A>
A expected_window(std::vector<T> const& x, std::size_t i, std::size_t width, Op const& op,
                  std::optional<A> const& initial) {
  auto const begin = x.begin() + static_cast<std::ptrdiff_t>(i);
  std::vector<A> const window(begin, begin + static_cast<std::ptrdiff_t>(width));
  A const total = reference::prefix(window, width, op);
  return initial ? static_cast<A>(op(*initial, total)) : total;
}

constexpr std::size_t fence = 64;

template <class Shape, class T, class Op>
void expect_windows(window_case<T> const& c, Op const& op, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "n = " << c.n << ", width " << c.width << ", " << s << ", "
                                  << seed_note());
  sim::machine m = machine_for(s);
  std::size_t const count = c.n - c.width + 1;
  auto const x = elements_for<T>(c.n);
  auto* const in = m.allocate<T>(c.offset + c.n, "in") + c.offset;
  m.to_device(in, std::span<T const>(x));
  auto const guard = elements_for<T>(fence, 7);
  auto* const out = m.allocate<T>(count + 2 * fence, "out") + fence;
  m.to_device(out - fence, std::span<T const>(guard));
  m.to_device(out + count, std::span<T const>(guard));
  launch<Shape>(m, in, c.n, op, element_sink<T, T*, Op, false>{out, count, op, c.offset == 0},
                window_call<T>{count, 0, static_cast<unsigned>(c.width), nullptr,
                               c.initial.value_or(T{}), c.initial.has_value()},
                c.offset == 0);
  auto const got = m.to_host(out, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_TRUE(same_bits(got[i], expected_window(x, i, c.width, op, c.initial)))
        << "window " << i << " of " << count;
  EXPECT_TRUE(m.to_host(out - fence, fence) == guard && m.to_host(out + count, fence) == guard)
      << "wrote outside its output";
  expect_no_finding(m);
}

TEST(device_windows, have_the_bits_of_their_own_reduction_at_every_width) {
  static_assert(small_tile::widest == 128 && tile_of_long_chains::widest == 64);
  for (std::size_t width = 1; width <= small_tile::widest; ++width)
    for (std::size_t const n : {width, width + 1, std::size_t{256}, std::size_t{700}})
      if (n == 700 || width % 9 < 2 || (width & (width - 1)) == 0)
        expect_windows<small_tile, float>({n, width}, plus{});
  for (std::size_t width = 1; width <= tile_of_long_chains::widest; ++width)
    expect_windows<tile_of_long_chains, float>({900, width}, plus{});
}
TEST(device_windows, have_them_at_every_border_of_tiles) {
  for (std::size_t const width : {1u, 2u, 3u, 33u, 100u, 128u}) {
    auto const tile = static_cast<std::size_t>(small_tile::windows(width));
    for (std::size_t const tiles : {1u, 2u, 5u})
      for (std::size_t const count : {tile * tiles - 1, tile * tiles, tile * tiles + 1})
        for (unsigned const offset : {0u, 1u})
          expect_windows<small_tile, float>({count + width - 1, width, 0.5f, offset}, plus{});
  }
}
TEST(device_windows, keep_the_order_of_operands_of_every_size) {
  for (std::size_t const width : {1u, 2u, 6u, 31u, 77u, 127u}) {
    expect_windows<small_tile, affine_map<double>>({600, width}, affine{});
    expect_windows<small_tile, triple>({600, width, triple{3, 5, 7}}, compose_triples{});
    expect_windows<small_tile, wide>({300, width}, join_wide{});
    expect_windows<small_tile, double>({600, width}, plus{});
    expect_windows<small_tile, std::uint8_t>({600, width}, max{});
  }
}
TEST(device_windows, are_right_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (std::size_t const width : {2u, 13u, 64u, 121u}) {
      expect_windows<small_tile, float>({1500, width}, plus{}, s);
      if (width <= 64) expect_windows<tile_of_long_chains, float>({1500, width, 2.0f}, plus{}, s);
    }
}

/// Windows of 2^7 * digit + rest elements: the blocks of 128 elements, those of 1024, the windows
/// of the larger digits, and the rest.
template <class T, class Op>
void expect_wide_windows(std::size_t width, Op const& op, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "width " << width << ", " << s << ", " << seed_note());
  constexpr std::size_t base = small_tile::widest, next = base << wide_levels;
  sim::machine m = machine_for(s);
  std::size_t const n = width + 300, count = n - width + 1;
  auto const x = elements_for<T>(n);
  auto const room = [&](std::size_t size) { return m.allocate<T>(size, "scratch"); };
  auto* const in = room(n);
  m.to_device(in, std::span<T const>(x));
  T *const blocks = room(n), *const next_blocks = room(n), *const totals = room(count),
           *const out = room(count);
  std::size_t const block_count = n - base + 1;
  launch<small_tile>(m, in, n, op, window_totals<T>{blocks, block_count},
                     window_call<T>{block_count, 0, unsigned{base}, nullptr, T{}, false});
  auto const digit = [&](T const* from, std::size_t apart, int bits, T* to, std::size_t windows,
                         std::size_t offset, T const* before) {
    m.launch({.name = "window_blocks",
              .blocks = {static_cast<unsigned>((windows + 63) / 64)},
              .threads = {64}},
             window_blocks<window_totals<T>, T, Op>, wide_digit<T>{from, apart, bits},
             window_totals<T>{to, windows}, window_call<T>{windows, offset, 0, before, T{}, false},
             op);
  };
  T const* before = nullptr;
  if (width >= next) {
    digit(blocks, base, 1 << wide_levels, next_blocks, n - next + 1, 0, nullptr);
    digit(next_blocks, next, static_cast<int>(width / next), totals, count, 0, nullptr);
    before = totals;
  }
  if (int const bits = static_cast<int>(width / base % (1 << wide_levels)); bits != 0) {
    digit(blocks, base, bits, totals, count, width / next * next, before);
    before = totals;
  }
  launch<small_tile>(m, in, n, op, element_sink<T, T*, Op, false>{out, count, op, true},
                     window_call<T>{count, width / base * base, static_cast<unsigned>(width % base),
                                    before, T{}, false});
  auto const got = m.to_host(out, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_TRUE(same_bits(got[i], expected_window(x, i, width, op, std::optional<T>{})))
        << "window " << i << " of " << count;
  expect_no_finding(m);
}
TEST(device_windows, that_are_wider_than_half_a_tile_are_made_of_blocks) {
  for (std::size_t const width :
       {129u, 255u, 256u, 300u, 895u, 1023u, 1024u, 1025u, 1279u, 2047u, 2048u, 3333u})
    expect_wide_windows<float>(width, plus{});
  expect_wide_windows<triple>(1501, compose_triples{});
  for (scheduled const& s : every_schedule()) expect_wide_windows<float>(1501, plus{}, s);
}

}  // namespace
}  // namespace upsweep::test
