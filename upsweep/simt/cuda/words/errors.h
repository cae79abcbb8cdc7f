/// Errors of CUDA's runtime.
#pragma once

#include "runtime_types.h"

namespace upsweep::emulated {

/// An error is returned, and is the last error.
inline cudaError_t failed(int error) {
  return static_cast<cudaError_t>(upsweep_emulated_fail(error, nullptr));
}

}  // namespace upsweep::emulated

inline cudaError_t cudaGetLastError() {
  return static_cast<cudaError_t>(upsweep_emulated_last_error(1));
}
inline cudaError_t cudaPeekAtLastError() {
  return static_cast<cudaError_t>(upsweep_emulated_last_error(0));
}
inline char const* cudaGetErrorName(cudaError_t error) {
  return upsweep_emulated_error_text(error, 1);
}
inline char const* cudaGetErrorString(cudaError_t error) {
  return upsweep_emulated_error_text(error, 0);
}
