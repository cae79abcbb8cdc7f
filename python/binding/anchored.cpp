/// Linear recurrences that continue step by step, in the tree of anchored blocks, for Python.
#include <python/binding/anchored.hpp>
#include <python/binding/module.hpp>

#include <upsweep/core/anchored_blocks.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace upsweep::python {
namespace {

using host::simd::lane_state, host::simd::most_lanes;

constexpr std::size_t rows = 2 * detail::anchored_digits;  ///< of totals

element_type type_of_elements(std::string_view name) {
  auto const* const found = std::find_if(element_types.begin(), element_types.end(),
                                         [&](element_type const& t) { return t.name == name; });
  detail::expects(found != element_types.end(), "_core: not a type of recurrences");
  return *found;
}

template <class Array>
sequences sequences_of(Array const& x, std::size_t bytes) {
  expect_elements(x, bytes);
  detail::expects(x.ndim() == 3, "_core: an array has not three dimensions");
  auto* const first = const_cast<void*>(static_cast<void const*>(x.data()));
  auto const stride = [&](std::size_t d) {
    return x.stride(d) * static_cast<std::ptrdiff_t>(bytes);
  };
  return {static_cast<std::byte*>(first),
          x.shape(0),
          x.shape(1),
          x.shape(2),
          stride(0),
          stride(1),
          stride(2)};
}

/// run_anchored over arrays: `values` are a row of lanes for each sequence, and `totals` 16. With
/// offsets, sequence s consists of the tokens [offsets[s], offsets[s + 1]) of the first batch.
void anchored_recurrence(std::string_view type, input const& a, input const& b, output const& h,
                         std::optional<input> const& offsets, output const& values,
                         output const& totals, output const& positions, bool backward,
                         settings const& on) {
  element_type const e = type_of_elements(type);
  sequences const in_a = sequences_of(a, e.bytes), in_b = sequences_of(b, e.bytes),
                  to = sequences_of(h, e.bytes);
  for (sequences const& x : {in_a, in_b}) {
    expect_same_size(x.count, to.count);
    expect_same_size(x.tokens, to.tokens);
    expect_same_size(x.lanes, to.lanes);
  }
  std::int64_t* const position = elements_of<std::int64_t>(positions);
  std::size_t const count = positions.size(), lanes = to.lanes;
  std::int64_t const* const cut = offsets ? elements_of<std::int64_t>(*offsets) : nullptr;
  expect_same_size(cut ? offsets->size() - 1 : to.count, count);
  expect_elements(values, e.state_bytes);
  expect_elements(totals, e.state_bytes);
  expect_same_size(values.size(), count * lanes);
  expect_same_size(totals.size(), count * lanes * rows);
  sequence_states const states{count, static_cast<std::byte*>(values.data()),
                               static_cast<std::byte*>(totals.data()), position};
  computing(to.count * to.tokens * lanes,
            [&] { run_anchored(on.executor(), e, in_a, in_b, to, cut, states, backward); });
}

}  // namespace

void run_anchored(cpu const& on, element_type const& e, sequences const& a, sequences const& b,
                  sequences const& h, std::int64_t const* cut, sequence_states const& states,
                  bool backward) {
  std::size_t const lanes = h.lanes, parts = (lanes + most_lanes - 1) / most_lanes,
                    jobs = states.count * parts;
  if (jobs == 0) return;
  on.for_each_line(jobs, h.count * h.tokens * lanes / jobs + 1, [&](std::size_t job, auto const&) {
    std::size_t const s = job / parts, l = job % parts * most_lanes;
    std::size_t const begin = cut ? static_cast<std::size_t>(cut[s]) : 0,
                      end = cut ? static_cast<std::size_t>(cut[s + 1]) : h.tokens;
    if (begin == end) return;
    std::size_t const sequence = cut ? 0 : s, start = backward ? end - 1 : begin;
    lane_state state{states.values + (s * lanes + l) * e.state_bytes,
                     states.totals + (s * rows * lanes + l) * e.state_bytes,
                     static_cast<std::ptrdiff_t>(lanes * e.state_bytes),
                     static_cast<std::size_t>(states.positions[s])};
    host::simd::anchored_recurrence(
        e.type, end - begin, std::min(most_lanes, lanes - l), a.from(sequence, start, l, backward),
        b.from(sequence, start, l, backward), h.from(sequence, start, l, backward), state);
  });
  for (std::size_t s = 0; s < states.count; ++s) {
    auto const tokens = cut ? cut[s + 1] - cut[s] : static_cast<std::int64_t>(h.tokens);
    states.positions[s] =
        (states.positions[s] + tokens) % static_cast<std::int64_t>(detail::anchored_size);
  }
}

void add_anchored(nb::module_& m) {
  m.def("anchored_recurrence", anchored_recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace upsweep::python
