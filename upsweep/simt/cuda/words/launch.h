/// What `kernel<<<blocks, threads, bytes, stream>>>(arguments)` becomes:
/// `upsweep::emulated::launch("kernel", shape(blocks, threads, bytes, stream),
/// UPSWEEP_EMULATED_CALL(kernel))(arguments)`.
#pragma once

#include "runtime.h"

#include <cstddef>
#include <tuple>
#include <type_traits>
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

/// Whether a value of type T is passed as the address of a temporary that the caller has made: the
/// C++ ABI for x86-64 does so with classes whose copies or destructors do something.
template <class T>
inline constexpr bool is_passed_by_address =
    std::is_class_v<T> &&
    !(std::is_trivially_destructible_v<T> && std::is_move_constructible_v<T> &&
      std::is_trivially_move_constructible_v<T> &&
      (!std::is_copy_constructible_v<T> || std::is_trivially_copy_constructible_v<T>));
template <class T>
using passed = std::conditional_t<is_passed_by_address<T>, T&, T>;

/// The bytes of an argument, as a launch copies them to a device: no constructor and no destructor
/// is called.
template <std::size_t, class T>
struct kept_argument {
  alignas(T) std::byte bytes[sizeof(T)];

  UPSWEEP_EMULATED_UNSEEN explicit kept_argument(T const& argument) {
    __builtin_memcpy(bytes, &reinterpret_cast<std::byte const&>(argument), sizeof(T));
  }
  UPSWEEP_EMULATED_UNSEEN T& get() { return *reinterpret_cast<T*>(bytes); }
};
template <std::size_t i, class T>
struct kept_argument<i, T&> {
  T* place;

  UPSWEEP_EMULATED_UNSEEN explicit kept_argument(T& argument) : place(&argument) {}
  UPSWEEP_EMULATED_UNSEEN T& get() { return *place; }
};
template <class Indices, class... Parameters>
struct kept_arguments;
template <std::size_t... i, class... Parameters>
struct kept_arguments<std::index_sequence<i...>, Parameters...> : kept_argument<i, Parameters>... {
  UPSWEEP_EMULATED_UNSEEN explicit kept_arguments(std::remove_reference_t<Parameters>&... arguments)
      : kept_argument<i, Parameters>(arguments)... {}

  template <class Kernel>
  UPSWEEP_EMULATED_UNSEEN void pass_to(Kernel kernel) {
    kernel(static_cast<kept_argument<i, Parameters>&>(*this).get()...);
  }
  /// The parameters are the callee's own, so their values may be moved from.
  template <class... Passed>
  UPSWEEP_EMULATED_UNSEEN void pass_to(void (*kernel)(Passed...)) {
    kernel(static_cast<Passed&&>(static_cast<kept_argument<i, Parameters>&>(*this).get())...);
  }
};

/// A kernel and the arguments of a launch, of which every thread has a copy.
template <class Kernel, class... Parameters>
struct bound_call {
  Kernel kernel;
  kept_arguments<std::index_sequence_for<Parameters...>, Parameters...> arguments;

