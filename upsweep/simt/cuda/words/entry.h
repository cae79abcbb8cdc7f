/// A function through which the tool calls one kernel by name: `upsweep run FILE.cu --kernel`.
/// Included only by modules that are compiled for that.
#pragma once

#include "launch.h"

#include <cstddef>
#include <type_traits>
#include <utility>

namespace upsweep::emulated {

template <class Parameter>
upsweep_emulated_parameter parameter() {
  using type = std::remove_cvref_t<Parameter>;
  if constexpr (std::is_pointer_v<type>) {
    using pointee = std::remove_pointer_t<type>;
    using element = std::conditional_t<std::is_void_v<pointee>, unsigned char, pointee>;
    return {1, std::is_const_v<element>, sizeof(element), &pointer_to<std::remove_cv_t<element>>};
  } else {
    return {0, 1, sizeof(type), &pointer_to<type>};
  }
}

template <class... Parameters, std::size_t... i>
int enter(char const* name, void (*kernel)(Parameters...), upsweep_emulated_entry_call& c,
          std::index_sequence<i...>) {
  constexpr std::size_t count = sizeof...(Parameters);
  upsweep_emulated_parameter const all[count + 1] = {parameter<Parameters>()...};
  c.count = count;
  c.kernel = reinterpret_cast<void const*>(kernel);
  for (std::size_t k = 0; k < count && k < upsweep_emulated_most_parameters; ++k)
    c.parameters[k] = all[k];
  if (c.arguments == nullptr) return 0;
  shape how({c.shape.blocks.x, c.shape.blocks.y, c.shape.blocks.z},
            {c.shape.threads.x, c.shape.threads.y, c.shape.threads.z}, c.shape.shared_bytes);
  how.cluster = c.shape.cluster;
  return run_kernel(name, how, kernel,
                    *static_cast<std::remove_reference_t<Parameters>*>(c.arguments[i])...);
}
template <class... Parameters>
int enter(char const* name, void (*kernel)(Parameters...), upsweep_emulated_entry_call& c) {
  return enter(name, kernel, c, std::index_sequence_for<Parameters...>{});
}

}  // namespace upsweep::emulated

#define UPSWEEP_EMULATED_ENTRY(...)                                          \
  extern "C" int upsweep_emulated_entry(upsweep_emulated_entry_call* call) { \
    return ::upsweep::emulated::enter(#__VA_ARGS__, __VA_ARGS__, *call);     \
  }
