/// What kernels use beside CUDA C++; host code that includes a kernel's file needs only packed.hpp.
#pragma once

#include <upsweep/simt/packed.hpp>

#ifdef __CUDACC__
#include <upsweep/simt/device.hpp>
#endif
