/// The windows of the CUDA backend on the emulator: each with the bits of its own reduction, at
/// every width, on every schedule, without a finding.
#include <kernels_on_sim/on_sim.hpp>
#include <upsweep/cuda/windows/windows.hpp>
#include <upsweep/ops/min_max.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace upsweep::test {
namespace {

/// Delays of up to 256 elements in registers; windows of up to 511 elements.
using in_registers = window_shape<4, 9, 9, 1>;
/// Delays of 32 and 64 elements in registers, of up to 512 in shared memory; windows of up to 1024.
using in_rings = window_shape<2, 7, 10, 1>;
/// Delays within a row only; windows of up to 63 elements.
using in_lanes = window_shape<8, 5, 5, 1>;
/// One row at a time.
using by_rows = window_shape<1, 6, 8, 1>;

/// One launch over x[0 .. n), the elements of which are on the emulator. A warp has `strip`
/// windows.
template <class Shape, bool extends = false, class T, class Op, class Sink,
          class A = accumulator_t<Op, T>>
void launch(sim::machine& m, T const* x, std::size_t n, Op const& op, Sink const& out,
            window_call<A> const& call, std::size_t strip) {
  using source = element_source<T, T const*, upsweep::detail::as_is, Op, false>;
  std::size_t const windows = strip * Shape::warps;
  m.launch({.name = "windows",
            .blocks = {static_cast<unsigned>((call.count + windows - 1) / windows)},
            .threads = {unsigned{Shape::threads}},
            .shared_bytes = sizeof(boxed<A>) * Shape::warps *
                            (Shape::has_rings ? Shape::ring_values(call.width, extends) : 0)},
           device::windows<Shape, extends, source, Sink>, source{x, n, {}, op, false}, out, call,
           strip);
}

template <class T>
struct window_case {
  std::size_t n, width;
  std::optional<T> initial{};
  std::size_t strip = 160;
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
  auto* const in = m.allocate<T>(c.n, "in");
  m.to_device(in, std::span<T const>(x));
  auto const guard = elements_for<T>(fence, 7);
  auto* const out = m.allocate<T>(count + 2 * fence, "out") + fence;
  m.to_device(out - fence, std::span<T const>(guard));
  m.to_device(out + count, std::span<T const>(guard));
  launch<Shape>(m, in, c.n, op, element_sink<T, T*, Op, false>{out, count, op, false},
                window_call<T>{count, 0, static_cast<unsigned>(c.width), nullptr,
                               c.initial.value_or(T{}), c.initial.has_value()},
                c.strip);
  auto const got = m.to_host(out, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_TRUE(same_bits(got[i], expected_window(x, i, c.width, op, c.initial)))
        << "window " << i << " of " << count;
  EXPECT_TRUE(m.to_host(out - fence, fence) == guard && m.to_host(out + count, fence) == guard)
      << "wrote outside its output";
  expect_no_finding(m);
}

TEST(device_windows, have_the_bits_of_their_own_reduction_at_every_width) {
  for (std::size_t width = 1; width <= 1024; width += width < 140 || width % 128 > 125 ? 1 : 9)
    for (std::size_t const n : {width, width + 400}) {
      if (width < 1024) expect_windows<in_registers, float>({n, width}, plus{});
      if (width < 64) expect_windows<in_lanes, float>({n, width}, plus{});
      expect_windows<in_rings, float>({n, width}, plus{});
      if (width <= 256) expect_windows<by_rows, float>({n, width}, plus{});
    }
}
TEST(device_windows, have_them_at_every_border_of_strips) {
  one_in taken{5};
  for (std::size_t const width : {1u, 2u, 33u, 100u, 127u, 128u, 129u, 900u})
    for (std::size_t const strip : {32u, 128u, 224u})
      for (std::size_t const strips : {1u, 4u, 5u})
        for (std::size_t const count : {strip * strips - 1, strip * strips, strip * strips + 1}) {
          window_case<float> const c{count + width - 1, width, 0.5f, strip};
          if (taken()) expect_windows<in_registers, float>(c, plus{});
          if (taken()) expect_windows<in_rings, float>(c, plus{});
        }
}
TEST(device_windows, keep_the_order_of_operands_of_every_size) {
  for (std::size_t const width : {1u, 2u, 6u, 31u, 77u, 127u, 250u}) {
    expect_windows<in_rings, affine_map<double>>({600, width}, affine{});
    expect_windows<by_rows, triple>({600, width, triple{3, 5, 7}}, compose_triples{});
    expect_windows<by_rows, wide>({300, width}, join_wide{});
    expect_windows<in_rings, double>({600, width}, plus{});
    expect_windows<in_registers, std::uint8_t>({600, width}, max{});
  }
}
TEST(device_windows, are_right_on_every_schedule) {
  for (scheduled const& s : every_schedule())
    for (std::size_t const width : {2u, 13u, 64u, 511u, 1000u}) {
      expect_windows<in_registers, float>({1500, width}, plus{}, s);
      expect_windows<in_rings, float>({1500, width, 2.0f}, plus{}, s);
    }
}

/// Windows of 2^8 * digit + rest elements: the blocks of 256 elements, those of 2048, the windows
/// of the larger digits, and the rest.
template <class T, class Op>
void expect_wide_windows(std::size_t width, Op const& op, scheduled const& s = {}) {
  SCOPED_TRACE(testing::Message() << "width " << width << ", " << s << ", " << seed_note());
  constexpr std::size_t base = 256, next = base << wide_levels;
  sim::machine m = machine_for(s);
  std::size_t const n = width + 300, count = n - width + 1;
  auto const x = elements_for<T>(n);
  auto const room = [&](std::size_t size) { return m.allocate<T>(size, "scratch"); };
  auto* const in = room(n);
  m.to_device(in, std::span<T const>(x));
  T *const blocks = room(n), *const next_blocks = room(n), *const totals = room(count),
           *const out = room(count);
  std::size_t const block_count = n - base + 1;
  launch<by_rows>(m, in, n, op, window_totals<T>{blocks},
                  window_call<T>{block_count, 0, unsigned{base}, nullptr, T{}, false}, 96);
  auto const digit = [&](T const* from, std::size_t apart, int bits, T* to, std::size_t windows,
                         std::size_t offset, T const* before) {
    m.launch({.name = "window_blocks",
              .blocks = {static_cast<unsigned>((windows + 63) / 64)},
              .threads = {64}},
             window_blocks<window_totals<T>, T, Op>, wide_digit<T>{from, apart, bits},
             window_totals<T>{to}, window_call<T>{windows, offset, 0, before, T{}, false}, op);
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
  launch<by_rows, true>(m, in, n, op, element_sink<T, T*, Op, false>{out, count, op, false},
                        window_call<T>{count, width / base * base,
                                       static_cast<unsigned>(width % base), before, T{}, false},
                        96);
  auto const got = m.to_host(out, count);
  for (std::size_t i = 0; i < count; ++i)
    ASSERT_TRUE(same_bits(got[i], expected_window(x, i, width, op, std::optional<T>{})))
        << "window " << i << " of " << count;
  expect_no_finding(m);
}
TEST(device_windows, that_are_too_wide_for_a_launch_are_made_of_blocks) {
  for (std::size_t const width :
       {257u, 300u, 511u, 513u, 895u, 1023u, 1025u, 1279u, 2047u, 2049u, 3333u})
    expect_wide_windows<float>(width, plus{});
  expect_wide_windows<triple>(1501, compose_triples{});
  for (scheduled const& s : every_schedule()) expect_wide_windows<float>(1501, plus{}, s);
}
#ifdef UPSWEEP_FULL_TESTS
TEST(device_windows, are_right_for_every_associative_operator) {
  for (scheduled const& s : every_schedule())
    for (std::size_t const width : {1u, 2u, 6u, 31u, 33u, 77u, 128u, 250u}) {
      expect_windows<by_rows, element_run>({600, width}, join_element_runs{}, s);
      expect_windows<in_rings, element_run>({600, width}, join_element_runs{}, s);
    }
}
#endif

}  // namespace
}  // namespace upsweep::test
