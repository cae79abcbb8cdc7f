/// Thrust's OpenMP backend, compiled by the host compiler.
#include <bench/baselines/thrust_calls.hpp>

#include <thrust/system/omp/execution_policy.h>

namespace upsweep::bench {

registration const thrust_omp_registration{
    {"thrust-omp", "Thrust on OpenMP", true,
     find_in<thrust_on<std::remove_cvref_t<decltype(thrust::omp::par)>>::calls>}};

}  // namespace upsweep::bench
