/// Scans by the operators that find where an extremum is, over arrays of built-in numbers.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/call/call.hpp>
#include <upsweep/names/compiled.hpp>
#include <upsweep/ops/arg_extrema.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <type_traits>

UPSWEEP_IEEE_BEGIN
namespace upsweep::host {

/// True for the operators of ops/arg_extrema.hpp.
template <class Op>
concept finds_extremum = requires(Op const& op) {
  { op.rule() } -> std::same_as<detail::extremum_rule>;
};

struct extremum_scan {
  detail::extremum_rule rule;
  scan_kind kind;
  bool reversed;  ///< from the last element to the first
};

/// Scans the n elements at x, the first of which has the given index. `best` is the extremum of
/// what precedes them in the order of the scan, and then of all. Results are values with their
/// indices, or indices. `out` may be x.
template <class T, class Out>
UPSWEEP_API void scan_extremum(extremum_scan how, T const* x, std::size_t index, std::size_t n,
                               indexed<T>& best, Out* out);

/// True for the types T of elements and Out of results of scan_extremum.
template <class T, class Out>
inline constexpr bool scans_extremum =
    dynamic::is_in<T, dynamic::integers_and_wide_floats> &&
    (std::is_same_v<Out, indexed<T>> || std::is_same_v<Out, std::uint64_t>);

}  // namespace upsweep::host
UPSWEEP_IEEE_END
