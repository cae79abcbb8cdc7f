/// The table of the kernels that are linked into the program, which its build writes.
#pragma once

#include <lab/kernel_table.hpp>
#include <upsweep/sim/wasm/linked_module.hpp>

#include <span>
#include <string_view>

namespace upsweep::lab {

struct linked_kernel {
  std::string_view stem;
  sim::linked_module const* module;
  compiled_kernel const* (*compiled)();
};
[[nodiscard]] std::span<linked_kernel const> linked_kernels();

}  // namespace upsweep::lab
