/// What `kernel<<<blocks, threads, bytes, stream>>>(arguments)` becomes:
/// `upsweep::emulated::launch("kernel", shape(blocks, threads, bytes, stream),
/// UPSWEEP_EMULATED_CALL(kernel))(arguments)`.
#pragma once

#include "runtime.h"

#include <tuple>
#include <utility>

namespace upsweep::emulated {

/// Its constructor takes integers of any type, as the brackets do.
struct shape : upsweep_emulated_shape {
  shape(dim3 blocks_, dim3 threads_, std::size_t shared_bytes_ = 0, cudaStream_t stream_ = nullptr)
      : upsweep_emulated_shape{{blocks_.x, blocks_.y, blocks_.z},
                               {threads_.x, threads_.y, threads_.z},
                               {1, 1, 1},
                               shared_bytes_,
                               0,
                               0},
        stream(stream_) {}

  cudaStream_t stream;
};

/// The arguments of a launch, which every thread passes to the kernel.
template <class Kernel, class... Arguments>
struct bound_call {
  Kernel kernel;
  std::tuple<Arguments...> arguments;

  UPSWEEP_EMULATED_UNSEEN static void invoke(void const* self) {
    auto const& me = *static_cast<bound_call const*>(self);
    me.call_with(std::index_sequence_for<Arguments...>{});
  }

 private:
  template <std::size_t... i>
  UPSWEEP_EMULATED_UNSEEN void call_with(std::index_sequence<i...>) const {
    kernel(std::get<i>(arguments)...);
  }
};

/// Tells the emulator of which type the elements of a buffer are that a kernel is given.
template <class T>
void note_type(T const& argument) {
  if constexpr (std::is_pointer_v<T>) {
    using element = std::remove_cv_t<std::remove_pointer_t<T>>;
    if constexpr (!std::is_void_v<element> && !std::is_function_v<element>)
      upsweep_emulated_note_type(argument, &pointer_to<element>);
  }
}

/// `address`: null for a template whose arguments the call deduces.
template <class... Arguments, class Kernel>
UPSWEEP_EMULATED_WORD int run(char const* name, shape how, void const* address, Kernel kernel,
                              Arguments... arguments) {
  how.at = upsweep_emulated_position();  // a captured launch runs elsewhere
  if (int const error = upsweep_emulated_check_launch(name, &how, address); error != 0)
    return error;
  (note_type(arguments), ...);
  using bound = bound_call<Kernel, Arguments...>;
  bound const made{kernel, {static_cast<Arguments&&>(arguments)...}};
  void const* const code =
      address != nullptr ? address : reinterpret_cast<void const*>(&bound::invoke);
  return run_in(how.stream, cudaGraphNodeTypeKernel, [=] {
    return static_cast<cudaError_t>(
        upsweep_emulated_launch(name, &how, &bound::invoke, &made, code));
  });
}

/// A kernel and how to call it: `Address` is its type as a pointer, or nullptr_t.
template <class Call, class Address>
struct callee {
  Call call;
  Address address;
};

template <class Call, class Address>
struct launcher {
  char const* name;
  shape how;
  callee<Call, Address> kernel;

  template <class... Arguments>
  UPSWEEP_EMULATED_WORD void operator()(Arguments&&... arguments) const {
    run<std::decay_t<Arguments>...>(name, how, nullptr, kernel.call,
                                    static_cast<Arguments&&>(arguments)...);
  }
};
template <class Call, class... Parameters>
struct launcher<Call, void (*)(Parameters...)> {
  char const* name;
  shape how;
  callee<Call, void (*)(Parameters...)> kernel;

  /// Arguments convert to the kernel's parameters: 0 and NULL to pointers, too.
  UPSWEEP_EMULATED_WORD void operator()(std::type_identity_t<Parameters>... arguments) const {
    run<Parameters...>(name, how, reinterpret_cast<void const*>(kernel.address), kernel.address,
                       static_cast<Parameters&&>(arguments)...);
  }
  /// The kernel has default arguments.
  template <class... Arguments>
    requires(sizeof...(Arguments) < sizeof...(Parameters))
  UPSWEEP_EMULATED_WORD void operator()(Arguments... arguments) const {
    run<Arguments...>(name, how, reinterpret_cast<void const*>(kernel.address), kernel.call,
                      arguments...);
  }
};
template <class Call, class Address>
launcher<Call, Address> launch(char const* name, shape how, callee<Call, Address> kernel) {
  return {name, how, kernel};
}

/// `Tag` makes a call of it depend on a template parameter.
template <class Tag, class... Parameters>
auto address_of(void (*kernel)(Parameters...)) {
  return kernel;
}
template <class Call, class Find>
auto callee_of(Call call, Find find) {
  auto const address = find(0);
  return callee<Call, std::remove_const_t<decltype(address)>>{call, address};
}

}  // namespace upsweep::emulated

#ifdef __clang__
#define UPSWEEP_EMULATED_UNSEEN_LAMBDA __attribute__((no_sanitize("thread", "coverage")))
#else
#define UPSWEEP_EMULATED_UNSEEN_LAMBDA __attribute__((no_sanitize_thread, no_sanitize_coverage))
#endif
/// The name may be a template's, with or without its arguments, and a pointer's.
#define UPSWEEP_EMULATED_CALL(...)                                                               \
  ::upsweep::emulated::callee_of(                                                                \
      [=](auto... arguments) UPSWEEP_EMULATED_UNSEEN_LAMBDA { __VA_ARGS__(arguments...); },      \
      [=](auto tag) {                                                                            \
        if constexpr (requires { ::upsweep::emulated::address_of<decltype(tag)>(__VA_ARGS__); }) \
          return ::upsweep::emulated::address_of<decltype(tag)>(__VA_ARGS__);                    \
        else                                                                                     \
          return nullptr;                                                                        \
      })
