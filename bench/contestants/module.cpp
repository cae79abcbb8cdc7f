/// The entry point of the module of peers.
#include <bench/harness/call.hpp>

#include <tbb/global_control.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#ifdef _OPENMP
#include <omp.h>
#endif

namespace upsweep::bench {
namespace {

std::vector<peer>& registered() {
  static std::vector<peer> all;
  return all;
}

}  // namespace

registration::registration(peer const& p) {
  registered().push_back(p);
}

}  // namespace upsweep::bench

extern "C" __attribute__((visibility("default"))) upsweep::bench::peer_list upsweep_bench_peers(
    int threads) {
  static std::unique_ptr<tbb::global_control> limit;  // applies to TBB, libstdc++ and Thrust on TBB
  limit = std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism,
                                                static_cast<std::size_t>(threads));
#ifdef _OPENMP
  omp_set_num_threads(threads);
#endif
  setenv("PARLAY_NUM_THREADS", std::to_string(threads).c_str(), 1);  // read by its first call
  auto const& all = upsweep::bench::registered();
  return {all.data(), all.size()};
}
