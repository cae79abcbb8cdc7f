/// Modules that are a part of the program, where nothing can be loaded: WebAssembly.
#pragma once

#include <cstddef>
#include <cstdint>

namespace upsweep::sim {

/// What lab/wasm/instrument.mjs writes at the end of a module: @upsweep_module_<name>.
struct linked_module {
  std::uint32_t number, call_count, file_count, array_count;
  std::uint32_t const* calls;   ///< for each call of a hook, the begin of its chain
  std::uint32_t const* chains;  ///< a count, then pairs of file and line, the innermost call first
  char const* files;            ///< one after the other, each with its zero
  char const* arrays;           ///< the symbols of shared arrays, in the same form
  std::uint32_t const* bytes;   ///< of the arrays
  std::uint32_t variable_count, function_count;
  std::byte* const* variables;  ///< at namespace scope
  std::uint32_t const* variable_bytes;
  char const* variable_names;    ///< their symbols
  void const* const* functions;  ///< that may be kernels
  char const* function_names;    ///< their symbols
  char const* dynamic_name;      ///< the symbol of its only dynamic array, or ""
  std::uint32_t writable_count;  ///< of the variables, those that come first
};

/// Where a program that was loaded later has its data.
struct data_range {
  std::byte *begin = nullptr, *end = nullptr;
};

/// Launches run kernels of this module from now on.
void use_module(linked_module const& m, data_range data = {});

}  // namespace upsweep::sim
