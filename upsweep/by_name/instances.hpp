/// The calls of each family of operators, in one source file each so that they compile in parallel.
/// Private to the library.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/names/compiled.hpp>

#include <array>
#include <cstddef>

namespace upsweep::dynamic {

using call_function = void (*)(void const* in, std::size_t n, request const& how, void* out);
using windowed_function = void (*)(void const* in, std::size_t n, std::size_t width,
                                   request const& how, void* out);
using plan_function = host::plan (*)(verb v, std::size_t n, int threads, bool in_place);

/// Operators that are compiled together, over all types that names/compiled.hpp lists for them.
/// Each verb has a table of its own, because the linker keeps or drops a table as a whole.
template <class... Op>
struct calls_of {
  static constexpr std::size_t size = (types_for<target::call, Op>::size + ...);
  static std::array<call_entry, size> const entries;
  static std::array<call_function, size> const reductions, inclusive_scans, exclusive_scans;
  static std::array<windowed_function, size> const windows;  ///< null if they share no totals
  static std::array<plan_function, size> const plans;
};

// One for each source file in instances/, which instantiates it, with its stem.
using affine_calls = calls_of<affine>;
using arg_extrema_calls = calls_of<argmin, argmax>;
using arithmetic_calls = calls_of<plus, multiplies>;
using bitwise_calls = calls_of<bit_and, bit_or, bit_xor>;
using checked_calls = calls_of<checked_plus<>, checked_multiplies<>>;
using exact_sum_calls = calls_of<exact_sum>;
using gcd_calls = calls_of<gcd>;
using logical_calls = calls_of<logical_and, logical_or, logical_xor>;
using min_max_calls = calls_of<min, max, min_number, max_number>;
using all_calls = types<affine_calls, arg_extrema_calls, arithmetic_calls, bitwise_calls,
                        checked_calls, exact_sum_calls, gcd_calls, logical_calls, min_max_calls>;

}  // namespace upsweep::dynamic
