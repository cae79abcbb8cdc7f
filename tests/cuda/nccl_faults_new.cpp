/// The `new` of nccl_faults, which fails in turn: nvcc takes no replaced one.
#include <support/ranks_faults.hpp>
