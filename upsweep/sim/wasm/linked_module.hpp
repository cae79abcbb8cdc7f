/// Modules that are a part of the program, where nothing can be loaded: WebAssembly.
#pragma once

#include <cstdint>

namespace upsweep::sim {

/// What lab/wasm/instrument.py writes at the end of a module: @upsweep_module_<name>.
struct linked_module {
  std::uint32_t number, call_count, file_count, array_count;
  std::uint32_t const* calls;   ///< for each call of a hook, the begin of its chain
  std::uint32_t const* chains;  ///< a count, then pairs of file and line, the innermost call first
  char const* files;            ///< one after the other, each with its zero
  char const* arrays;           ///< the symbols of shared arrays, in the same form
  std::uint32_t const* bytes;   ///< of the arrays
};

/// Launches run kernels of this module from now on.
void use_module(linked_module const& m);

}  // namespace upsweep::sim
