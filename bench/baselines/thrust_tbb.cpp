/// Thrust's TBB backend, compiled by the host compiler.
#include <bench/baselines/peers.hpp>
#include <bench/baselines/thrust_calls.hpp>

#include <thrust/system/tbb/execution_policy.h>

namespace upsweep::bench {

peer const thrust_tbb_peer{
    "thrust-tbb", "Thrust on TBB", false,
    find_in<thrust_on<std::remove_cvref_t<decltype(thrust::tbb::par)>>::calls>};

}  // namespace upsweep::bench
