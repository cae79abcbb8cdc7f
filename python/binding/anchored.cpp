/// Linear recurrences that continue step by step, in the tree of anchored blocks, for Python.
#include <python/binding/addresses.hpp>
#include <python/binding/module.hpp>

#include <upsweep/core/anchored_blocks.hpp>
#include <upsweep/host/anchored_sequences.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>

namespace upsweep::python {
namespace {

using host::sequence_elements, host::sequence_gradients, host::sequence_states;
using host::simd::lane_type;

constexpr std::size_t rows = 2 * detail::anchored_digits;  ///< of totals

template <class Array>
sequence_elements sequences_of(Array const& x, lane_type type) {
  std::size_t const bytes = bytes_of(type);
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

sequence_states states_of(arrays_of_states const& x, lane_type type, std::size_t count,
                          std::size_t lanes) {
  auto const& [values, totals, positions] = x;
  expect_elements(values, number_bytes_of(type));
  expect_elements(totals, number_bytes_of(type));
  expect_same_size(positions.size(), count);
  expect_same_size(values.size(), count * lanes);
  expect_same_size(totals.size(), count * lanes * rows);
  return {count, static_cast<std::byte*>(values.data()), static_cast<std::byte*>(totals.data()),
          elements_of<std::int64_t>(positions)};
}

/// Recurrences over arrays. With offsets, sequence s consists of the tokens
/// [offsets[s], offsets[s + 1]) of the first batch.
void anchored_recurrence(std::string_view name, input const& a, input const& b, output const& h,
                         std::optional<input> const& offsets, arrays_of_states const& state,
                         bool backward, settings const& on) {
  lane_type const type = lane_type_named(name);
  sequence_elements const to = sequences_of(h, type);
  auto const beside = [&](auto const& array) {
    sequence_elements const x = sequences_of(array, type);
    expect_same_size(x.count, to.count);
    expect_same_size(x.tokens, to.tokens);
    expect_same_size(x.lanes, to.lanes);
    return x;
  };
  sequence_elements const in_a = beside(a), in_b = beside(b);
  std::int64_t const* const cut = offsets ? elements_of<std::int64_t>(*offsets) : nullptr;
  std::size_t const count = cut ? offsets->size() - 1 : to.count;
  sequence_states const states = states_of(state, type, count, to.lanes);
  computing(to.count * to.tokens * to.lanes,
            [&] { host::run(on.executor(), {type, in_a, in_b, to, states, backward, cut}); });
}

/// The address of the first element, and the strides of the three dimensions, in elements.
using memory = std::array<std::int64_t, 4>;
/// The addresses of values, totals and positions.
using memory_of_states = std::array<address, 3>;
/// Those of `factor`, `of`, `of_a` and the state before the recurrence, which are contiguous.
using memory_of_gradients = std::array<address, 6>;

sequence_elements sequences_at(memory const& x, std::array<std::size_t, 3> const& shape,
                               lane_type type) {
  auto const stride = [&](std::size_t d) {
    return x[d] * static_cast<std::ptrdiff_t>(bytes_of(type));
  };
  auto* const first = pointer<std::byte>(static_cast<address>(x[0]));
  return {first, shape[0], shape[1], shape[2], stride(1), stride(2), stride(3)};
}
sequence_states states_at(memory_of_states const& x, std::size_t count) {
  return {count, pointer<std::byte>(x[0]), pointer<std::byte>(x[1]), pointer<std::int64_t>(x[2])};
}

void expect_positions(sequence_states const& x) {
  auto const [least, most] = std::minmax_element(x.positions, x.positions + x.count);
  constexpr std::int64_t last = detail::anchored_size - 1;
  if (x.count == 0 || (*least >= 0 && *most <= last)) return;
  throw std::invalid_argument("linear_recurrence: state.position has " + std::to_string(*least) +
                              " to " + std::to_string(*most) +
                              "; give numbers of tokens from 0 to " + std::to_string(last));
}

/// The same over the memory of tensors, which takes less than making arrays of them. `shape` is
/// that of h, and `count` the number of states.
void recurrence_in_memory(std::string_view name, std::array<std::size_t, 3> const& shape,
                          memory const& a, memory const& b, memory const& h, address offsets,
                          std::size_t count, memory_of_states const& state, bool backward,
                          settings const& on, std::optional<memory_of_gradients> const& gradients) {
  lane_type const type = lane_type_named(name);
  auto const at = [&](memory const& x) { return sequences_at(x, shape, type); };
  sequence_states const states = states_at(state, count);
  expect_positions(states);
  std::optional<sequence_gradients> made;
  if (gradients) {
    auto const& [factor, of, of_a, values, totals, positions] = *gradients;
    auto const row = static_cast<std::int64_t>(shape[2]),
               matrix = row * static_cast<std::int64_t>(shape[1]);
    auto const contiguous = [&](address x) {
      return at({static_cast<std::int64_t>(x), matrix, row, 1});
    };
    made = {pointer<std::byte const>(factor), contiguous(of), contiguous(of_a),
            states_at({values, totals, positions}, count)};
  }
  computing(shape[0] * shape[1] * shape[2], [&] {
    host::run(on.executor(), {type, at(a), at(b), at(h), states, backward,
                              pointer<std::int64_t const>(offsets), made ? &*made : nullptr});
  });
}

}  // namespace

void add_anchored(nb::module_& m) {
  m.def("anchored_recurrence", anchored_recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("recurrence_in_memory", recurrence_in_memory);
}

}  // namespace upsweep::python
