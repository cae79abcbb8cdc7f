/// How the functions of upsweep_cuda.h fail: as those of upsweep.h, with a code also for a failed
/// CUDA call.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/cuda/check.cuh>

namespace upsweep::c_api {

/// The cudaError_t of this thread's last failure.
[[nodiscard]] int& last_cuda_code();
[[nodiscard]] upsweep_status status_of(cudaError_t code);

/// guarded(), with a code for a failed CUDA call.
template <class F>
upsweep_status guarded_on_device(F const& f) noexcept {
  try {
    f();
    return UPSWEEP_OK;
  } catch (cuda_error const& e) {
    last_cuda_code() = static_cast<int>(e.code());
    return failed(status_of(e.code()), e.what());
  } catch (...) {
    last_cuda_code() = 0;
    return failed_by_current_exception();
  }
}

}  // namespace upsweep::c_api
