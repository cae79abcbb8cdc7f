/// Linear recurrences that continue step by step, in the tree of anchored blocks, for Python.
#include <python/binding/module.hpp>

#include <upsweep/core/anchored_blocks.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

namespace upsweep::python {
namespace {

using host::simd::lane_matrix, host::simd::lane_state, host::simd::lane_type,
    host::simd::most_lanes;

struct element_type {
  std::string_view name;
  lane_type type;
  std::size_t bytes, state_bytes;
};
constexpr std::array<element_type, 6> element_types{{{"f16", lane_type::f16, 2, 4},
                                                     {"bf16", lane_type::bf16, 2, 4},
                                                     {"f32", lane_type::f32, 4, 4},
                                                     {"f64", lane_type::f64, 8, 8},
                                                     {"c64", lane_type::c64, 8, 8},
                                                     {"c128", lane_type::c128, 16, 16}}};

element_type type_of_elements(std::string_view name) {
  auto const* const found = std::find_if(element_types.begin(), element_types.end(),
                                         [&](element_type const& t) { return t.name == name; });
  detail::expects(found != element_types.end(), "_core: not a type of recurrences");
  return *found;
}

/// The elements [batch, token, lane] of an array.
struct sequences {
  std::byte* first;
  std::size_t count, tokens, lanes;
  std::ptrdiff_t batch, token, lane;  ///< strides in bytes

  /// The tokens of a sequence from `begin` on, or, from its last one on, backward.
  [[nodiscard]] lane_matrix from(std::size_t sequence, std::size_t begin, std::size_t l,
                                 bool backward) const {
    auto const at = [](std::size_t i, std::ptrdiff_t s) {
      return static_cast<std::ptrdiff_t>(i) * s;
    };
    return {first + at(sequence, batch) + at(begin, token) + at(l, lane), backward ? -token : token,
            lane};
  }
};

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

/// h of a[t] h[t-1] + b[t] for each sequence, which begins in the state of the other arrays; they
/// receive the state after it. The values are a row of lanes for each sequence, and the totals 16.
/// With offsets, sequence s consists of the tokens [offsets[s], offsets[s + 1]) of the first batch.
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
  constexpr std::size_t rows = 2 * detail::anchored_digits;
  expect_same_size(totals.size(), count * lanes * rows);
  auto* const value = static_cast<std::byte*>(values.data());
  auto* const total = static_cast<std::byte*>(totals.data());
  std::size_t const parts = (lanes + most_lanes - 1) / most_lanes;
  if (count == 0 || lanes == 0) return;
  computing(to.count * to.tokens * lanes, [&] {
    on.executor().for_each_line(
        count * parts, to.count * to.tokens * lanes / (count * parts) + 1,
        [&](std::size_t job, auto const&) {
          std::size_t const s = job / parts, l = job % parts * most_lanes;
          std::size_t const begin = cut ? static_cast<std::size_t>(cut[s]) : 0,
                            end = cut ? static_cast<std::size_t>(cut[s + 1]) : to.tokens;
          if (begin == end) return;
          std::size_t const sequence = cut ? 0 : s, start = backward ? end - 1 : begin;
          lane_state state{value + (s * lanes + l) * e.state_bytes,
                           total + (s * rows * lanes + l) * e.state_bytes,
                           static_cast<std::ptrdiff_t>(lanes * e.state_bytes),
                           static_cast<std::size_t>(position[s])};
          host::simd::anchored_recurrence(e.type, end - begin, std::min(most_lanes, lanes - l),
                                          in_a.from(sequence, start, l, backward),
                                          in_b.from(sequence, start, l, backward),
                                          to.from(sequence, start, l, backward), state);
        });
  });
  for (std::size_t s = 0; s < count; ++s) {
    auto const tokens = cut ? cut[s + 1] - cut[s] : static_cast<std::int64_t>(to.tokens);
    position[s] = (position[s] + tokens) % static_cast<std::int64_t>(detail::anchored_size);
  }
}

}  // namespace

void add_anchored(nb::module_& m) {
  m.def("anchored_recurrence", anchored_recurrence, nb::arg(), nb::arg(), nb::arg(), nb::arg(),
        nb::arg().none(), nb::arg(), nb::arg(), nb::arg(), nb::arg(), nb::arg());
}

}  // namespace upsweep::python
