/// The entries of a module's debug data that describe types and variables.
#pragma once

#include <upsweep/sim/modules/elf_file.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace upsweep::sim {

/// The attributes that matter to types. Positions are offsets in the section .debug_info.
struct debug_entry {
  unsigned tag = 0, encoding = 0;
  std::string name, symbol;
  std::uint64_t type = 0, origin = 0;
  std::uint64_t bytes = 0, offset = 0;
  std::optional<std::uint64_t> count, address, in_thread;
  bool is_declaration = false;
  std::vector<std::uint64_t> parts;  ///< members, base classes, dimensions
};

/// Calls `take` with the position of each entry, the entry, and the position of its parent. Stops
/// at what is not DWARF 4 or 5 as g++ and Clang write it.
void read_debug_entries(elf_file const& object,
                        std::function<void(std::uint64_t, debug_entry, std::uint64_t)> const& take);

}  // namespace upsweep::sim
