/// Linear recurrences that continue step by step, in the tree of anchored blocks, for Python.
#include <python/binding/anchored.hpp>
#include <python/binding/module.hpp>

#include <upsweep/core/anchored_blocks.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <tuple>

namespace upsweep::python {
namespace {

using host::simd::lane_state, host::simd::most_lanes;

constexpr std::size_t rows = 2 * detail::anchored_digits;  ///< of totals

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

/// Values, which are a row of lanes for each sequence, totals, which are 16, and positions.
using arrays_of_states = std::tuple<output, output, output>;

sequence_states states_of(arrays_of_states const& x, element_type const& e, std::size_t count,
                          std::size_t lanes) {
  auto const& [values, totals, positions] = x;
  expect_elements(values, e.state_bytes);
  expect_elements(totals, e.state_bytes);
  expect_same_size(positions.size(), count);
  expect_same_size(values.size(), count * lanes);
  expect_same_size(totals.size(), count * lanes * rows);
  return {count, static_cast<std::byte*>(values.data()), static_cast<std::byte*>(totals.data()),
          elements_of<std::int64_t>(positions)};
}

/// `h`, the gradients of a, `factor` and the state before the recurrence.
using arrays_of_gradients = std::tuple<input, output, input, arrays_of_states>;

/// run_anchored over arrays. With offsets, sequence s consists of the tokens
/// [offsets[s], offsets[s + 1]) of the first batch.
void anchored_recurrence(std::string_view type, input const& a, input const& b, output const& h,
                         std::optional<input> const& offsets, arrays_of_states const& state,
                         bool backward, settings const& on,
                         std::optional<arrays_of_gradients> const& gradients) {
  element_type const e = type_of_elements(type);
  sequences const to = sequences_of(h, e.bytes);
  auto const beside = [&](auto const& array) {
    sequences const x = sequences_of(array, e.bytes);
    expect_same_size(x.count, to.count);
    expect_same_size(x.tokens, to.tokens);
    expect_same_size(x.lanes, to.lanes);
    return x;
  };
  sequences const in_a = beside(a), in_b = beside(b);
  std::int64_t const* const cut = offsets ? elements_of<std::int64_t>(*offsets) : nullptr;
  std::size_t const count = cut ? offsets->size() - 1 : to.count;
  sequence_states const states = states_of(state, e, count, to.lanes);
  std::optional<sequence_gradients> made;
  if (gradients) {
    auto const& [of, of_a, factor, start] = *gradients;
    expect_elements(factor, e.bytes);
    expect_same_size(factor.size(), count * to.lanes);
    made = {static_cast<std::byte const*>(factor.data()), beside(of), beside(of_a),
            states_of(start, e, count, to.lanes)};
  }
  computing(to.count * to.tokens * to.lanes, [&] {
    run_anchored(on.executor(), e, in_a, in_b, to, cut, states, backward, made ? &*made : nullptr);
  });
}

}  // namespace

element_type type_of_elements(std::string_view name) {
  auto const* const found = std::find_if(element_types.begin(), element_types.end(),
                                         [&](element_type const& t) { return t.name == name; });
  detail::expects(found != element_types.end(), "_core: not a type of elements");
  return *found;
}

void run_anchored(cpu const& on, element_type const& e, sequences const& a, sequences const& b,
                  sequences const& h, std::int64_t const* cut, sequence_states const& states,
                  bool backward, sequence_gradients const* gradients) {
  std::size_t const lanes = h.lanes, parts = (lanes + most_lanes - 1) / most_lanes,
                    jobs = states.count * parts;
  if (jobs == 0) return;
  on.for_each_line(jobs, h.count * h.tokens * lanes / jobs + 1, [&](std::size_t job, auto const&) {
    std::size_t const s = job / parts, l = job % parts * most_lanes;
    std::size_t const begin = cut ? static_cast<std::size_t>(cut[s]) : 0,
                      end = cut ? static_cast<std::size_t>(cut[s + 1]) : h.tokens;
    if (begin == end) return;
    std::size_t const sequence = cut ? 0 : s, start = backward ? end - 1 : begin;
    auto const state_of = [&](sequence_states const& x) {
      return lane_state{x.values + (s * lanes + l) * e.state_bytes,
                        x.totals + (s * rows * lanes + l) * e.state_bytes,
                        static_cast<std::ptrdiff_t>(lanes * e.state_bytes),
                        static_cast<std::size_t>(x.positions[s])};
    };
    auto const from = [&](sequences const& x) { return x.from(sequence, start, l, backward); };
    lane_state state = state_of(states);
    std::size_t const wide = std::min(most_lanes, lanes - l);
    if (gradients == nullptr)
      return host::simd::anchored_recurrence(e.type, end - begin, wide, from(a), from(b), from(h),
                                             state);
    host::simd::anchored_gradients(
        e.type, end - begin, wide, from(a), from(b), from(h),
        {gradients->factor + (s * lanes + l) * e.bytes, from(gradients->of), from(gradients->of_a),
         state_of(gradients->start)},
        state);
  });
  for (std::size_t s = 0; s < states.count; ++s) {
    auto const tokens = cut ? cut[s + 1] - cut[s] : static_cast<std::int64_t>(h.tokens);
    states.positions[s] =
        (states.positions[s] + tokens) % static_cast<std::int64_t>(detail::anchored_size);
  }
}

void add_anchored(nb::module_& m) {
  m.def("anchored_recurrence", anchored_recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg().none() = nb::none());
}

}  // namespace upsweep::python
