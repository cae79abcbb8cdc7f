/// Names of symbols, kernels and files as messages show them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace upsweep::sim {

/// `tile` of `void kernel<float>(float*)::tile`.
[[nodiscard]] std::string short_name_of(char const* mangled);
/// Whether a file is one of the emulator's, whose lines are not the program's.
[[nodiscard]] bool is_file_of_emulator(std::string_view file);

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
