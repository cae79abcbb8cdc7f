/// A shared object of this processor as a file: its symbols and sections.
#pragma once

#include <elf.h>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string_view>
#include <system_error>
#include <vector>

namespace upsweep::sim {

/// The constructor throws std::runtime_error when the file is no shared object.
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

}  // namespace upsweep::sim
