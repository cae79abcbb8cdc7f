/// The short way of calls without options over arrays of NumPy in one piece: one call from Python,
/// which makes no view and no array.
#include <python/binding/columns.hpp>
#include <python/binding/module.hpp>

#include <nanobind/stl/string_view.h>

#include <array>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

namespace upsweep::python {
namespace {

using dynamic::call_entry;
using dynamic::dtype;

/// The library's type of elements that NumPy describes so, or -1.
int place_of(nb::dlpack::dtype const& t) {
  if (t.lanes != 1 || t.bits < 8 || t.bits > 64 || !std::has_single_bit(unsigned{t.bits}))
    return -1;
  int const log2_bytes = std::countr_zero(unsigned{t.bits}) - 3;
  auto const at = [](dtype first, int further) { return static_cast<int>(first) + further; };
  switch (static_cast<nb::dlpack::dtype_code>(t.code)) {
    case nb::dlpack::dtype_code::Int:
      return at(dtype::i8, log2_bytes);
    case nb::dlpack::dtype_code::UInt:
      return at(dtype::u8, log2_bytes);
    case nb::dlpack::dtype_code::Bool:
      return at(dtype::boolean, 0);
    case nb::dlpack::dtype_code::Float:
      return log2_bytes == 1   ? at(dtype::f16, 0)
             : log2_bytes == 2 ? at(dtype::f32, 0)
             : log2_bytes == 3 ? at(dtype::f64, 0)
                               : -1;
    default:
      return -1;
  }
}

template <class Array>
bool in_one_piece(Array const& x) {
  std::int64_t expected = 1;
  for (std::size_t d = x.ndim(); d-- > 0;) {
    if (x.shape(d) != 1 && x.stride(d) != expected) return false;
    expected *= static_cast<std::int64_t>(x.shape(d));
  }
  return reinterpret_cast<std::uintptr_t>(x.data()) % x.itemsize() == 0;
}

/// The lines of an array in one piece along an axis.
template <class Array>
axis_lines lines_along(Array const& x, std::size_t axis) {
  std::size_t outer = 1, inner = 1;
  for (std::size_t d = 0; d < axis; ++d) outer *= x.shape(d);
  for (std::size_t d = axis + 1; d < x.ndim(); ++d) inner *= x.shape(d);
  auto* const first = const_cast<void*>(static_cast<void const*>(x.data()));
  auto const step = static_cast<std::ptrdiff_t>(inner);
  auto const size = x.shape(axis);
  return {static_cast<std::byte*>(first),
          x.itemsize(),
          outer,
          inner,
          size,
          step * static_cast<std::ptrdiff_t>(size),
          1,
          step};
}

/// A result of any entry that has numbers as results.
nb::object number_at(void const* at, dtype t) {
  return dynamic::dispatch(
      dynamic::numbers_and_bool{}, t,
      [&]<class T>() -> nb::object {
        T value;
        std::memcpy(&value, at, sizeof(T));
        if constexpr (std::is_same_v<T, bool>)
          return nb::bool_(value);
        else if constexpr (std::is_integral_v<T>)
          return nb::int_(value);
        else
          return nb::float_(static_cast<double>(value));
      },
      [] { return nb::object(); });
}

/// The entries of one operator, by the type of the elements.
class short_way {
 public:
  explicit short_way(settings const& on) : on_(on) {}

  /// Elements of that type are taken; a reduction is returned as `scalar`, a type of NumPy.
  void add(std::string_view type, call_entry const& e, nb::object scalar) {
    auto const t = static_cast<std::size_t>(type_named(type));
    entries_[t] = &e;
    scalars_[t] = std::move(scalar);
  }

  /// The reduction of all elements, or None if the array has to be prepared first.
  [[nodiscard]] nb::object reduce(nb::handle array) const {
    input x;
    if (!nb::try_cast(array, x)) return nb::none();
    int const place = place_of(x.dtype());
    call_entry const* const e = entry_for(x);
    if (!e) return nb::none();
    alignas(8) std::byte result[8];
    computing(x.size(), [&] { e->reduce(x.data(), x.size(), {on_.executor()}, result); });
    return scalars_[static_cast<std::size_t>(place)](number_at(result, e->result));
  }

