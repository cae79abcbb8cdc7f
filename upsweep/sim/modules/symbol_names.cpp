/// Demangles by the C++ runtime.
#include <upsweep/sim/modules/symbol_names.hpp>

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

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

}  // namespace upsweep::sim
