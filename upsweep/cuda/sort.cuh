/// sort, sort_by_key, argsort, top, quantile and weighted_histogram on NVIDIA GPUs, for files that
/// nvcc compiles. It includes CUB, so it is not a part of upsweep/cuda.cuh.
///
///   // x points to device memory
///   upsweep::sort(upsweep::gpu{stream}, std::span(x, n));
#pragma once

#include <upsweep/cuda.cuh>
#include <upsweep/cuda/histogram/weighted.cuh>
#include <upsweep/cuda/sort/launch.cuh>
#include <upsweep/cuda/sort/top.cuh>
#include <upsweep/order_statistics.hpp>