  /// Stores the reductions of the lines along an axis in an array; false as None above.
  [[nodiscard]] bool reduce_lines(nb::handle array, std::size_t axis, output const& out) const {
    input x;
    if (!nb::try_cast(array, x) || axis >= x.ndim()) return false;
    call_entry const* const e = entry_for(x);
    if (!e) return false;
    axis_lines const in = lines_along(x, axis);
    if (!has_room(out, *e, in.count())) return false;
    auto* const to = static_cast<std::byte*>(out.data());
    computing(x.size(), [&] { python::reduce_lines(*e, in, {on_.executor()}, to); });
    return true;
  }

  /// Stores the inclusive scans of the lines along an axis in an array of the same shape, which may
  /// be `array`; false as None above.
  [[nodiscard]] bool scan(nb::handle array, std::size_t axis, nb::handle results) const {
    input x;
    output out;
    if (!nb::try_cast(array, x) || !nb::try_cast(results, out) || axis >= x.ndim()) return false;
    call_entry const* const e = entry_for(x);
    if (!e || !has_room(out, *e, x.size()) || out.ndim() != x.ndim()) return false;
    if (overlap(x, out) && (x.data() != out.data() || x.itemsize() != out.itemsize())) return false;
    computing(x.size(), [&] {
      if (x.ndim() == 1) return e->inclusive_scan(x.data(), x.size(), {on_.executor()}, out.data());
      scan_lines(*e, dynamic::verb::inclusive_scan, lines_along(x, axis), {on_.executor()},
                 lines_along(out, axis));
    });
    return true;
  }

  /// Stores the reductions of segments in other memory; false as None above.
  [[nodiscard]] bool reduce_segments(nb::handle array, nb::handle offsets,
                                     output const& out) const {
    return run_segments(dynamic::verb::reduce, array, offsets, out);
  }
  /// The same of inclusive scans.
  [[nodiscard]] bool scan_segments(nb::handle array, nb::handle offsets, output const& out) const {
    return run_segments(dynamic::verb::inclusive_scan, array, offsets, out);
  }

 private:
  /// The entry for the elements of an array that need not be prepared first, or null.
  call_entry const* entry_for(input const& x) const {
    int const place = place_of(x.dtype());
    if (place < 0 || x.size() == 0 || !in_one_piece(x)) return nullptr;
    return entries_[static_cast<std::size_t>(place)];
  }
  static bool has_room(output const& out, call_entry const& e, std::size_t results) {
    return out.itemsize() == bytes_out(e) && out.size() == results && in_one_piece(out);
  }
  static bool overlap(input const& x, output const& out) {
    auto const begin = reinterpret_cast<std::uintptr_t>(x.data());
    auto const to = reinterpret_cast<std::uintptr_t>(out.data());
    return begin < to + out.nbytes() && to < begin + x.nbytes();
  }
  bool run_segments(dynamic::verb v, nb::handle array, nb::handle offsets,
                    output const& out) const {
    input x, borders;
    if (!nb::try_cast(array, x) || !nb::try_cast(offsets, borders)) return false;
    call_entry const* const e = entry_for(x);
    int const type = place_of(borders.dtype());
    bool const counts =
        type == static_cast<int>(dtype::i64) || type == static_cast<int>(dtype::u64);
    if (!e || x.ndim() != 1 || borders.ndim() != 1 || borders.size() == 0 || !counts ||
        !in_one_piece(borders))
      return false;
    auto const* const first = static_cast<std::uint64_t const*>(borders.data());
    dynamic::segments const s{x.data(), x.size(), first, borders.size() - 1};
    if (*first != 0 || !has_room(out, *e, v == dynamic::verb::reduce ? s.count : s.n)) return false;
    computing(s.n + s.count,
              [&] { dynamic::run_segments(v, *e, s, {on_.executor()}, out.data()); });
    return true;
  }

  static constexpr std::size_t types = std::size(dynamic::all_dtypes);
  settings on_;
  std::array<call_entry const*, types> entries_{};
  std::array<nb::object, types> scalars_;
};

}  // namespace

void add_short_ways(nb::module_& m) {
  nb::class_<short_way>(m, "ShortWay", "The entries of an operator, for calls without options.")
      .def(nb::init<settings const&>())
      .def("add", &short_way::add)
      .def("reduce", &short_way::reduce)
      .def("reduce_lines", &short_way::reduce_lines)
      .def("scan", &short_way::scan)
      .def("reduce_segments", &short_way::reduce_segments)
      .def("scan_segments", &short_way::scan_segments);
}

}  // namespace upsweep::python
