/// Opens a kernel file: from here to simt/end.hpp the keywords of CUDA C++ are defined, under nvcc
/// and under a host compiler. May be included repeatedly.
#include <upsweep/simt/kernel.hpp>

#ifdef UPSWEEP_SIMT_HANDLES
#define __global__ __attribute__((noinline))
#define __device__ __attribute__((always_inline)) inline
#define __host__
#define __forceinline__
#define __noinline__
// Const, so that CUDA's own `__shared__ float x[64];` is an error: it would be one array for all
// blocks, without counts and checks. Write `__shared__ shared<float, 64> x;`, and `shared<float,
// 1>` for a single value.
#define __shared__ static constinit const
#define __launch_bounds__(...)
#define threadIdx (::upsweep::simt::emulated::running.lane->thread)
#define blockIdx (::upsweep::simt::emulated::running.lane->block->index)
#define blockDim (::upsweep::simt::emulated::running.lane->block->threads)
#define gridDim (::upsweep::simt::emulated::running.lane->block->blocks)
#endif
