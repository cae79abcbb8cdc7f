/// Reads and patches the ELF file itself: the loader keeps no names of local symbols.
#include <upsweep/sim/modules/object_file.hpp>

#include <upsweep/sim/modules/elf_file.hpp>
#include <upsweep/sim/modules/symbol_names.hpp>
#include <upsweep/sim/modules/thread_locals.hpp>

#include <algorithm>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace upsweep::sim {

namespace {

/// Undefined, and not one of the variables that the program or the C++ library defines.
bool is_dynamic_array(Elf64_Sym const& s, std::string_view name) {
  return s.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(s.st_info) == STT_TLS && name != "threadIdx" &&
         name != "blockIdx" && name != "blockDim" && name != "gridDim" && !name.starts_with("_ZSt");
}

/// What the headers of the emulator keep in the module is no variable of the program: an index
/// beyond an array beside it would be taken for an access of it.
bool is_of_the_emulator(std::string_view mangled) {
  return mangled.find("7upsweep8emulated") != mangled.npos;
}

}  // namespace

void weaken_dynamic_arrays(std::filesystem::path const& file) {
  elf_file const object(file);
  for (Elf64_Sym const& s : object.symbols(SHT_DYNSYM)) {
    if (!is_dynamic_array(s, object.name(SHT_DYNSYM, s)) || ELF64_ST_BIND(s.st_info) == STB_WEAK)
      continue;
    std::fstream out(file, std::ios::in | std::ios::out | std::ios::binary);
    out.seekp(static_cast<std::streamoff>(object.offset_of(&s.st_info)));
    out.put(static_cast<char>(ELF64_ST_INFO(STB_WEAK, STT_TLS)));
    if (!out.flush())
      throw std::runtime_error("'" + file.string() +
                               "' cannot be written: its dynamic shared arrays need a weak symbol");
  }
}

void read_symbols(std::filesystem::path const& file, loaded_code& code) {
  elf_file const object(file);
  std::vector<std::string> dynamic;
  for (Elf64_Sym const& s : object.symbols(SHT_DYNSYM))
    if (is_dynamic_array(s, object.name(SHT_DYNSYM, s)))
      dynamic.push_back(short_name_of(object.name(SHT_DYNSYM, s)));
  std::ranges::sort(dynamic);
  if (!dynamic.empty() && dynamic.front() == dynamic.back()) code.dynamic_name = dynamic.front();

  for (Elf64_Sym const& s : object.symbols(SHT_SYMTAB)) {
    if (s.st_shndx == SHN_UNDEF || s.st_size == 0) continue;
    char const* const mangled = object.name(SHT_SYMTAB, s);
    auto const name = [&] { return short_name_of(mangled); };
    if (ELF64_ST_TYPE(s.st_info) == STT_TLS && is_offset_of_array(s.st_value))
      code.arrays.push_back({s.st_size, s.st_value, name(), mangled});
    else if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT && !is_of_the_emulator(mangled))
      code.variables.push_back({code.begin + s.st_value, s.st_size, name()});
  }
  std::ranges::sort(code.variables, {}, &module_variable::begin);
}

}  // namespace upsweep::sim
