/// The bins of elements by the formula of even bins: the kernel of histograms.
#pragma once

#include <upsweep/core/export.h>
#include <upsweep/generic/histogram/even_line.hpp>

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// to[j] = 0 for elements below the bins, b + 1 in bin b, bins + 1 above, bins + 2 for NaN. The
/// line is of elements of the same type.
UPSWEEP_API void find_even_bins(float const* x, std::size_t n, detail::even_line const& line,
                                std::uint32_t* to);
UPSWEEP_API void find_even_bins(double const* x, std::size_t n, detail::even_line const& line,
                                std::uint32_t* to);
UPSWEEP_API void find_even_bins(std::int32_t const* x, std::size_t n, detail::even_line const& line,
                                std::uint32_t* to);
UPSWEEP_API void find_even_bins(std::uint32_t const* x, std::size_t n,
                                detail::even_line const& line, std::uint32_t* to);

}  // namespace upsweep::host::simd
