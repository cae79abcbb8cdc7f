/// What the emulator knows of a loaded module: where its code is, and the names of its arrays and
/// variables.
#pragma once

#include <upsweep/sim/address_space.hpp>
#include <upsweep/sim/state.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace upsweep::sim {

/// Shadows of arrays of unknown element types begin with the largest access of a thread, and are
/// split at the first smaller one.
inline constexpr unsigned largest_granule = 16;

/// A shared array of a module: a thread-local variable whose addresses the emulator gives.
struct module_array {
  std::size_t bytes;
  std::size_t offset;  ///< from the beginning of the module's thread-local memory
  std::string name, symbol;
};

/// A variable at namespace scope: `__device__`, `__constant__`, `__managed__`, or the host's.
struct module_variable {
  std::byte* begin;
  std::size_t bytes;
  std::string name;
};

/// What a loader knows of the types in a module; a layout without bytes is an unknown type.
class element_types {
 public:
  virtual ~element_types() = default;
  [[nodiscard]] virtual element_layout of_array(module_array const& array) = 0;
  [[nodiscard]] virtual element_layout of_dynamic_array() = 0;
  [[nodiscard]] virtual element_layout of_variable(std::byte const* begin) = 0;
  /// `pointer`: a variable of the module, whose type is a pointer to the elements.
  [[nodiscard]] virtual element_layout of_pointer(void const* pointer) = 0;
};

/// Modules are never unloaded, so that every position stays readable.
struct loaded_code {
  std::byte *begin = nullptr, *end = nullptr;
  std::byte *data = nullptr, *data_end = nullptr;  ///< the writable part
  std::size_t tls_module = 0;              ///< the dynamic linker's number; 0: no shared arrays
  std::size_t shared_bytes = 0;            ///< of all thread-local variables, with their gaps
  std::deque<module_array> arrays;         ///< by offset
  std::vector<module_variable> variables;  ///< by address
  std::string dynamic_name;                ///< of its dynamic shared arrays, if they have only one
  std::unique_ptr<element_types> types;
  /// By the position of a shuffle, when tracing: a pointer variable, as in element_types.
  std::unordered_map<std::uint64_t, void const*> shuffled;

  [[nodiscard]] bool contains(void const* p) const { return begin <= p && p < end; }
  /// The variable that holds this byte; null if there is none.
  [[nodiscard]] module_variable const* variable_at(std::byte const* p) const;
  /// The same, or the last one before an address of writable data, or a little after it.
  [[nodiscard]] module_variable const* variable_near(std::byte const* p) const;
  /// The array that begins there in the thread-local memory, or nearest to it; null if there is
  /// none.
  [[nodiscard]] module_array* array_at(std::size_t offset);
};

/// Makes a module known to the launches that follow.
void add_code(loaded_code& code);
/// The module that holds this address of code or data, or null.
[[nodiscard]] loaded_code* code_at(void const* address);

/// Whether a shared array lies at this offset in the thread-local memory of a module that has any:
/// upsweep/simt/cuda/words/keywords.h keeps other variables away from these offsets. Offset 0 is
/// also what code asks for that adds the offset itself, such as the C++ library's.
[[nodiscard]] constexpr bool is_offset_of_array(std::size_t offset) {
  return offset != 0 && offset % cell_bytes == 0;
}

/// The module has shared arrays from now on. Throws std::runtime_error when there are too many.
void serve_shared_arrays(loaded_code const& code);

}  // namespace upsweep::sim
