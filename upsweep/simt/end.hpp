/// Closes a kernel file: undefines the keywords that simt/begin.hpp defined. May be included
/// repeatedly.
#ifdef UPSWEEP_SIMT_HANDLES
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
