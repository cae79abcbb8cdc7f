/// Loads a module and makes it known to the emulator.
#include <upsweep/sim/modules/module.hpp>

#include <upsweep/sim/modules/debug_types.hpp>
#include <upsweep/sim/modules/object_file.hpp>
#include <upsweep/sim/modules/source_lines.hpp>
#include <upsweep/sim/modules/thread_locals.hpp>

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

namespace upsweep::sim {

namespace {

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
