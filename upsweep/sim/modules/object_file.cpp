/// Reads and patches the ELF file itself: the loader keeps no names of local symbols.
#include <upsweep/sim/modules/object_file.hpp>

#include <cxxabi.h>
#include <elf.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <span>
#include <stdexcept>

namespace upsweep::sim {

namespace {

class elf_file {
 public:
  explicit elf_file(std::filesystem::path const& file) {
    std::ifstream in(file, std::ios::binary);
    bytes_.assign(std::istreambuf_iterator<char>(in), {});
    if (bytes_.size() < sizeof(Elf64_Ehdr) || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0 ||
        bytes_[EI_CLASS] != ELFCLASS64 || header().e_type != ET_DYN)
      throw std::runtime_error("'" + file.string() + "' is no shared object");
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

/// Undefined, and not one of the variables that the program defines.
bool is_dynamic_array(Elf64_Sym const& s, std::string_view name) {
  return s.st_shndx == SHN_UNDEF && ELF64_ST_TYPE(s.st_info) == STT_TLS && name != "threadIdx" &&
         name != "blockIdx" && name != "blockDim" && name != "gridDim";
}

/// `tile` of `void kernel<float>(float*)::tile`.
std::string short_name_of(char const* mangled) {
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(
      abi::__cxa_demangle(mangled, nullptr, nullptr, &status), std::free);
  std::string_view name = status == 0 ? text.get() : mangled;
  if (auto const scope = name.rfind("::"); scope != std::string_view::npos)
    name.remove_prefix(scope + 2);
  // Without a namespace, g++ and Clang number statics of one name in a function of C linkage: s.1.
  return std::string(name.substr(0, name.find('.')));
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
    auto const name = [&] { return short_name_of(object.name(SHT_SYMTAB, s)); };
    if (ELF64_ST_TYPE(s.st_info) == STT_TLS)
      code.arrays.emplace_back(s.st_size, s.st_value, name(), object.name(SHT_SYMTAB, s));
    else if (ELF64_ST_TYPE(s.st_info) == STT_OBJECT)
      code.variables.push_back({code.begin + s.st_value, s.st_size, name()});
  }
  std::ranges::sort(code.variables, {}, &module_variable::begin);
}

}  // namespace upsweep::sim
