/// Compiled scans and reductions along an axis: sums, and extrema of floats.
#include <python/cuda/binding/lines.hpp>
#include <upsweep/cuda.cuh>

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
  return lines.fit && !lines.in.empty() && run(Op{}, lines, static_cast<R const*>(c.initial));
}

template <class Run>
bool run_any(lines_call const& c, Run const& run) {
  std::optional<bool> done;
  auto const as = [&]<class Op, class... T>(dynamic::types<T...>) {
    ((done = done ? done : run_as<T, Op>(c, run)), ...);
  };
  as.template operator()<plus>(dynamic::four_widest{});
  as.template operator()<min>(dynamic::wide_floats{});
  as.template operator()<max>(dynamic::wide_floats{});
  return done.value_or(false);
}

}  // namespace

bool scan_lines(lines_call const& c) {
  return run_any(c, [&](auto op, auto const& lines, auto const* initial) {
    return c.on.scan_lines<scan_kind::inclusive>(lines, c.reverse, op, initial, initial);
  });
}

bool reduce_lines(lines_call const& c) {
  return run_any(c, [&](auto op, auto const& lines, auto const* initial) {
    return c.on.reduce_lines(lines, c.reverse, op, initial);
  });
}

}  // namespace upsweep::python
