/// The peer libraries that can be compiled in, one source file each; the module that is loaded at
/// run time lists them.
#pragma once

#include <bench/harness/work.hpp>

namespace upsweep::bench {

extern peer const loop_peer;
extern peer const std_par_peer;
extern peer const tbb_peer;
#ifdef UPSWEEP_BENCH_OPENMP
extern peer const openmp_peer;
extern peer const openmp_simd_peer;
#endif
#ifdef UPSWEEP_BENCH_THRUST
extern peer const thrust_tbb_peer;
#ifdef UPSWEEP_BENCH_OPENMP
extern peer const thrust_omp_peer;
#endif
#endif

}  // namespace upsweep::bench
