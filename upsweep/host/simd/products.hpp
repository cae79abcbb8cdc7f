/// Exact products of doubles, and masked elements, a chunk at a time.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::host::simd {

/// product[i] + error[i] = x[i] * y[i], exactly, for i < n. False if a product is not finite, or
/// too small or too large for it; then what is stored is unspecified. `has_errors` is whether an
/// error is not 0.
[[nodiscard]] bool multiply_exactly(double const* x, double const* y, std::size_t n,
                                    double* product, double* error, bool& has_errors);

/// Elements whose mask, of 0 or 1, is 0 become `other`. Returns the number of the others.
std::size_t keep(double* x, std::uint8_t const* mask, std::size_t n, double other);

}  // namespace upsweep::host::simd
