/// What the emulator knows of a loaded module: where its code is, and the names of its arrays and
/// variables.
#pragma once

#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace upsweep::sim {

/// A shared array of a module: a thread-local variable, whose addresses the emulator gives.
struct module_array {
  emulated::shared_key key;
  std::size_t offset;  ///< from the beginning of the module's thread-local memory
  std::string name;

  module_array(std::size_t bytes, std::size_t at, std::string called)
      : key(bytes, 4, {}), offset(at), name(std::move(called)) {}
};

/// A variable at namespace scope: `__device__`, `__constant__`, `__managed__`, or the host's.
struct module_variable {
  std::byte* begin;
  std::size_t bytes;
  std::string name;
};

/// Modules are never unloaded, so that every position stays readable.
struct loaded_code {
  std::byte *begin = nullptr, *end = nullptr;
  std::size_t tls_module = 0;              ///< the dynamic linker's number; 0: no shared arrays
  std::deque<module_array> arrays;         ///< by offset
  std::vector<module_variable> variables;  ///< by address
  std::string dynamic_name;                ///< of its dynamic shared arrays, if they have only one

  [[nodiscard]] bool contains(void const* p) const { return begin <= p && p < end; }
  [[nodiscard]] module_variable const* variable_at(std::byte const* p) const;
  /// The array that holds this byte of the thread-local memory, or else the nearest to it.
  [[nodiscard]] module_array* array_near(std::size_t offset);
};

/// Makes a module known to the launches that follow.
void add_code(loaded_code& code);
/// The module that holds this address of code or data, or null.
[[nodiscard]] loaded_code* code_at(void const* address);

}  // namespace upsweep::sim
