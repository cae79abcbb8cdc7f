/// What a kernel's symbol says.
#pragma once

#include <cstddef>
#include <string>

namespace upsweep::sim {

/// The mangled symbol of a function; empty if there is none at this address, as for static
/// functions. Where nothing is loaded, a table of the module has it (wasm/linked_module.cpp).
[[nodiscard]] std::string symbol_of(void const* function);

/// `void scale<float>(float*, int)`; empty if there is no symbol at this address, as for static
/// functions, or one without types.
[[nodiscard]] std::string signature_of(void const* kernel);
/// The offset of the parenthesis before the parameters in a signature.
[[nodiscard]] std::size_t parameters_in(std::string const& signature);

/// `said`, or the name of the kernel at `code` if that is another one: `said` is a variable then.
[[nodiscard]] std::string kernel_name(char const* said, void const* code);

}  // namespace upsweep::sim
