/// The short way of calls without options over arrays of NumPy in one piece: it makes no view, and
/// no array but that of the results.
#pragma once

#include <python/binding/call_options.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace upsweep::python {

/// The lines of an array along an axis.
inline axis_lines lines_along(numpy_array const& x, std::size_t axis) {
  return dynamic::lines_of_array(x.data, size_of(x.type), product(axis, x.shape),
                                 static_cast<std::size_t>(x.shape[axis]),
                                 product(x.ndim - axis - 1, x.shape + axis + 1));
}

/// An array of a result, which is not set, for each line along an axis.
inline nb::object empty_along(numpy_array const& x, std::size_t axis, nb::handle dtype) {
  std::vector<Py_ssize_t> shape(x.shape, x.shape + x.ndim);
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(axis));
  return numpy_functions::get().empty(shape.size(), shape.data(), dtype);
}

/// The entries of one operator, by the type of the elements.
class short_way {
 public:
  /// `on`, which may change from call to call, is kept.
  explicit short_way(settings const& on) : on_(&on) {}

  /// Elements of that type are taken, and results have the type `results` of NumPy.
  void add(std::string_view type, call_entry const& e, nb::object results) {
    auto const t = static_cast<std::size_t>(type_named(type));
    entries_[t] = &e;
    if (nb::cast<std::size_t>(results.attr("itemsize")) == bytes_out(e))
      results_[t] = std::move(results);
  }

  /// The reductions of the lines along an axis, or of all elements; None if the array has to be
  /// prepared first, or an option looked at.
  [[nodiscard]] nb::object reduce(nb::handle array, call_options const& o) const {
    auto const x = numpy_array_of(array);
    call_entry const* e = x ? entry_for(*x) : nullptr;
    bool const skips = e && o.skipna && is_float(x->type);
    if (e && o.skipna && !is_added(*e)) e = skips ? takes_numbers_only(*e, x->type) : nullptr;
    auto const axes = e ? axes_of(*x, o.axis) : std::nullopt;
    if (!axes) return nb::none();
    nb::object const& type = type_of_results(*x);
    if (!type.is_valid() || !is_type(o.type, type)) return nb::none();
    initial_number const initial(o.initial, *e);
    if (!initial.is_known()) return nb::none();
    dynamic::request const how{
        .on = on_->executor(), .reverse = o.reverse, .initial = initial.get()};
    if (!o.where.is_none() || (skips && is_added(*e)))
      return reduce_chosen(*x, *e, o, *axes, how, type);
    if (axes->all && !o.keepdims && o.out.is_none())
      return one_result(*e, x->data, x->size(), how, type);
    auto const shape = axes->shape(*x, o.keepdims);
    nb::object made = o.out.is_none()
                          ? numpy_functions::get().empty(shape.size(), shape.data(), type)
                          : nb::borrow(o.out);
    auto const to = numpy_array_of(made);
    if (!to || !to->writeable || !to->dtype.is(type) || overlap(*x, *to) ||
        !has_shape(*to, shape.size(), shape.data()))
      return nb::none();
    if (!axes->all && is_logical(*e) && x->type != dtype::boolean)
      return nb::none();  // columns of flags are faster
    axis_lines const in = axes->all
                              ? dynamic::lines_of_array(x->data, size_of(x->type), 1, x->size(), 1)
                              : lines_along(*x, axes->axis);
    computing(x->size(),
              [&] { dynamic::reduce_lines(entry_of_flags(*x, *e, in), in, how, to->data); });
    return made;
  }

  /// The scans of the lines along an axis, which is None for the only one, stored in `out` unless
  /// that is None; None as above, or if `out` is no array for the results.
  [[nodiscard]] nb::object scan(nb::handle array, call_options const& o) const {
    auto const x = numpy_array_of(array);
    if (!x || o.keepdims || o.skipna || !o.where.is_none()) return nb::none();
    // The identity that an exclusive scan begins with need not be 0 or 1.
    if (o.exclusive && x->type == dtype::boolean) return nb::none();
    call_entry const* const e = entry_for(*x);
    nb::object const& type = type_of_results(*x);
    auto const along = !o.axis.is_none() ? axis_of(*x, o.axis)
                       : x->ndim == 1    ? std::optional<std::size_t>(0)
                                         : std::nullopt;
    if (!e || !type.is_valid() || !along || !is_type(o.type, type)) return nb::none();
    initial_number const initial(o.initial, *e);
    if (o.include_initial) return scan_after_initial(*x, *e, o, initial, type);
    nb::object out =
        o.out.is_none() ? numpy_functions::get().empty(x->ndim, x->shape, type) : nb::borrow(o.out);
    auto const to = numpy_array_of(out);
    if (!initial.is_known() || !to || !to->dtype.is(type) || !may_store(*x, *to)) return nb::none();
    std::size_t const n = x->size();
    auto const verb = o.exclusive ? dynamic::verb::exclusive_scan : dynamic::verb::inclusive_scan;
    computing(n, [&, on = on_->executor()] {
      dynamic::request const how{.on = on, .reverse = o.reverse, .initial = initial.get()};
      if (x->ndim == 1) return e->run(verb, x->data, n, how, to->data);
      dynamic::scan_lines(verb, *e, lines_along(*x, *along), how, lines_along(*to, *along));
    });
    return out;
  }

