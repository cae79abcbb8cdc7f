/// The calls of each family of operators, in one source file each so that they compile in parallel.
/// Private to the library.
#pragma once

#include <upsweep/dynamic/compiled.hpp>
#include <upsweep/dynamic/run.hpp>

#include <array>
#include <cstddef>

namespace upsweep::dynamic {

using call_function = void (*)(void const* in, std::size_t n, request const& how, void* out);
using windowed_function = void (*)(void const* in, std::size_t n, std::size_t width,
                                   request const& how, void* out);
using plan_function = host::plan (*)(verb v, std::size_t n, int threads, bool in_place);

/// Operators that are compiled together, over all types that dynamic/compiled.hpp lists for them.
/// Each verb has a table of its own, because the linker keeps or drops a table as a whole.
template <class... Op>
struct family {
  static constexpr std::size_t size = (types_for<target::call, Op>::size + ...);
  static std::array<call_entry, size> const entries;
  static std::array<call_function, size> const reductions, inclusive_scans, exclusive_scans;
  static std::array<windowed_function, size> const windows;  ///< null if they share no totals
  static std::array<plan_function, size> const plans;
};

extern template struct family<affine>;
extern template struct family<argmin, argmax>;
extern template struct family<plus, multiplies>;
extern template struct family<bit_and, bit_or, bit_xor>;
extern template struct family<checked_plus<>, checked_multiplies<>>;
extern template struct family<exact_sum>;
extern template struct family<gcd>;
extern template struct family<logical_and, logical_or, logical_xor>;
extern template struct family<min, max, min_number, max_number>;

using all_families =
    types<family<affine>, family<argmin, argmax>, family<plus, multiplies>,
          family<bit_and, bit_or, bit_xor>, family<checked_plus<>, checked_multiplies<>>,
          family<exact_sum>, family<gcd>, family<logical_and, logical_or, logical_xor>,
          family<min, max, min_number, max_number>>;

}  // namespace upsweep::dynamic
