/// Linear recurrences of sequences in memory, in the tree of anchored blocks.
#pragma once

#include <python/binding/library.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::python {

/// A type of elements, and the bytes of one and of a number of their states.
struct element_type {
  std::string_view name;
  host::simd::lane_type type;
  std::size_t bytes, state_bytes;
};
inline constexpr std::array<element_type, 6> element_types{
    {{"f16", host::simd::lane_type::f16, 2, 4},
     {"bf16", host::simd::lane_type::bf16, 2, 4},
     {"f32", host::simd::lane_type::f32, 4, 4},
     {"f64", host::simd::lane_type::f64, 8, 8},
     {"c64", host::simd::lane_type::c64, 8, 8},
     {"c128", host::simd::lane_type::c128, 16, 16}}};

/// The type of that name.
element_type type_of_elements(std::string_view name);

/// The elements [batch, token, lane] of an array.
struct sequences {
  std::byte* first;
  std::size_t count, tokens, lanes;
  std::ptrdiff_t batch, token, lane;  ///< strides in bytes

  /// The tokens of a sequence from `begin` on, or, from its last one on, backward.
  [[nodiscard]] host::simd::lane_matrix from(std::size_t sequence, std::size_t begin, std::size_t l,
                                             bool backward) const {
    auto const at = [](std::size_t i, std::ptrdiff_t s) {
      return static_cast<std::ptrdiff_t>(i) * s;
    };
    return {first + at(sequence, batch) + at(begin, token) + at(l, lane), backward ? -token : token,
            lane};
  }
};

/// The states of sequences: a row of lanes of values for each, 16 rows of totals and a position.
struct sequence_states {
  std::size_t count;
  std::byte *values, *totals;
  std::int64_t* positions;
};

/// What gradients are made of besides (host::simd::lane_gradients): `factor` is a row of lanes for
/// each sequence.
struct sequence_gradients {
  std::byte const* factor;
  sequences of, of_a;
  sequence_states start;
};

/// h of a[t] h[t-1] + b[t] for each sequence, which begins in its state; the states become those
/// after it. With `cut`, sequence s consists of the tokens [cut[s], cut[s + 1]) of the first batch.
/// With `gradients`, those of a recurrence in the other direction.
void run_anchored(cpu const& on, element_type const& e, sequences const& a, sequences const& b,
                  sequences const& h, std::int64_t const* cut, sequence_states const& states,
                  bool backward, sequence_gradients const* gradients = nullptr);

}  // namespace upsweep::python
