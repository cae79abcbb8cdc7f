/// The short way of calls without options over arrays of NumPy in one piece: one call from Python,
/// which makes no view and no array.
#include <python/binding/columns.hpp>
#include <python/binding/module.hpp>
#include <python/binding/numpy_array.hpp>

#include <nanobind/stl/string_view.h>

#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::python {
namespace {

using dynamic::call_entry;
using dynamic::dtype;

/// The lines of an array along an axis.
axis_lines lines_along(numpy_array const& x, std::size_t axis) {
  auto const product = [&](std::size_t from, std::size_t to) {
    return static_cast<std::size_t>(
        std::accumulate(x.shape + from, x.shape + to, Py_ssize_t{1}, std::multiplies<>{}));
  };
  std::size_t const inner = product(axis + 1, x.ndim), size = product(axis, axis + 1);
  auto const step = static_cast<std::ptrdiff_t>(inner);
  return {x.data,
          size_of(x.type),
          product(0, axis),
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
  /// `empty` is NumPy's function and `ndarray` its type.
  short_way(settings const& on, nb::object empty, nb::object ndarray)
      : on_(on), empty_(std::move(empty)), ndarray_(std::move(ndarray)) {}

  /// Elements of that type are taken, and results have the type `results` of NumPy.
  void add(std::string_view type, call_entry const& e, nb::object results) {
    auto const t = static_cast<std::size_t>(type_named(type));
    entries_[t] = &e;
    scalars_[t] = results.attr("type");
    if (nb::cast<std::size_t>(results.attr("itemsize")) == bytes_out(e))
      results_[t] = std::move(results);
  }

  /// The reduction of all elements, or None if the array has to be prepared first.
  [[nodiscard]] nb::object reduce(nb::handle array) const {
    auto const x = numpy_array_of(array, ndarray_);
    call_entry const* const e = x ? entry_for(*x) : nullptr;
    if (!e) return nb::none();
    alignas(8) std::byte result[8];
    std::size_t const n = x->size();
    computing(n, [&] { e->reduce(x->data, n, {on_.executor()}, result); });
    return scalars_[static_cast<std::size_t>(x->type)](number_at(result, e->result));
  }

  /// Stores the reductions of the lines along an axis in an array; false as None above.
  [[nodiscard]] bool reduce_lines(nb::handle array, std::size_t axis, nb::handle results) const {
    auto const x = numpy_array_of(array, ndarray_), out = numpy_array_of(results, ndarray_);
    if (!x || !out || axis >= x->ndim) return false;
    call_entry const* const e = entry_for(*x);
    if (!e) return false;
    axis_lines const in = lines_along(*x, axis);
    if (!has_room(*out, *e, in.count())) return false;
    computing(x->size(), [&] { python::reduce_lines(*e, in, {on_.executor()}, out->data); });
    return true;
  }

  /// Stores the inclusive scans of the lines along an axis in an array of the same shape, which may
  /// be `array`; false as None above.
  [[nodiscard]] bool scan(nb::handle array, std::size_t axis, nb::handle results) const {
    auto const x = numpy_array_of(array, ndarray_), out = numpy_array_of(results, ndarray_);
    if (!x || !out || axis >= x->ndim) return false;
    call_entry const* const e = entry_for(*x);
    std::size_t const n = x->size();
    if (!e || !has_room(*out, *e, n) || out->ndim != x->ndim) return false;
    bool const in_place = x->data == out->data && size_of(x->type) == size_of(out->type);
    if (overlap(*x, *out) && !in_place) return false;
    computing(n, [&] {
      if (x->ndim == 1) return e->inclusive_scan(x->data, n, {on_.executor()}, out->data);
      scan_lines(*e, dynamic::verb::inclusive_scan, lines_along(*x, axis), {on_.executor()},
                 lines_along(*out, axis));
    });
    return true;
  }

  /// The reductions of segments, or None as above.
  [[nodiscard]] nb::object reduce_segments(nb::handle array, nb::handle offsets) const {
    return run_segments(dynamic::verb::reduce, array, offsets);
  }
  /// Their inclusive scans.
  [[nodiscard]] nb::object scan_segments(nb::handle array, nb::handle offsets) const {
    return run_segments(dynamic::verb::inclusive_scan, array, offsets);
  }
  /// The reductions of the elements from each index up to the next, if indices ascend.
  [[nodiscard]] nb::object reduce_at(nb::handle array, nb::handle indices) const {
    auto const x = numpy_array_of(array, ndarray_), at = numpy_array_of(indices, ndarray_);
    if (!x || x->ndim != 1 || !at || at->ndim != 1 || at->type != dtype::i64 || at->size() == 0)
      return nb::none();
    auto const* const first = reinterpret_cast<std::int64_t const*>(at->data);
    auto const begin = *first, end = static_cast<std::int64_t>(x->size());
    std::vector<std::uint64_t> borders(at->size() + 1);
    for (std::size_t k = 0; k < at->size(); ++k) {
      std::int64_t const next = k + 1 < at->size() ? first[k + 1] : end;
      if (first[k] < 0 || first[k] >= next || next > end) return nb::none();
      borders[k + 1] = static_cast<std::uint64_t>(next - begin);
    }
    auto const* const from = x->data + static_cast<std::size_t>(begin) * size_of(x->type);
    return run(dynamic::verb::reduce, *x, {from, borders.back(), borders.data(), at->size()});
  }

 private:
  /// The entry for the elements of an array, or null.
  call_entry const* entry_for(numpy_array const& x) const {
    return x.size() == 0 ? nullptr : entries_[static_cast<std::size_t>(x.type)];
  }
  static bool has_room(numpy_array const& out, call_entry const& e, std::size_t results) {
    return out.writeable && size_of(out.type) == bytes_out(e) && out.size() == results;
  }
  static bool overlap(numpy_array const& x, numpy_array const& out) {
    return x.data < out.data + out.bytes() && out.data < x.data + x.bytes();
  }
  nb::object run_segments(dynamic::verb v, nb::handle array, nb::handle offsets) const {
    auto const x = numpy_array_of(array, ndarray_), borders = numpy_array_of(offsets, ndarray_);
    if (!x || x->ndim != 1 || !borders || borders->ndim != 1 || borders->size() == 0)
      return nb::none();
    if (borders->type != dtype::i64 && borders->type != dtype::u64) return nb::none();
    auto const* const first = reinterpret_cast<std::uint64_t const*>(borders->data);
    if (*first != 0) return nb::none();
    return run(v, *x, {x->data, x->size(), first, borders->size() - 1});
  }
  nb::object run(dynamic::verb v, numpy_array const& x, dynamic::segments const& s) const {
    call_entry const* const e = entry_for(x);
    nb::object const& type = results_[static_cast<std::size_t>(x.type)];
    if (!e || !type.is_valid()) return nb::none();
    nb::object results = empty_(v == dynamic::verb::reduce ? s.count : s.n, type);
    auto const out = numpy_array_of(results, ndarray_);
    computing(s.n + s.count, [&] { dynamic::run_segments(v, *e, s, {on_.executor()}, out->data); });
    return results;
  }

  static constexpr std::size_t types = std::size(dynamic::all_dtypes);
  settings on_;
  nb::object empty_, ndarray_;
  std::array<call_entry const*, types> entries_{};
  std::array<nb::object, types> scalars_, results_;
};

}  // namespace

void add_short_ways(nb::module_& m) {
  nb::class_<short_way>(m, "ShortWay", "The entries of an operator, for calls without options.")
      .def(nb::init<settings const&, nb::object, nb::object>())
      .def("add", &short_way::add)
      .def("reduce", &short_way::reduce)
      .def("reduce_lines", &short_way::reduce_lines)
      .def("scan", &short_way::scan)
      .def("reduce_segments", &short_way::reduce_segments)
      .def("scan_segments", &short_way::scan_segments)
      .def("reduce_at", &short_way::reduce_at);
}

}  // namespace upsweep::python
