/// Closes a kernel file: the words that simt/begin.hpp lent it are ordinary names again.
/// Repeatable.
#ifndef __CUDACC__
#undef __global__
#undef __device__
#undef __host__
#undef __forceinline__
#undef __noinline__
#undef __shared__
#undef __launch_bounds__
#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim
#endif
