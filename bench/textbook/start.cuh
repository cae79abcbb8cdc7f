/// Makes the functions of kernels.hpp from a plan of the textbook. Included by one generated file
/// per algorithm.
#pragma once

#include <bench/textbook/kernels.hpp>
#include <upsweep/cuda/machine.cuh>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/textbook/catalog.hpp>
#include <upsweep/textbook/skeleton.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace upsweep::gpu_textbook {

/// `Forms` has the plan of each form and tells whether there are two.
template <class Forms, class T, class Op>
void start(cuda_machine& machine, T const* in, T* out, std::size_t n,
           [[maybe_unused]] bool exclusive) {
  if constexpr (Forms::both) {
    if (exclusive) return Forms::template plan<true>::run(machine, in, out, n, Op{});
  }
  Forms::template plan<false>::run(machine, in, out, n, Op{});
}

template <class Forms, class T, class Op>
[[nodiscard]] start_function<T> start_if_supported() {
  if constexpr (textbook::plan_supports<typename Forms::template plan<false>, T, Op>)
    return start<Forms, T, Op>;
  else
    return nullptr;
}

template <class Forms>
[[nodiscard]] gpu_kernel kernel_of(std::string_view stem) {
  gpu_kernel k{stem, start_if_supported<Forms, std::int32_t, plus>(),
               start_if_supported<Forms, float, plus>(), nullptr};
  if constexpr (Forms::keeps_order)
    k.affine_maps = start_if_supported<Forms, map_element, affine>();
  return k;
}

}  // namespace upsweep::gpu_textbook
