/// CUDA's error codes as exceptions whose message says which call failed, where, and why.
#pragma once

#include <cuda_runtime_api.h>
#include <upsweep/core/errors.hpp>

#include <source_location>
#include <string>
#include <type_traits>

namespace upsweep {

/// A CUDA call that failed. `code()` is its cudaError_t.
class cuda_error : public error {
 public:
  cuda_error(cudaError_t code, char const* sentence) noexcept : error(sentence), code_(code) {}
  [[nodiscard]] cudaError_t code() const noexcept { return code_; }

 private:
  cudaError_t code_;
};

[[noreturn]] inline void throw_cuda_error(cudaError_t code, std::string const& what,
                                          std::source_location where) {
  (void)cudaGetLastError();  // clears a recoverable error, so that it is not reported twice
  if (code == cudaErrorNoDevice || code == cudaErrorInsufficientDriver ||
      code == cudaErrorSystemDriverMismatch)
    throw cuda_error(
        code, ("cuda: cannot " + what +
               ": this machine has no NVIDIA GPU, or no driver that knows this CUDA version (" +
               cudaGetErrorName(code) + "); the executor upsweep::cpu works everywhere")
                  .c_str());
  if (code == cudaErrorInvalidResourceHandle)
    throw cuda_error(code,
                     ("cuda: cannot " + what +
                      ": invalid resource handle; does the stream belong to the current device?")
                         .c_str());
  std::string const sentence = "cuda: cannot " + what + ": " + cudaGetErrorString(code) + " (" +
                               cudaGetErrorName(code) + ", at " + where.file_name() + ":" +
                               std::to_string(where.line()) + ")";
  throw cuda_error(code, sentence.c_str());
}

/// Throws cuda_error unless `code` is cudaSuccess. `what` is the action that failed, such as "find
/// a GPU", or a function that returns it. That function is called only after a failure, because
/// building a sentence takes as long as a launch.
template <class What>
void check_cuda(cudaError_t code, What const& what,
                std::source_location where = std::source_location::current()) {
  if (code == cudaSuccess) return;
  if constexpr (std::is_invocable_v<What const&>)
    throw_cuda_error(code, what(), where);
  else
    throw_cuda_error(code, what, where);
}

}  // namespace upsweep
