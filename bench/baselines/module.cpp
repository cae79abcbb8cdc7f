/// The entry of the module of peers.
#include <bench/baselines/peers.hpp>

#include <tbb/global_control.h>

#include <array>
#include <memory>

#ifdef UPSWEEP_BENCH_OPENMP
#include <omp.h>
#endif

extern "C" __attribute__((visibility("default"))) upsweep::bench::peer_list upsweep_bench_peers(
    int threads) {
  using namespace upsweep::bench;
  static std::unique_ptr<tbb::global_control>
      limit;  // holds for TBB itself, libstdc++ and Thrust on TBB
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads));
#ifdef UPSWEEP_BENCH_OPENMP
  omp_set_num_threads(threads);
#endif
  static std::array const all{
      loop_peer,       std_par_peer,     tbb_peer,
#ifdef UPSWEEP_BENCH_OPENMP
      openmp_peer,     openmp_simd_peer,
#endif
#ifdef UPSWEEP_BENCH_THRUST
      thrust_tbb_peer,
#ifdef UPSWEEP_BENCH_OPENMP
      thrust_omp_peer,
#endif
#endif
  };
  return {all.data(), all.size()};
}
