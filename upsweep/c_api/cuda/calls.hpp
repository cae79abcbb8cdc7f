/// What the functions of upsweep_cuda.h share: their options, their executor, and how they fail.
#pragma once

#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/cuda/executor.hpp>

#include <optional>

struct upsweep_cuda_workspace : upsweep::cuda_workspace {
  using cuda_workspace::cuda_workspace;
};

namespace upsweep::c_api {

/// failed_by_current_exception(), with a code for a failed CUDA call.
upsweep_status failed_on_device() noexcept;

/// guarded(), with such a code.
template <class F>
upsweep_status guarded_on_device(F const& f) noexcept {
  try {
    f();
    return UPSWEEP_OK;
  } catch (...) {
    return failed_on_device();
  }
}

/// The options of a call. `flags` are those that it accepts in addition to
/// UPSWEEP_CUDA_ANY_BLOCK_ORDER, `flag_names` the names of all; `initial` is the type of its
/// initial value, if it takes one.
[[nodiscard]] upsweep_cuda_options checked_options(char const* verb,
                                                   upsweep_cuda_options const* given,
                                                   unsigned flags, char const* flag_names,
                                                   std::optional<upsweep_type> initial);

[[nodiscard]] inline gpu executor_of(upsweep_cuda_options const& o, CUstream_st* stream) {
  return {stream, o.workspace, o.mode == UPSWEEP_FAST ? mode::fast : mode::reproducible,
          (o.flags & UPSWEEP_CUDA_ANY_BLOCK_ORDER) == 0};
}

}  // namespace upsweep::c_api
