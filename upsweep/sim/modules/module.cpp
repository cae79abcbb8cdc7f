/// Loads a module and makes it known to the emulator.
#include <upsweep/sim/modules/module.hpp>

#include <upsweep/sim/loaded_code.hpp>
#include <upsweep/sim/modules/kernel_names.hpp>
#include <upsweep/sim/modules/object_file.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::sim {

// Reads and patches the ELF file itself: the loader keeps no names of local symbols.

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

/// Makes undefined thread-local symbols weak in the file, if they are not yet: these are the
/// dynamic shared arrays, which no module defines. Throws std::runtime_error when the file is no
/// shared object of this processor.
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

/// Fills in the arrays and variables. `code.begin` must be known.
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

struct wanted {
  std::filesystem::path const& file;
  loaded_code& code;
};

/// Where the linker has put the object.
int take_addresses(dl_phdr_info* info, std::size_t, void* data) {
  auto const& [file, code] = *static_cast<wanted*>(data);
  std::error_code none;
  if (!std::filesystem::equivalent(info->dlpi_name, file, none)) return 0;
  code.begin = reinterpret_cast<std::byte*>(info->dlpi_addr);
  std::size_t end = 0;
  for (auto const* p = info->dlpi_phdr; p != info->dlpi_phdr + info->dlpi_phnum; ++p) {
    if (p->p_type == PT_TLS && p->p_align >= cell_bytes) {
      code.tls_module = info->dlpi_tls_modid;
      code.shared_bytes = p->p_memsz;
    }
    if (p->p_type != PT_LOAD) continue;
    end = std::max<std::size_t>(end, p->p_vaddr + p->p_memsz);
    if ((p->p_flags & PF_W) == 0) continue;
    code.data = code.begin + p->p_vaddr;
    code.data_end = code.data + p->p_memsz;
  }
  code.end = code.begin + end;
  return 1;
}

/// Reads the debug data when the first type is asked for.
class types_in_file : public element_types {
 public:
  types_in_file(std::filesystem::path file, loaded_code const& code)
      : file_(std::move(file)), code_(code) {}

  element_layout of_array(module_array const& array) override {
    return debug().in_thread_locals(array.offset);
  }
  element_layout of_dynamic_array() override { return debug().of(code_.dynamic_name); }
  element_layout of_variable(std::byte const* begin) override {
    return debug().at(static_cast<std::uint64_t>(begin - code_.begin));
  }
  element_layout of_pointer(void const* pointer) override {
    Dl_info info{};
    if (dladdr(pointer, &info) == 0 || info.dli_sname == nullptr) return {};
    return debug().pointed_to_by(info.dli_sname);
  }

 private:
  debug_types const& debug() {
    if (debug_ == nullptr) debug_ = std::make_unique<debug_types>(file_);
    return *debug_;
  }

  std::filesystem::path file_;
  loaded_code const& code_;
  std::unique_ptr<debug_types> debug_;
};

}  // namespace

module::module(std::filesystem::path const& file) :handle_(nullptr) {
  weaken_dynamic_arrays(file);
  std::string const full = std::filesystem::absolute(file).string();
  bool const is_new = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD) == nullptr;
  handle_ = dlopen(full.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (handle_ == nullptr) throw std::runtime_error(dlerror());
  if (!is_new) return;
  auto code = std::make_unique<loaded_code>();
  wanted w{file, *code};
  dl_iterate_phdr(take_addresses, &w);
  read_symbols(file, *code);
  if (code->tls_module != 0) serve_shared_arrays(*code);
  code->types = std::make_unique<types_in_file>(full, *code);
  find_lines_with_backtrace();
  add_code(*code.release());  // stays, as the object does
}

void* module::symbol(char const* name) const {
  return dlsym(handle_, name);
}

}  // namespace upsweep::sim
