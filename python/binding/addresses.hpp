/// Memory of PyTorch's tensors by its addresses, and what is called by name, for functions whose
/// arguments the package has checked.
#pragma once

#include <upsweep/core/errors.hpp>
#include <upsweep/host/line_functions.hpp>
#include <upsweep/host/simd/loops.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>

namespace upsweep::python {

using address = std::uintptr_t;

template <class T>
T* pointer(address at) {
  return reinterpret_cast<T*>(at);
}

template <class Name>
Name named(std::string_view name, std::initializer_list<std::string_view> names) {
  auto const found = std::find(names.begin(), names.end(), name);
  detail::expects(found != names.end(), "_core: there is nothing of this name");
  return static_cast<Name>(found - names.begin());
}
inline host::simd::lane_type lane_type_named(std::string_view name) {
  return named<host::simd::lane_type>(name, {"f16", "bf16", "f32", "f64", "c64", "c128"});
}
inline host::simd::element_function element_function_named(std::string_view name) {
  return named<host::simd::element_function>(name, {"exp", "log", "softplus", "sigmoid"});
}

/// Functions of lines: `memory` has the addresses of x, gradient, weight, numbers and out.
inline host::line_functions line_functions_at(std::string_view name, std::string_view type,
                                              std::array<address, 5> const& memory,
                                              std::size_t count, std::size_t size,
                                              double parameter) {
  auto const function = named<host::line_function_name>(
      name, {"softmax", "softmax_gradient", "rms_norm", "rms_norm_gradient", "variance",
             "variance_gradient", "logsumexp_gradient", "log_softmax_gradient"});
  auto const& [x, gradient, weight, numbers, out] = memory;
  return {function,
          lane_type_named(type),
          pointer<void const>(x),
          pointer<void const>(gradient),
          pointer<void const>(weight),
          pointer<void>(numbers),
          pointer<void>(out),
          count,
          size,
          parameter};
}

}  // namespace upsweep::python
