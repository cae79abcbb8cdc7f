/// Inclusive scans by sums of many neighboring lines, row by row (generic/lines).
#include <python/binding/columns.hpp>

#include <upsweep/generic/lines/columns.hpp>
#include <upsweep/host/registers.hpp>
#include <upsweep/ops/arithmetic.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace upsweep::python {
namespace {

using summed_types = dynamic::types<float, double, std::int64_t, std::uint64_t>;

template <class T>
void scan_block(axis_lines const& x, axis_lines const& out, std::size_t o, std::size_t i,
                std::size_t columns) {
  using form = detail::column_operator<plus, T>;
  plus const op;
  auto const rows = [&]<class U>(axis_lines const& of, U* first) {
    return detail::column_rows<U>{first, of.stride, of.size, columns};
  };
  host::in_widest_registers<host::registers::avx2>([&]() UPSWEEP_INLINED {
    detail::column_scan<scan_kind::inclusive, false, form, T, T>(
        form{op}, rows(x, reinterpret_cast<T const*>(x.line(o, i))),
        rows(out, reinterpret_cast<T*>(out.line(o, i))), nullptr, nullptr)
        .run();
  });
}

/// Whether the operator is a sum of such elements, whose results have their type.
bool is_plain_sum(dynamic::call_entry const& e) {
  return e.op == catalog::id::sum && e.element == e.result &&
         dynamic::dispatch(
             summed_types{}, e.element, []<class T>() { return true; }, [] { return false; });
}
/// Whether adjacent lines are adjacent in memory.
bool has_columns(axis_lines const& x) {
  return x.stride_inner == 1 && x.inner >= 2 && !x.contiguous();
}

}  // namespace

bool scans_columns(dynamic::call_entry const& e, axis_lines const& x, axis_lines const& out) {
  return is_plain_sum(e) && has_columns(x) && has_columns(out);
}

void scan_columns(cpu const& on, dynamic::dtype t, axis_lines const& x, axis_lines const& out) {
  dynamic::dispatch(
      summed_types{}, t,
      [&]<class T>() {
        constexpr std::size_t width = detail::column_values<T>::width;
        std::size_t const blocks = (x.inner + width - 1) / width;
        on.for_each_part(x.outer * blocks, width * x.size, [&](std::size_t job) {
          std::size_t const o = job / blocks, i = job % blocks * width;
          scan_block<T>(x, out, o, i, std::min(width, x.inner - i));
        });
      },
      [] { detail::fail("_core: no running sums of columns of this type"); });
}

}  // namespace upsweep::python
