/// Compiled scans and reductions along an axis: sums, and extrema of floats; of scans also products
/// of floats, and maxima of positions.
#include <python/cuda/binding/lines.hpp>
#include <upsweep/cuda.cuh>
#include <upsweep/cuda/segments/on_gpu.hpp>

#include <cstdint>
#include <optional>
#include <utility>

namespace upsweep::python {
namespace {

template <class T>
strided_view<T> view_of(strided_memory const& x) {
  return {static_cast<T*>(x.first), x.extents, x.strides};
}

/// Calls run(op, lines, initial) for the call's operator and type, if they are these.
template <class T, class Op, class Run>
std::optional<bool> run_as(lines_call const& c, Run const& run) {
  if (c.op != catalog::id_of<Op> || c.type != dynamic::dtype_of<T>) return {};
  using R = accumulator_t<Op, T>;
  auto const lines =
      detail::line_matrices_of<T const, R>(view_of<T const>(c.in), view_of<R>(c.out), c.axis);
  if (!lines.fit || lines.in.empty()) return false;
  std::optional<R> initial;
  if (c.initial != nullptr) initial = *static_cast<R const*>(c.initial);
  detail::start_of<Op, R> const start(Op{}, initial);
  return run(Op{}, lines, start.get());
}

template <class Op, class... T, class Run>
void run_types(std::optional<bool>& done, lines_call const& c, dynamic::types<T...>,
               Run const& run) {
  ((done = done ? done : run_as<T, Op>(c, run)), ...);
}

/// The sums and extrema, which scans and reductions share.
template <class Run>
std::optional<bool> run_any(lines_call const& c, Run const& run) {
  std::optional<bool> done;
  run_types<plus>(done, c, dynamic::four_widest{}, run);
  run_types<min>(done, c, dynamic::wide_floats{}, run);
  run_types<max>(done, c, dynamic::wide_floats{}, run);
  return done;
}

/// Running sums of floats of lines one after another, for few long lines.
template <class T>
bool scan_contiguous(lines_call const& c) {
  std::size_t const dimensions = c.in.extents.size();
  if (c.op != catalog::id_of<plus> || c.type != dynamic::dtype_of<T> || c.initial != nullptr ||
      c.axis + 1 != dimensions)
    return false;
  std::size_t elements = 1;
  for (std::size_t d = dimensions; d-- > 0; elements *= c.in.extents[d])
    for (auto const stride : {c.in.strides[d], c.out.strides[d]})
      if (c.in.extents[d] > 1 && stride != static_cast<std::ptrdiff_t>(elements)) return false;
  std::size_t const size = c.in.extents[c.axis], count = size == 0 ? 0 : elements / size;
  // Calls one after another are faster for longer lines (H200).
  if (count < 2 || (!c.reverse && size > std::size_t{1} << 22)) return false;
  device::scan_sum_lines_on(c.on, static_cast<T const*>(c.in.first), count, size, c.reverse,
                            static_cast<T*>(c.out.first));
  return true;
}

}  // namespace

bool scan_lines(lines_call const& c) {
  auto const run = [&](auto op, auto const& lines, auto const* initial) {
    return c.on.scan_lines<scan_kind::inclusive>(lines, c.reverse, op, initial, initial);
  };
  auto done = run_any(c, run);
  run_types<multiplies>(done, c, dynamic::wide_floats{}, run);
  run_types<max>(done, c, dynamic::types<std::int64_t>{}, run);  // of positions
  return done.value_or(false) || scan_contiguous<float>(c) || scan_contiguous<double>(c);
}

bool reduce_lines(lines_call const& c) {
  auto const done = run_any(c, [&](auto op, auto const& lines, auto const* initial) {
    return c.on.reduce_lines(lines, c.reverse, op, initial);
  });
  return done.value_or(false);
}

}  // namespace upsweep::python
