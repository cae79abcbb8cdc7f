/// What the functions of upsweep_cuda.h share: their options, executor and element
/// types, and how they fail.
#pragma once

#include <upsweep/upsweep_cuda.h>
#include <upsweep/c_api/failures.hpp>
#include <upsweep/c_api/vocabulary.hpp>
#include <upsweep/cuda/executor.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>

struct upsweep_cuda_workspace : upsweep::cuda_workspace {
  using cuda_workspace::cuda_workspace;
};

namespace upsweep::c_api {

/// failed_by_current_exception(), with a code for a failed CUDA call.
upsweep_status failed_on_device() noexcept;

/// guarded(), with such a code.
template <class F>
upsweep_status guarded_on_device(F const& f) noexcept {
  return guarded(f, failed_on_device);
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

/// Calls f.operator()<T>() for the type of the list that `type` is.
template <class... T, class F>
void with_type(char const* function, upsweep_type type, dynamic::types<T...> list, F const& f) {
  require_known(function, type, UPSWEEP_SUM);
  bool found = false;
  dynamic::for_each_type(list, [&]<class U>() {
    if (type != type_of(dynamic::dtype_of<U>)) return;
    found = true;
    f.template operator()<U>();
  });
  if (!found)
    refuse(function,
           "the library has no CUDA kernel for elements of " + name_of(type) +
               "; upsweep_cuda.h lists the types, and upsweep.h has it on the CPU",
           UPSWEEP_UNSUPPORTED);
}

template <class T>
[[nodiscard]] std::span<T const> elements(void const* first, std::size_t n) {
  return {static_cast<T const*>(first), n};
}
template <class T>
[[nodiscard]] std::span<T> elements(void* first, std::size_t n) {
  return {static_cast<T*>(first), n};
}

}  // namespace upsweep::c_api
