/// The calls and the streams of each family of operators, in one source file each so that they
/// compile in parallel. Private to the library.
#pragma once

#include <upsweep/by_name/run.hpp>
#include <upsweep/by_name/streams.hpp>
#include <upsweep/names/compiled.hpp>

#include <array>
#include <cstddef>
#include <span>

namespace upsweep::dynamic {

using call_function = void (*)(void const* in, std::size_t n, request const& how, void* out);
using windowed_function = void (*)(void const* in, std::size_t n, std::size_t width,
                                   request const& how, void* out);
using plan_function = host::plan (*)(verb v, std::size_t n, int threads, bool in_place);

/// Operators that are compiled together, over all types that names/compiled.hpp lists for them.
/// Each verb has a table of its own, because the linker keeps or drops a table as a whole.
template <class Operators>
struct calls_of;
template <class... Op>
struct calls_of<types<Op...>> {
  static constexpr std::size_t size = (types_for<target::call, Op>::size + ...);
  static std::array<call_entry, size> const entries;
  static std::array<call_function, size> const reductions, inclusive_scans, exclusive_scans;
  static std::array<windowed_function, size> const windows;  ///< null if they share no totals
  static std::array<plan_function, size> const plans;
};

/// Those of all families; the source file of each, in instances/ or written by CMakeLists.txt,
/// instantiates it.
using all_calls =
    types<calls_of<affine_operators>, calls_of<arg_extrema_operators>,
          calls_of<arithmetic_operators>, calls_of<bitwise_operators>, calls_of<checked_operators>,
          calls_of<exact_sum_operators>, calls_of<gcd_operators>, calls_of<logical_operators>,
          calls_of<min_max_operators>>;

/// Streams of operators over all types that names/compiled.hpp lists for them.
template <class Operators>
struct streams_of {
  static std::span<stream_row const> rows();
};
template <>
std::span<stream_row const> streams_of<arg_extrema_operators>::rows();
template <>
std::span<stream_row const> streams_of<matrix2x2_operators>::rows();
using all_streams =
    types<affine_operators, arg_extrema_operators, arithmetic_operators, bitwise_operators,
          checked_operators, exact_sum_operators, first_last_operators, gcd_operators,
          log_sum_exp_operators, logical_operators, matrix2x2_operators, min_max_operators>;

}  // namespace upsweep::dynamic
