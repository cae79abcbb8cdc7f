/// What the executor calls for histograms, and what of it the library has compiled.
#pragma once

#include <upsweep/cuda/compiled.hpp>
#include <upsweep/generic/histogram/bins.hpp>

#include <cstddef>
#include <cstdint>
#include <vector>

namespace upsweep::device {

template <class It, class Out, class Levels>
outside_counts histogram_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                            std::size_t size, Levels const& levels, histogram_options const& o);
template <class It, class Out>
void count_indices_on(gpu const& on, It const& first, std::size_t n, Out const& out,
                      std::size_t size);
template <class It, class Weights, class Sink, class Op, class Levels>
outside_counts weighted_histogram_on(gpu const& on, It const& first, Weights const& weights,
                                     std::size_t n, Sink const& out, std::size_t size,
                                     Levels const& levels, Op const& op,
                                     histogram_options const& o);

using histogram_elements = dynamic::types<std::uint8_t, std::int32_t, float, double>;
using index_elements = dynamic::types<std::int32_t, std::uint32_t, std::int64_t>;

/// Whether the library has the histogram of these elements.
template <class It, class Out, class Levels>
inline constexpr bool compiled_histogram = false;
template <class T, class U, class Levels>
inline constexpr bool compiled_histogram<T const*, U*, Levels> =
    dynamic::is_in<T, histogram_elements> && dynamic::is_in<U, counts_and_positions> &&
    dynamic::is_in<Levels, dynamic::types<detail::even_levels, std::vector<double>>>;

template <class It, class Out>
inline constexpr bool compiled_count_indices = false;
template <class T, class U>
inline constexpr bool compiled_count_indices<T const*, U*> =
    dynamic::is_in<T, index_elements> && dynamic::is_in<U, counts_and_positions>;

}  // namespace upsweep::device
