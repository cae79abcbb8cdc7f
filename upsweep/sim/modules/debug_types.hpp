/// The types of a module's variables, from its debug data.
#pragma once

#include <upsweep/sim/modules/debug_entries.hpp>
#include <upsweep/sim/trace.hpp>

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace upsweep::sim {

/// Reads DWARF 4 and 5 as g++ and Clang write them for one file. What it does not understand has
/// no type.
class debug_types {
 public:
  /// Throws std::runtime_error when the file is no shared object.
  explicit debug_types(std::filesystem::path const& file);

  /// The elements of the variable at an offset in the module's thread-local memory, at an offset in
  /// the module, or of that symbol; without bytes if there is none.
  [[nodiscard]] element_layout in_thread_locals(std::uint64_t offset) const;
  [[nodiscard]] element_layout at(std::uint64_t offset) const;
  [[nodiscard]] element_layout of(std::string const& symbol) const;
  /// What the pointer of that symbol points to.
  [[nodiscard]] element_layout pointed_to_by(std::string const& symbol) const;

 private:
  using place = std::uint64_t;  // of an entry

  void take(place at, debug_entry made, place parent);
  [[nodiscard]] place without_names(place type, std::vector<std::uint64_t>* extents) const;
  [[nodiscard]] element_layout layout(place type) const;
  void add_fields(place type, std::uint64_t offset, element_layout& to) const;

  std::map<place, debug_entry> entries_;
  std::map<std::uint64_t, place> types_in_thread_, types_at_;
  std::map<std::string, place> types_of_;
};

}  // namespace upsweep::sim
