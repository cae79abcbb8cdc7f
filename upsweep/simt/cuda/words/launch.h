/// What `kernel<<<blocks, threads, bytes, stream>>>(arguments)` becomes:
/// `upsweep::emulated::launch("kernel", shape(blocks, threads, bytes, stream),
/// UPSWEEP_EMULATED_CALL(kernel))(arguments)`.
#pragma once

#include "indices.h"
#include "runtime.h"

#include <tuple>
#include <utility>

namespace upsweep::emulated {

/// Its constructor takes integers of any type, as the brackets do.
struct shape : upsweep_emulated_shape {
  shape(dim3 blocks_, dim3 threads_, std::size_t shared_bytes_ = 0, cudaStream_t = nullptr)
      : upsweep_emulated_shape{{blocks_.x, blocks_.y, blocks_.z},
                               {threads_.x, threads_.y, threads_.z},
                               1,
                               shared_bytes_} {}
};

template <class Call, class... Arguments>
struct bound_call {
  Call const* call;
  std::tuple<Arguments...> arguments;

  UPSWEEP_EMULATED_UNSEEN static void invoke(void const* self) {
    auto const& me = *static_cast<bound_call const*>(self);
    me.call_with(std::index_sequence_for<Arguments...>{});
  }

 private:
  template <std::size_t... i>
  UPSWEEP_EMULATED_UNSEEN void call_with(std::index_sequence<i...>) const {
    (*call)(std::get<i>(arguments)...);
  }
};

template <class Call>
struct launcher {
  char const* name;
  shape how;
  Call call;

  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    using bound = bound_call<Call, std::decay_t<Arguments>...>;
    bound const made{&call, {std::forward<Arguments>(arguments)...}};
    upsweep_emulated_launch(name, &how, &bound::invoke, &made);
  }
};
template <class Call>
launcher<Call> launch(char const* name, shape how, Call call) {
  return {name, how, call};
}

}  // namespace upsweep::emulated

/// A function that calls the kernel. The name may be a template's, with or without its arguments,
/// and a pointer's.
#ifdef __clang__
#define UPSWEEP_EMULATED_CALL(...) \
  [=](auto... arguments)           \
      __attribute__((no_sanitize("thread", "coverage"))) { __VA_ARGS__(arguments...); }
#else
#define UPSWEEP_EMULATED_CALL(...) \
  [=](auto... arguments)           \
      __attribute__((no_sanitize_thread, no_sanitize_coverage)) { __VA_ARGS__(arguments...); }
#endif
