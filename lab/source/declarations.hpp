/// Launch calls and declarations that g++ reads differently from nvcc.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <vector>

namespace upsweep::lab::source {

/// `__shared__ alignas(16) float x[4]` becomes `alignas(16) __shared__ float x[4]`: g++ takes
/// alignas only at the beginning of a declaration.
void find_alignments(token_view const& t, std::vector<edit>& edits);

/// `cudaLaunchKernel((void*)k, ...)` becomes `cudaLaunchKernel(k, ...)`, and the same for every
/// call that takes a kernel's address: without the cast the compiler knows its parameters.
void find_casts_of_kernels(token_view const& t, std::vector<edit>& edits);

}  // namespace upsweep::lab::source
