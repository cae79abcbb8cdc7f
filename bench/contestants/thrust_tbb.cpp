/// Thrust's TBB backend, compiled by the host compiler.
#include <bench/contestants/thrust_calls.hpp>

#include <thrust/system/tbb/execution_policy.h>

#include <type_traits>

namespace upsweep::bench {

registration const thrust_tbb_registration{
    {"thrust-tbb", "Thrust on TBB", false,
     find_in<thrust_on<std::remove_cvref_t<decltype(thrust::tbb::par)>>::calls>}};

}  // namespace upsweep::bench