  /// The reductions of all windows of a line, or None as above.
  [[nodiscard]] nb::object windowed(nb::handle array, std::size_t width) const {
    auto const x = numpy_array_of(array);
    if (!x || x->ndim != 1 || width == 0 || x->size() < width) return nb::none();
    return run(*x, x->size() - width + 1, [&](call_entry const& e, cpu const& on, std::byte* to) {
      dynamic::windowed(e, x->data, x->size(), width, {on}, to);
    });
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
    auto const x = numpy_array_of(array), at = numpy_array_of(indices);
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

  /// The different keys, which are integers, in ascending order, and the reductions of the elements
  /// that have each, as a pair; or None as above.
  [[nodiscard]] nb::object reduce_groups(nb::handle keys, nb::handle array) const {
    auto const k = numpy_array_of(keys), x = numpy_array_of(array);
    if (!k || k->ndim != 1 || !x || x->ndim != 1 || k->size() != x->size() || !is_integer(k->type))
      return nb::none();
    call_entry const* const e = entry_for(*x);
    nb::object const& type = type_of_results(*x);
    if (!e || !type.is_valid()) return nb::none();
    std::size_t const n = x->size();
    auto const found = computing(n, [&, on = on_->executor()] {
      return dynamic::reduce_groups(*e, {k->type, k->data, x->data, n}, {on});
    });
    auto const made_of = [&](std::byte const* from, std::size_t size, nb::handle dtype) {
      nb::object made = numpy_functions::get().empty(found.count, dtype);
      std::memcpy(numpy_array_of(made)->data, from, found.count * size);
      return made;
    };
    return nb::make_tuple(made_of(found.keys.get(), size_of(k->type), k->dtype),
                          made_of(found.results.get(), bytes_out(*e), type));
  }

 private:
  static bool is_integer(dtype t) {
    return dynamic::dispatch(
        dynamic::integers{}, t, []<class T>() { return true; }, [] { return false; });
  }
  static bool is_added(call_entry const& e) {
    return e.op == catalog::id::sum || e.op == catalog::id::product;
  }
  static bool is_logical(call_entry const& e) {
    return e.op == catalog::id::all || e.op == catalog::id::any;
  }
  /// The entry that ignores NaN, of an extremum of floats, or null.
  static call_entry const* takes_numbers_only(call_entry const& e, dtype t) {
    if (e.op == catalog::id::min) return dynamic::find(catalog::id::min_number, t);
    return e.op == catalog::id::max ? dynamic::find(catalog::id::max_number, t) : nullptr;
  }
  /// The entry for the elements of an array, or null.
  call_entry const* entry_for(numpy_array const& x) const {
    return x.size() == 0 ? nullptr : entries_[static_cast<std::size_t>(x.type)];
  }
  /// Of columns of Booleans, which are 0 or 1, `all` is the smallest and `any` the largest.
  static call_entry const& entry_of_flags(numpy_array const& x, call_entry const& e,
                                          axis_lines const& in) {
    bool const all = e.op == catalog::id::all;
    if (x.type != dtype::boolean || !is_logical(e)) return e;
    auto const* const extremum =
        dynamic::find(all ? catalog::id::min : catalog::id::max, dtype::u8);
    return extremum && dynamic::reduces_columns(*extremum, in) ? *extremum : e;
  }
  nb::object one_result(call_entry const& e, std::byte const* elements, std::size_t n,
                        dynamic::request const& how, nb::handle type) const {
    alignas(8) std::byte result[8];
    computing(n, [&] { e.reduce(elements, n, how, result); });
    return numpy_functions::get().scalar(result, type);
  }
  /// The reduction of those of all elements whose flag is true, or of those that are not NaN.
  nb::object reduce_chosen(numpy_array const& x, call_entry const& e, call_options const& o,
                           reduced_axes const& axes, dynamic::request const& how,
                           nb::handle type) const {
    bool const by_flags = !o.where.is_none();
    if (!axes.all || o.keepdims || !o.out.is_none() || (by_flags && o.skipna)) return nb::none();
    nb::object result = nb::none();  // also of no elements, of which there may be no result
    auto const reduce = [&](auto const& keeps) {
      chosen_elements const chosen(x, keeps);
      if (chosen.count > 0) result = one_result(e, chosen.data.get(), chosen.count, how, type);
    };
    if (!by_flags) {
      alignas(8) std::byte whole[8];
      computing(x.size(), [&] { e.reduce(x.data, x.size(), how, whole); });
      if (!is_nan(e.result, whole))  // then no element is NaN
        return numpy_functions::get().scalar(whole, type);
      with_numbers_only(x, reduce);
      return result;
    }
    auto const flags = numpy_array_of(o.where);
    if (flags && flags->type == dtype::boolean && has_shape(*flags, x.ndim, x.shape))
      reduce([first = flags->data](std::size_t i) { return first[i] != std::byte{0}; });
    return result;
  }
  /// The scan of one line after the reduction of nothing.
  nb::object scan_after_initial(numpy_array const& x, call_entry const& e, call_options const& o,
                                initial_number const& initial, nb::handle type) const {
    if (x.ndim != 1 || !o.out.is_none() || !initial.is_known() || !is_added(e)) return nb::none();
    std::size_t const n = x.size();
    nb::object out = numpy_functions::get().empty(n + 1, type);
    std::byte* const to = numpy_array_of(out)->data;
    computing(n, [&, on = on_->executor()] {
      dynamic::request const how{.on = on, .initial = initial.get()};
      e.reduce(x.data, 0, how, to);
      e.inclusive_scan(x.data, n, how, to + bytes_out(e));
    });
    return out;
  }
  /// Whether results for the elements of `x` may be stored in `to`: of the same shape, and in other
  /// memory or exactly in that of `x`.
  static bool may_store(numpy_array const& x, numpy_array const& to) {
    bool const in_place = x.data == to.data && size_of(x.type) == size_of(to.type);
    return to.writeable && has_shape(to, x.ndim, x.shape) && (in_place || !overlap(x, to));
  }
  nb::object run_segments(dynamic::verb v, nb::handle array, nb::handle offsets) const {
    auto const x = numpy_array_of(array), borders = numpy_array_of(offsets);
    if (!x || x->ndim != 1 || !borders || borders->ndim != 1 || borders->size() == 0)
      return nb::none();
    if (borders->type != dtype::i64 && borders->type != dtype::u64) return nb::none();
    auto const* const first = reinterpret_cast<std::uint64_t const*>(borders->data);
    if (*first != 0) return nb::none();
    return run(v, *x, {x->data, x->size(), first, borders->size() - 1});
  }
  nb::object run(dynamic::verb v, numpy_array const& x, dynamic::segments const& s) const {
    std::size_t const results = v == dynamic::verb::reduce ? s.count : s.n;
    return run(x, results, [&](call_entry const& e, cpu const& on, std::byte* to) {
      dynamic::run_segments(v, e, s, {on}, to);
    });
  }
  /// An array of so many results, which f(entry, executor, memory) stores; or None.
  template <class F>
  nb::object run(numpy_array const& x, std::size_t results, F const& f) const {
    call_entry const* const e = entry_for(x);
    nb::object const& type = type_of_results(x);
    if (!e || !type.is_valid()) return nb::none();
    nb::object made = numpy_functions::get().empty(results, type);
    auto const out = numpy_array_of(made);
    computing(x.size() + results, [&, on = on_->executor()] { f(*e, on, out->data); });
    return made;
  }
  /// The dtype of results that are stored as the entry stores them, or none.
  [[nodiscard]] nb::object const& type_of_results(numpy_array const& x) const {
    return results_[static_cast<std::size_t>(x.type)];
  }

  static constexpr std::size_t types = std::size(dynamic::all_dtypes);
  settings const* on_;
  std::array<call_entry const*, types> entries_{};
  std::array<nb::object, types> results_;
};

}  // namespace upsweep::python
