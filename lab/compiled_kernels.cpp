/// Finds the modules of the textbook's kernels beside the tool, and loads them.
#include <lab/kernel_table.hpp>

#include <io/error.hpp>
#include <upsweep/sim/modules/module.hpp>

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace upsweep::lab {

namespace {

namespace fs = std::filesystem;

sim::module load(std::string_view name) {
  fs::path const tool = fs::canonical("/proc/self/exe");
  fs::path const file = (tool.parent_path() / UPSWEEP_KERNEL_MODULES / name).lexically_normal();
  if (!fs::exists(file))
    throw io::unavailable_error(
        fmt::format("the textbook's kernels should be in '{}', but there is no such file: use the "
                    "tool of a build tree, or reinstall Upsweep",
                    file.string()));
  return sim::module(file);
}

}  // namespace

compiled_kernel const& compiled_kernel_of(kernel const& k) {
  static std::map<std::string_view, sim::module> loaded;
  auto found = loaded.find(k.module);
  if (found == loaded.end()) found = loaded.emplace(k.module, load(k.module)).first;
  std::string const name = fmt::format("upsweep_kernel_{}", k.stem);
  return *found->second.function<compiled_kernel const*()>(name.c_str())();
}

}  // namespace upsweep::lab
