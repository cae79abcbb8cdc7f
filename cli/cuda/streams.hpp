/// The streams of `upsweep reduce` and `upsweep scan` on a GPU; absent.cpp says that there are
/// none.
#pragma once

#include <cli/engine/device_stream.hpp>

namespace upsweep::cli::gpu {

/// For the GPU that is current. Values go there and results come back 64 MiB at a time. Failures of
/// CUDA are unavailable_error.
[[nodiscard]] device_streams const& streams();

}  // namespace upsweep::cli::gpu
