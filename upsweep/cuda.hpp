/// Reductions and scans on NVIDIA GPUs, for files that any compiler compiles: built-in types and
/// operators. Link upsweep::cuda.
///
///   // x and y point to device memory
///   upsweep::inclusive_scan(upsweep::gpu{stream}, std::span(x, n), std::span(y, n));
#pragma once

#include <upsweep/call/heavy_verbs.hpp>
#include <upsweep/cuda/executor.hpp>
#include <upsweep/scan.hpp>
