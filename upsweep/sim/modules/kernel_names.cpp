/// Demangles by the C++ runtime.
#include <upsweep/sim/modules/kernel_names.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

#ifndef __wasm__
#include <dlfcn.h>
#endif

namespace upsweep::sim {

namespace {

/// Whether `folder` is a part of `file`, which is relative where the build has shortened its paths.
bool is_below(std::string_view file, std::string_view folder) {
  auto const at = file.find(folder);
  return at != file.npos && (at == 0 || file[at - 1] == '/');
}

}  // namespace

std::string short_name_of(char const* mangled) {
  // What is no mangled name may be one of a type: "s" is short.
  bool const is_mangled = std::string_view(mangled).starts_with("_Z");
  int status = -1;
  std::unique_ptr<char, void (*)(void*)> const text(
      is_mangled ? abi::__cxa_demangle(mangled, nullptr, nullptr, &status) : nullptr, std::free);
  std::string_view name = status == 0 ? text.get() : mangled;
  if (auto const scope = name.rfind("::"); scope != std::string_view::npos)
    name.remove_prefix(scope + 2);
  // Without a namespace, g++ and Clang number statics of one name in a function of C linkage: s.1.
  return std::string(name.substr(0, name.find('.')));
}

bool is_file_of_emulator(std::string_view file) {
  return is_below(file, "upsweep/simt/") || is_below(file, "upsweep/sim/");
}

#ifndef __wasm__
std::string symbol_of(void const* function) {
  Dl_info info{};
  bool const is_there = function != nullptr && dladdr(function, &info) != 0 &&
                        info.dli_sname != nullptr && info.dli_saddr == function;
  return is_there ? info.dli_sname : std::string();
}
#endif

std::string signature_of(void const* kernel) {
  std::string const symbol = symbol_of(kernel);
  if (!symbol.starts_with("_Z")) return {};
  int status = 0;
  std::unique_ptr<char, void (*)(void*)> const text(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && std::string_view(text.get()).ends_with(')') ? text.get() : std::string();
}

std::size_t parameters_in(std::string const& signature) {
  std::size_t begin = signature.size() - 1;
  for (int depth = 1; begin > 0 && depth > 0;) {
    char const c = signature[--begin];
    depth += c == ')' ? 1 : c == '(' ? -1 : 0;
  }
  return begin;
}

std::string kernel_name(char const* said, void const* code) {
  std::string name = signature_of(code);
  if (name.empty()) return said;
  name.resize(parameters_in(name));
  if (name.starts_with("void ")) name.erase(0, 5);  // of a template
  // The source may leave out namespaces, and template arguments that the call deduces.
  auto const short_name = [](std::string text) {
    text.resize(std::min(text.find('<'), text.size()));
    return text.substr(text.rfind(':') + 1);
  };
  return short_name(said) == short_name(name) || name.find("bound_call") != name.npos ? said : name;
}

}  // namespace upsweep::sim
