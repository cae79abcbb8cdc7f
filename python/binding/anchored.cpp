/// Linear recurrences that continue step by step, in the tree of anchored blocks, for Python.
#include <python/binding/addresses.hpp>
#include <python/binding/anchored.hpp>
#include <python/binding/module.hpp>

#include <upsweep/core/anchored_blocks.hpp>

#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

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

/// run_anchored over arrays. With offsets, sequence s consists of the tokens
/// [offsets[s], offsets[s + 1]) of the first batch.
void anchored_recurrence(std::string_view type, input const& a, input const& b, output const& h,
                         std::optional<input> const& offsets, arrays_of_states const& state,
                         bool backward, settings const& on) {
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
  computing(to.count * to.tokens * to.lanes,
            [&] { run_anchored(on.executor(), e, in_a, in_b, to, cut, states, backward); });
}

/// The address of the first element, and the strides of the three dimensions, in elements.
using memory = std::array<std::int64_t, 4>;
/// The addresses of values, totals and positions.
using memory_of_states = std::array<address, 3>;
/// Those of `factor`, `of`, `of_a` and the state before the recurrence, which are contiguous.
using memory_of_gradients = std::array<address, 6>;

sequences sequences_at(memory const& x, std::array<std::size_t, 3> const& shape,
                       element_type const& e) {
  auto const stride = [&](std::size_t d) { return x[d] * static_cast<std::ptrdiff_t>(e.bytes); };
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
void recurrence_in_memory(std::string_view type, std::array<std::size_t, 3> const& shape,
                          memory const& a, memory const& b, memory const& h, address offsets,
                          std::size_t count, memory_of_states const& state, bool backward,
                          settings const& on, std::optional<memory_of_gradients> const& gradients) {
  element_type const e = type_of_elements(type);
  auto const at = [&](memory const& x) { return sequences_at(x, shape, e); };
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
    run_anchored(on.executor(), e, at(a), at(b), at(h), pointer<std::int64_t const>(offsets),
                 states, backward, made ? &*made : nullptr);
  });
}

/// The states of sequences of one lane as those of the lanes of one sequence.
class states_of_lanes {
 public:
  states_of_lanes(sequence_states const& x, element_type const& e)
      : of_(x), bytes_(e.state_bytes), totals_(x.count * rows * bytes_), position_(x.positions[0]) {
    copy_totals([](std::byte*& from, std::byte*& to) { std::swap(from, to); });
  }
  [[nodiscard]] sequence_states get() { return {1, of_.values, totals_.data(), &position_}; }
  /// Stores the states where they came from.
  void put_back() {
    copy_totals([](std::byte*&, std::byte*&) {});
    std::fill_n(of_.positions, of_.count, position_);
  }

 private:
  /// Copies each total from its lane to its sequence, or elsewhere after direct(from, to).
  template <class Direct>
  void copy_totals(Direct const& direct) {
    for (std::size_t s = 0; s < of_.count; ++s)
      for (std::size_t row = 0; row < rows; ++row) {
        std::byte* to = of_.totals + (s * rows + row) * bytes_;
        std::byte* from = totals_.data() + (row * of_.count + s) * bytes_;
        direct(from, to);
        std::memcpy(to, from, bytes_);
      }
  }

  sequence_states of_;
  std::size_t bytes_;
  std::vector<std::byte> totals_;
  std::int64_t position_;
};

/// Sequences of one lane as one sequence.
sequences side_by_side(sequences const& x) {
  return {x.first, 1, x.tokens, x.count, 0, x.token, x.batch};
}
/// Whether sequences can be so: all are at one position.
bool are_lanes(sequences const& h, sequence_states const& states) {
  auto const* const first = states.positions;
  return h.lanes == 1 && states.count > 1 &&
         std::count(first, first + states.count, *first) ==
             static_cast<std::ptrdiff_t>(states.count);
}

}  // namespace

void run_anchored(cpu const& on, element_type const& e, sequences const& a, sequences const& b,
                  sequences const& h, std::int64_t const* cut, sequence_states const& states,
                  bool backward, sequence_gradients const* gradients) {
  std::size_t const lanes = h.lanes, parts = (lanes + most_lanes - 1) / most_lanes,
                    jobs = states.count * parts;
  if (jobs == 0) return;
  if (cut == nullptr && are_lanes(h, states) &&
      (gradients == nullptr || are_lanes(h, gradients->start))) {
    states_of_lanes after(states, e);
    std::optional<states_of_lanes> start;
    std::optional<sequence_gradients> made;
    if (gradients) {
      start.emplace(gradients->start, e);
      made = {gradients->factor, side_by_side(gradients->of), side_by_side(gradients->of_a),
              start->get()};
    }
    run_anchored(on, e, side_by_side(a), side_by_side(b), side_by_side(h), nullptr, after.get(),
                 backward, made ? &*made : nullptr);
    return after.put_back();
  }
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
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg());
  m.def("recurrence_in_memory", recurrence_in_memory);
}

}  // namespace upsweep::python
