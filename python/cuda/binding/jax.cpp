/// Calls from programs that XLA has compiled for a GPU, for JAX: recurrences, running sums, sums of
/// segments and products, over buffers of XLA, in its streams. None waits.
#include <python/binding/xla_call.hpp>
#include <python/cuda/binding/arrays.hpp>
#include <python/cuda/binding/lines.hpp>
#include <upsweep/cuda/anchored/on_gpu.hpp>
#include <upsweep/cuda/elementwise/on_gpu.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/cuda/segments/on_gpu.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <iterator>

namespace upsweep::python {
namespace {

using lane_type = host::simd::lane_type;

gpu executor_of(xla_call const& c) {
  return {.stream = static_cast<CUstream_st*>(c.stream())};
}
lane_type type_of(xla_array const& x) {
  constexpr int types[] = {xla::f16, xla::bf16, xla::f32, xla::f64, xla::c64, xla::c128};
  auto const* const found = std::find(std::begin(types), std::end(types), x.type());
  detail::expects(found != std::end(types), "_core: not a type of recurrences");
  return static_cast<lane_type>(found - types);
}
/// Of a buffer whose last dimension are the two halves of integers of 64 bits, which XLA may not
/// have.
std::int64_t* integers(xla_array const& x) {
  return x.elements<std::int64_t>();
}

/// As on the CPU, but for positions, whose numbers are not checked.
void linear_recurrence(xla_call const& c) {
  xla_array const a = c.in(0);
  std::size_t const lead = a.rank() - 2, tokens = a.dim(lead), lanes = a.dim(lead + 1);
  auto const elements = [&](xla_array const& x) {
    auto const row = static_cast<std::ptrdiff_t>(lanes);
    return device::anchored_elements{x.bytes(), row * static_cast<std::ptrdiff_t>(tokens), row, 1};
  };
  auto const state = [&](auto const& of) {
    return device::anchored_memory{of(0).bytes(), of(1).bytes(), integers(of(2))};
  };
  device::anchored_recurrence_on(
      executor_of(c),
      {type_of(a), elements(a), elements(c.in(1)), elements(c.out(0)), a.count(0, lead), tokens,
       lanes, nullptr, state([&](std::size_t k) { return c.in(2 + k); }),
       state([&](std::size_t k) { return c.out(1 + k); }), c.number("reverse") != 0});
}

/// Of floats [outer, size, inner] along the middle.
void scan_sums(gpu const& on, dynamic::dtype type, void const* x, void* out,
               std::array<std::size_t, 3> const& extents, bool reverse) {
  auto const inner = static_cast<std::ptrdiff_t>(extents[2]);
  std::array const strides{static_cast<std::ptrdiff_t>(extents[1]) * inner, inner,
                           std::ptrdiff_t{1}};
  if (scan_lines({on,
                  catalog::id::sum,
                  type,
                  {const_cast<void*>(x), extents, strides},
                  {out, extents, strides},
                  1,
                  reverse,
                  nullptr}))
    return;
  detail::expects(inner == 1, "_core: few long lines have gaps");
  upsweep_cuda_options how = UPSWEEP_CUDA_OPTIONS_INIT;
  if (reverse) how.flags = UPSWEEP_REVERSE;
  bool const wide = type == dynamic::dtype::f64;
  std::size_t const row = extents[1] * (wide ? 8 : 4);
  for (std::size_t k = 0; k < extents[0]; ++k)
    detail::expects(upsweep_cuda_inclusive_scan(
                        wide ? UPSWEEP_F64 : UPSWEEP_F32, UPSWEEP_SUM,
                        static_cast<std::byte const*>(x) + k * row, extents[1], &how,
                        static_cast<std::byte*>(out) + k * row, on.stream) == UPSWEEP_OK,
                    "cumsum: a call of CUDA failed");
}
/// x to its running sums, along the dimension before the `trailing` last. Elements of 16 bits have
/// a second result, in whose memory they are added.
void cumsum(xla_call const& c) {
  xla_array const x = c.in(0), out = c.out(0);
  std::size_t const axis = x.rank() - 1 - static_cast<std::size_t>(c.number("trailing"));
  std::array const extents{x.count(0, axis), x.dim(axis), x.count(axis + 1, x.rank())};
  if (x.size() == 0) return;
  gpu const on = executor_of(c);
  bool const reverse = c.number("reverse") != 0;
  if (x.type() == xla::f32)
    return scan_sums(on, dynamic::dtype::f32, x.bytes(), out.bytes(), extents, reverse);
  if (x.type() == xla::f64)
    return scan_sums(on, dynamic::dtype::f64, x.bytes(), out.bytes(), extents, reverse);
  auto* const wide = c.out(1).elements<float>();
  device::widen_on(on, type_of(x), x.bytes(), wide, x.size());
  scan_sums(on, dynamic::dtype::f32, wide, wide, extents, reverse);
  device::narrow_on(on, type_of(x), wide, out.bytes(), x.size());
}

/// As on the CPU, but for offsets, whose numbers are not checked.
void segment_sum(xla_call const& c) {
  xla_array const x = c.in(0), offsets = c.in(1), out = c.out(0);
  std::size_t const axis = x.rank() - 1 - static_cast<std::size_t>(c.number("trailing"));
  std::size_t const outer = x.count(0, axis), size = x.dim(axis),
                    inner = x.count(axis + 1, x.rank()), borders = offsets.dim(offsets.rank() - 2),
                    segments = borders - 1;
  if (out.size() == 0) return;
  std::size_t const bytes = x.type() == xla::f64 ? 8 : x.type() == xla::f32 ? 4 : 2;
  for (std::size_t o = 0; o < outer; ++o)
    device::sum_rows_on(executor_of(c), {type_of(x), x.bytes() + o * size * inner * bytes, nullptr,
                                         integers(offsets) + o * borders, segments, size, inner,
                                         out.bytes() + o * segments * inner * bytes});
}

void product(xla_call const& c) {
  device::multiply_on(executor_of(c), type_of(c.in(0)), c.in(0).bytes(), c.in(1).bytes(),
                      c.out(0).bytes(), c.out(0).size());
}

nb::dict handlers() {
  nb::dict all;
  all["linear_recurrence"] = xla_capsule<linear_recurrence>();
  all["cumsum"] = xla_capsule<cumsum>();
  all["segment_sum"] = xla_capsule<segment_sum>();
  all["product"] = xla_capsule<product>();
  return all;
}

}  // namespace

void add_jax(nb::module_& m) {
  m.def("xla_handlers", handlers, "The handlers of XLA's calls on a GPU, by name.");
}

}  // namespace upsweep::python
