/// To be included in a .cu file before kernel files: CUDA's atomics and cooperative groups, which a
/// .hpp may not include.
#pragma once

#include <cooperative_groups.h>
#include <cuda/atomic>

#include <upsweep/simt/kernel.hpp>
