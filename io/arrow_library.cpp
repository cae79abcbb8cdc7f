/// Loads upsweep_arrow.so.
#include <io/arrow_library.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <system_error>

namespace upsweep::io {
namespace {

/// The module in a folder beside that of the running program, and nowhere else.
std::string module_path() {
  std::error_code none;
  auto const here = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  for (std::string const folder : {UPSWEEP_MODULE_FOLDERS}) {
    auto const path = (here / folder / "upsweep_arrow.so").lexically_normal();
    if (std::filesystem::exists(path, none)) return path;
  }
  return {};
}

/// It stays loaded.
loaded_library load() {
  auto const path = module_path();
  if (path.empty()) return {nullptr, "this upsweep was built without Arrow's library"};
  void* const module = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const entry = module != nullptr ? ::dlsym(module, arrow_entry) : nullptr;
  if (entry == nullptr)
    return {nullptr, fmt::format("{} cannot be loaded ({}), so Upsweep must be built again", path,
                                 ::dlerror())};
  return {reinterpret_cast<arrow_entry_function>(entry)()};
}

}  // namespace

loaded_library const& arrow_library() {
  static loaded_library const library = load();
  return library;
}

}  // namespace upsweep::io
