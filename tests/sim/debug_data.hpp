/// A shared object with debug data that a test writes byte by byte.
#pragma once

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

namespace upsweep::sim_test {

/// `value` in `bytes` bytes, the lowest first.
inline std::string number(std::uint64_t value, unsigned bytes) {
  std::string all;
  for (unsigned i = 0; i < bytes; ++i) all += static_cast<char>(value >> 8 * i & 0xff);
  return all;
}
inline std::string leb(std::uint64_t value) {
  std::string all;
  for (; value > 0x7f; value >>= 7) all += static_cast<char>(value | 0x80);
  return all + static_cast<char>(value);
}
inline std::string text(std::string const& characters) {
  return characters + '\0';
}

/// An attribute: its number, its form, and its bytes. A constant is in the abbreviation.
struct attribute {
  unsigned number, form;
  std::string bytes;
  std::string constant{};
};

class debug_data {
 public:
  std::string strings, line_strings, string_offsets, addresses;

  /// Begins a unit of DWARF 5 or 4, which `end_unit` ends. The kind is that of DWARF 5.
  void begin_unit(unsigned version = 5, unsigned kind = 1) {
    unit_ = info_.size();
    info_ += number(0, 4) + number(version, 2);
    std::string const place = number(abbreviations_.size(), 4);
    info_ += version == 5 ? number(kind, 1) + number(8, 1) + place : place + number(8, 1);
    code_ = 0;
  }
  void end_unit() {
    info_.replace(unit_, 4, number(info_.size() - unit_ - 4, 4));
    abbreviations_ += '\0';
  }
  /// Returns the entry's position. Entries that follow are inside, until `close`.
  std::uint64_t open(unsigned tag, std::vector<attribute> const& list) {
    return entry(tag, list, true);
  }
  std::uint64_t add(unsigned tag, std::vector<attribute> const& list) {
    return entry(tag, list, false);
  }
  void close() { info_ += '\0'; }

  [[nodiscard]] std::uint64_t unit() const { return unit_; }
  std::string& info() { return info_; }

  /// Writes the object, whose first section has no name, as the standard says.
  void write(std::filesystem::path const& file) const {
    std::pair<std::string, std::string> const parts[]{{".debug_info", info_},
                                                      {".debug_abbrev", abbreviations_},
                                                      {".debug_str", strings},
                                                      {".debug_line_str", line_strings},
                                                      {".debug_str_offsets", string_offsets},
                                                      {".debug_addr", addresses}};
    std::string names(1, '\0'), contents;
    std::vector<Elf64_Shdr> sections(1);
    auto const add_section = [&](std::string const& name, std::string const& bytes) {
      Elf64_Shdr& s = sections.emplace_back();
      s.sh_name = static_cast<Elf64_Word>(names.size());
      s.sh_type = SHT_PROGBITS;
      s.sh_offset = sizeof(Elf64_Ehdr) + contents.size();
      s.sh_size = bytes.size();
      names += text(name);
      contents += bytes;
    };
    for (auto const& [name, bytes] : parts) add_section(name, bytes);
    add_section(".shstrtab", "");
    sections.back().sh_size = names.size();
    contents += names;
    contents.resize((contents.size() + 7) / 8 * 8);

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_type = ET_DYN;
    header.e_shoff = sizeof header + contents.size();
    header.e_shnum = static_cast<Elf64_Half>(sections.size());
    header.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
    std::ofstream out(file, std::ios::binary);
    out.write(reinterpret_cast<char const*>(&header), sizeof header);
    out << contents;
    out.write(reinterpret_cast<char const*>(sections.data()),
              static_cast<std::streamsize>(sections.size() * sizeof sections[0]));
  }

 private:
  std::uint64_t entry(unsigned tag, std::vector<attribute> const& list, bool has_children) {
    std::uint64_t const place = info_.size();
    info_ += leb(++code_);
    abbreviations_ += leb(code_) + leb(tag) + (has_children ? '\1' : '\0');
    for (attribute const& a : list) {
      abbreviations_ += leb(a.number) + leb(a.form) + a.constant;
      info_ += a.bytes;
    }
    abbreviations_ += std::string(2, '\0');
    return place;
  }

  std::string info_, abbreviations_;
  std::uint64_t unit_ = 0, code_ = 0;
};

}  // namespace upsweep::sim_test
