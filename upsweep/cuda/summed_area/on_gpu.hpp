/// What the executor calls for summed-area tables and all lines of an array; the library has none
/// compiled.
#pragma once

#include <upsweep/core/lines.hpp>
#include <upsweep/cuda/compiled.hpp>

#include <type_traits>

namespace upsweep::device {

/// Numbers that C++ can add.
template <class T>
inline constexpr bool is_plain_number =
    std::is_arithmetic_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8;
template <class T, class R>
void summed_area_on(gpu const& on, detail::matrices<T const> const& in,
                    detail::matrices<R> const& table);
template <scan_kind kind, class T, class R, class Op, class A>
bool scan_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                   Op const& op, A const* initial, A const* first);
template <class T, class R, class Op, class A>
bool reduce_lines_on(gpu const& on, detail::line_matrices<T const, R> const& lines, bool reverse,
                     Op const& op, A const* initial);

}  // namespace upsweep::device
