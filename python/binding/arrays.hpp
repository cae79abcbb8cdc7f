/// Arrays of Python as the calls by name take them: memory, checked against a type.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/verbs/filters.hpp>
#include <upsweep/by_name/verbs/grouping.hpp>
#include <upsweep/by_name/verbs/histograms.hpp>
#include <upsweep/by_name/verbs/lines.hpp>
#include <upsweep/by_name/verbs/recurrences.hpp>
#include <upsweep/by_name/verbs/segments.hpp>
#include <upsweep/by_name/verbs/selections.hpp>
#include <upsweep/by_name/verbs/sorts.hpp>
#include <upsweep/by_name/verbs/statistics.hpp>
#include <upsweep/core/errors.hpp>
#include <upsweep/core/rounding.hpp>
#include <upsweep/core/version.hpp>
#include <upsweep/host/row_sums.hpp>
#include <upsweep/host/simd/anchored_recurrence.hpp>
#include <upsweep/host/simd/dispatch.hpp>
#include <upsweep/host/threads.hpp>
#include <upsweep/names/dtype.hpp>

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace upsweep::python {

namespace nb = nanobind;

/// Arrays in the CPU's memory. The package has prepared them, so what is wrong with one here
/// is a defect of the package, and the sentence is for its authors.
using input = nb::ndarray<nb::ro, nb::device::cpu>;
using output = nb::ndarray<nb::device::cpu>;

/// How a call runs, as every verb takes it.
struct settings {
  int threads;
  bool fast;

  [[nodiscard]] cpu executor() const {
    return {.threads = threads, .mode = fast ? mode::fast : mode::reproducible};
  }
};

/// From so many elements on other threads of Python may run during a call. Below, handing over the
/// interpreter takes longer than the work.
inline constexpr std::size_t worth_releasing = std::size_t{1} << 12;

/// Calls f() without the interpreter's lock if there are enough elements. Variances and the like
/// are derived outside of a verb: therefore the environment, which extensions with -ffast-math
/// change.
template <class F>
decltype(auto) computing(std::size_t elements, F const& f) {
  detail::float_environment const ieee;
  if (elements < worth_releasing) return f();
  nb::gil_scoped_release const released;
  return f();
}

using dynamic::axis_lines;
using dynamic::bytes_in;
using dynamic::bytes_out;

/// `count` lines of `size` contiguous elements each, `stride` bytes apart.
struct lines {
  std::byte* first;
  std::size_t count, size;
  std::ptrdiff_t stride;

  [[nodiscard]] std::byte* operator[](std::size_t line) const {
    return first + static_cast<std::ptrdiff_t>(line) * stride;
  }
};

/// "exact_sum": an operator's name as Python writes it.
inline std::string underscored(std::string_view name) {
  std::string op(name);
  std::ranges::replace(op, '-', '_');
  return op;
}

/// The type of that name.
inline dynamic::dtype type_named(std::string_view name) {
  auto const t = dynamic::find_dtype(name);
  detail::expects(t.has_value(), "_core: not a type of elements");
  return *t;
}

template <class Array>
void expect_elements(Array const& x, std::size_t bytes) {
  detail::expects(x.itemsize() == bytes, "_core: an array has elements of another type");
  std::size_t const alignment = bytes > 8 ? bytes / 2 : bytes;  // that of a pair is its numbers'
  detail::expects(x.size() == 0 || reinterpret_cast<std::uintptr_t>(x.data()) % alignment == 0,
                  "_core: an array is not aligned to its elements");
}

/// The lines of a matrix whose elements have so many bytes.
template <class Array>
lines lines_of(Array const& x, std::size_t bytes) {
  expect_elements(x, bytes);
  detail::expects(x.ndim() == 2, "_core: an array has not two dimensions");
  detail::expects(x.shape(1) <= 1 || x.size() == 0 || x.stride(1) == 1,
                  "_core: the lines of an array are not contiguous");
  auto* const first = const_cast<void*>(static_cast<void const*>(x.data()));
  return {static_cast<std::byte*>(first), x.shape(0), x.shape(1),
          x.stride(0) * static_cast<std::ptrdiff_t>(bytes)};
}

/// A contiguous array of one dimension whose elements have so many bytes.
template <class Array>
lines line_of(Array const& x, std::size_t bytes) {
  expect_elements(x, bytes);
  detail::expects(x.ndim() == 1 && (x.size() <= 1 || x.stride(0) == 1),
                  "_core: an array is not contiguous in one dimension");
  auto* const first = const_cast<void*>(static_cast<void const*>(x.data()));
  return {static_cast<std::byte*>(first), 1, x.size(), 0};
}
/// The same as elements of type T.
template <class T>
T* elements_of(output const& x) {
  return reinterpret_cast<T*>(line_of(x, sizeof(T)).first);
}
template <class T>
T const* elements_of(input const& x) {
  return reinterpret_cast<T const*>(line_of(x, sizeof(T)).first);
}

/// The lines of an array of three dimensions along its last, or of four along its last two.
template <class Array>
axis_lines axis_lines_of(Array const& x, std::size_t bytes) {
  expect_elements(x, bytes);
  bool const has_rows = x.ndim() == 4;
  detail::expects(x.ndim() == 3 || has_rows, "_core: an array has not three or four dimensions");
  auto* const first = const_cast<void*>(static_cast<void const*>(x.data()));
  std::size_t const last = x.ndim() - 1, rows = has_rows ? x.shape(2) : 1;
  return {static_cast<std::byte*>(first),
          bytes,
          x.shape(0),
          x.shape(1),
          rows * x.shape(last),
          x.stride(0),
          x.stride(1),
          x.stride(last),
          rows,
          has_rows ? x.stride(2) : 0};
}

/// Throws unless two arrays that belong together have as many elements.
inline void expect_same_size(std::size_t a, std::size_t b) {
  detail::expects(a == b, "_core: arrays that belong together differ in size");
}

/// The same of lines and their elements.
inline void expect_same_shape(lines const& a, lines const& b) {
  expect_same_size(a.count, b.count);
  expect_same_size(a.size, b.size);
}
inline void expect_same_shape(axis_lines const& a, axis_lines const& b) {
  expect_same_size(a.outer, b.outer);
  expect_same_size(a.inner, b.inner);
  expect_same_size(a.size, b.size);
}

/// A request for an entry; `initial` is an array of one result, or None.
inline dynamic::request request_of(dynamic::call_entry const& e, settings const& on, bool reverse,
                                   std::optional<input> const& initial) {
  dynamic::request how{on.executor(), reverse};
  if (initial) {
    detail::expects(e.takes_initial, "this operator takes no initial value");
    lines const value = line_of(*initial, bytes_out(e));
    expect_same_size(value.size, 1);
    how.initial = value.first;
  }
  return how;
}

}  // namespace upsweep::python
