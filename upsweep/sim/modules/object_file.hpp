/// What the file of a module tells: its symbols, and the types and lines of its debug data.
#pragma once

#include <upsweep/sim/trace.hpp>

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace upsweep::sim {

/// A shared object of this processor: its symbols and sections. The constructor throws
/// std::runtime_error when the file is no shared object.
class elf_file {
 public:
  explicit elf_file(std::filesystem::path const& file) {
    if (std::error_code none; std::filesystem::is_regular_file(file, none))
      bytes_.resize(std::filesystem::file_size(file));
    std::ifstream(file, std::ios::binary)
        .read(bytes_.data(), static_cast<std::streamsize>(bytes_.size()));
    if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0 ||
        bytes_[EI_CLASS] != ELFCLASS64 || header().e_type != ET_DYN)
      throw std::runtime_error("'" + file.string() + "' is not a shared object");
  }

  /// The first table of this type; empty if there is none.
  [[nodiscard]] std::span<Elf64_Sym const> symbols(unsigned type) const {
    Elf64_Shdr const* const s = section(type);
    if (s == nullptr) return {};
    return {at<Elf64_Sym>(s->sh_offset), s->sh_size / sizeof(Elf64_Sym)};
  }
  [[nodiscard]] char const* name(unsigned table, Elf64_Sym const& symbol) const {
    return at<char>(sections()[section(table)->sh_link].sh_offset) + symbol.st_name;
  }
  /// The contents of the section of that name; empty if there is none.
  [[nodiscard]] std::span<std::byte const> contents(std::string_view name) const {
    Elf64_Shdr const& names = sections()[header().e_shstrndx];
    for (Elf64_Shdr const& s : sections())
      if (name == at<char>(names.sh_offset) + s.sh_name && s.sh_type != SHT_NOBITS)
        return {at<std::byte>(s.sh_offset), s.sh_size};
    return {};
  }
  [[nodiscard]] std::size_t offset_of(void const* part) const {
    return static_cast<std::size_t>(static_cast<char const*>(part) - bytes_.data());
  }

 private:
  template <class T>
  [[nodiscard]] T const* at(std::size_t offset) const {
    return reinterpret_cast<T const*>(bytes_.data() + offset);
  }
  [[nodiscard]] Elf64_Ehdr const& header() const { return *at<Elf64_Ehdr>(0); }
  [[nodiscard]] std::span<Elf64_Shdr const> sections() const {
    return {at<Elf64_Shdr>(header().e_shoff), header().e_shnum};
  }
  [[nodiscard]] Elf64_Shdr const* section(unsigned type) const {
    auto const all = sections();
    auto const found = std::ranges::find(all, type, &Elf64_Shdr::sh_type);
    return found == all.end() ? nullptr : &*found;
  }

  std::vector<char> bytes_;
};

/// An entry of the debug data that describes a type or a variable: the attributes that matter to
/// types. Positions are offsets in the section .debug_info.
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

/// The types of a module's variables. Reads DWARF 4 and 5 as g++ and Clang write them for one file.
/// What it does not understand has no type.
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

/// Lines of positions in modules are looked up from now on.
void find_lines_with_backtrace();

}  // namespace upsweep::sim