  UPSWEEP_EMULATED_UNSEEN static void invoke(void const* self) {
    auto const& me = *static_cast<bound_call const*>(self);
    auto mine = me.arguments;
    mine.pass_to(me.kernel);
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

template <class...>
struct parameter_list {};

/// `address`: null for a template whose arguments the call deduces. The arguments must live until
/// this returns.
template <class... Parameters, class Kernel>
UPSWEEP_EMULATED_WORD int run(parameter_list<Parameters...>, char const* name, shape how,
                              void const* address, Kernel kernel,
                              std::remove_reference_t<Parameters>&... arguments) {
  how.at = upsweep_emulated_position();  // a captured launch runs elsewhere
  if (int const error = upsweep_emulated_check_launch(name, &how, address); error != 0)
    return error;
  (note_type(arguments), ...);
  using bound = bound_call<Kernel, Parameters...>;
  bound const made{kernel, decltype(bound::arguments)(arguments...)};
  void const* const code =
      address != nullptr ? address : reinterpret_cast<void const*>(&bound::invoke);
  return run_in(how.stream, cudaGraphNodeTypeKernel, [=] {
    return static_cast<cudaError_t>(
        upsweep_emulated_launch(name, &how, &bound::invoke, &made, sizeof(bound), code));
  });
}
template <class... Parameters>
UPSWEEP_EMULATED_WORD int run_kernel(char const* name, shape const& how,
                                     void (*kernel)(Parameters...),
                                     std::remove_reference_t<Parameters>&... arguments) {
  return run(parameter_list<Parameters...>{}, name, how, reinterpret_cast<void const*>(kernel),
             reinterpret_cast<void (*)(passed<Parameters>...)>(kernel), arguments...);
}

/// A kernel and how to call it: `Address` is its type as a pointer, or nullptr_t.
template <class Call, class Find, class Address>
struct callee {
  Call call;
  Find find;
  Address address;
};

/// What parameter `i` of a kernel is that is called with these arguments: a template's may be a
/// reference, which takes no temporary.
template <class Call, std::size_t i, class Argument, class Indices, class... Arguments>
struct deduced;
template <class Call, std::size_t i, class Argument, std::size_t... j, class... Arguments>
struct deduced<Call, i, Argument, std::index_sequence<j...>, Arguments...> {
  static constexpr bool is_reference =
      std::is_lvalue_reference_v<Argument> && !std::is_array_v<std::remove_reference_t<Argument>> &&
      !std::is_invocable_v<Call const&, std::conditional_t<i == j, std::decay_t<Arguments>,
                                                           std::decay_t<Arguments>&>...>;
  using type = std::conditional_t<is_reference, Argument, std::decay_t<Argument>>;
};

/// The kernel with exactly these parameters, or nullptr.
template <class Find, class... Parameters>
auto exact_kernel(Find const& find, parameter_list<Parameters...>, parameter_list<>) {
  return find(static_cast<void (*)(Parameters...)>(nullptr));
}
/// Pointers to T may have become pointers to const T.
template <class Find, class... Before, class Next, class... Behind>
auto exact_kernel(Find const& find, parameter_list<Before...>, parameter_list<Next, Behind...>) {
  auto const same =
      exact_kernel(find, parameter_list<Before..., Next>{}, parameter_list<Behind...>{});
  using element = std::remove_pointer_t<Next>;
  if constexpr (std::is_null_pointer_v<std::remove_const_t<decltype(same)>> &&
                std::is_pointer_v<Next> && !std::is_const_v<element>)
    return exact_kernel(find, parameter_list<Before..., element const*>{},
                        parameter_list<Behind...>{});
  else
    return same;
}
/// The search is worth its time where a call would copy arguments once more for each thread.
template <class Find, class... Parameters>
auto kernel_for(Find const& find, parameter_list<Parameters...> all) {
  constexpr bool pays = (is_passed_by_address<Parameters> || ...) &&
                        (0 + ... + (std::is_pointer_v<Parameters> ? 1 : 0)) <= 8;
  if constexpr (pays)
    return exact_kernel(find, parameter_list<>{}, all);
  else
    return exact_kernel(find, all, parameter_list<>{});
}

template <class Call, class Find, class Address>
struct launcher {
  char const* name;
  shape how;
  callee<Call, Find, Address> kernel;

  template <class... Arguments>
  UPSWEEP_EMULATED_WORD void operator()(Arguments&&... arguments) const {
    with_indices(std::index_sequence_for<Arguments...>{}, static_cast<Arguments&&>(arguments)...);
  }

 private:
  template <std::size_t... i, class... Arguments>
  UPSWEEP_EMULATED_WORD void with_indices(std::index_sequence<i...> all,
                                          Arguments&&... arguments) const {
    parameter_list<typename deduced<Call, i, Arguments, decltype(all), Arguments...>::type...> const
        found;
    as(kernel_for(kernel.find, found), found, static_cast<Arguments&&>(arguments)...);
  }
  template <class... Parameters, class... Own>
  UPSWEEP_EMULATED_WORD void as(void (*exact)(Parameters...), parameter_list<Own...>,
                                std::type_identity_t<Parameters>... arguments) const {
    run_kernel(name, how, exact, arguments...);
  }
  template <class... Own>
  UPSWEEP_EMULATED_WORD void as(std::nullptr_t, parameter_list<Own...> all,
                                std::type_identity_t<Own>... arguments) const {
    run(all, name, how, nullptr, kernel.call, arguments...);
  }
};
template <class Call, class Find, class... Parameters>
struct launcher<Call, Find, void (*)(Parameters...)> {
  char const* name;
  shape how;
  callee<Call, Find, void (*)(Parameters...)> kernel;

  /// Arguments convert to the kernel's parameters: 0 and NULL to pointers, too.
  UPSWEEP_EMULATED_WORD void operator()(std::type_identity_t<Parameters>... arguments) const {
    run_kernel(name, how, kernel.address, arguments...);
  }
  /// The kernel has default arguments.
  template <class... Arguments>
    requires(sizeof...(Arguments) < sizeof...(Parameters))
  UPSWEEP_EMULATED_WORD void operator()(Arguments... arguments) const {
    run(parameter_list<Arguments...>{}, name, how, reinterpret_cast<void const*>(kernel.address),
        kernel.call, arguments...);
  }
};
template <class Call, class Find, class Address>
launcher<Call, Find, Address> launch(char const* name, shape how,
                                     callee<Call, Find, Address> kernel) {
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
  return callee<Call, Find, std::remove_const_t<decltype(address)>>{call, find, address};
}

}  // namespace upsweep::emulated

#ifdef __clang__
#define UPSWEEP_EMULATED_UNSEEN_LAMBDA __attribute__((no_sanitize("thread", "coverage")))
#else
#define UPSWEEP_EMULATED_UNSEEN_LAMBDA __attribute__((no_sanitize_thread, no_sanitize_coverage))
#endif
/// The name may be a template's, with or without its arguments, and a pointer's. The second
/// function gives the kernel's address, or that of the kernel of a pointer's type.
#define UPSWEEP_EMULATED_CALL(...)                                                          \
  ::upsweep::emulated::callee_of(                                                           \
      [=](auto&&... arguments) UPSWEEP_EMULATED_UNSEEN_LAMBDA                               \
      -> decltype(__VA_ARGS__(static_cast<decltype(arguments)&&>(arguments)...)) {          \
        __VA_ARGS__(static_cast<decltype(arguments)&&>(arguments)...);                      \
      },                                                                                    \
      [=](auto tag) {                                                                       \
        if constexpr (std::is_pointer_v<decltype(tag)>) {                                   \
          if constexpr (requires { static_cast<decltype(tag)>(__VA_ARGS__); })              \
            return static_cast<decltype(tag)>(__VA_ARGS__);                                 \
          else                                                                              \
            return nullptr;                                                                 \
        } else if constexpr (requires {                                                     \
                               ::upsweep::emulated::address_of<decltype(tag)>(__VA_ARGS__); \
                             }) {                                                           \
          return ::upsweep::emulated::address_of<decltype(tag)>(__VA_ARGS__);               \
        } else {                                                                            \
          return nullptr;                                                                   \
        }                                                                                   \
      })
