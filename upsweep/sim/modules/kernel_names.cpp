/// Reads the symbols of kernels.
#include <upsweep/sim/modules/kernel_names.hpp>

#include <cxxabi.h>
#ifndef __wasm__
#include <dlfcn.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string_view>

namespace upsweep::sim {

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
