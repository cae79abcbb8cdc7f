/// Loads the module of peers, which is installed on request, and selects the requested peers.
#include <bench/baselines/competitors.hpp>
#include <bench/baselines/peers_module.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <filesystem>
#include <known_peers.hpp>
#include <stdexcept>
#include <string_view>

namespace upsweep::bench {
namespace {

/// The module is in one of the folders UPSWEEP_PEERS_FOLDERS, relative to the folder of the running
/// program.
std::string module_path(std::string& tried) {
  std::error_code ignored;
  auto const here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (std::string folder : {UPSWEEP_PEERS_FOLDERS}) {
    auto const path = (here / folder / UPSWEEP_PEERS_FILE).lexically_normal();
    if (std::filesystem::exists(path, ignored)) return path;
    tried += (tried.empty() ? "" : ", ") + path.string();
  }
  return {};
}

peer_list module_peers(int threads, std::string& trouble) {
  void* const entry = peers_module_entry(peers_entry, trouble);
  if (!entry) return {nullptr, 0};
  return reinterpret_cast<peers_function>(entry)(threads);
}

/// The first python3 on PATH may lack NumPy although the system's has it.
std::vector<competitor> numpy_of_any_python() {
  auto found = numpy_competitors("python3");
  return found.empty() ? numpy_competitors("/usr/bin/python3") : found;
}

}  // namespace

void* peers_module_entry(char const* name, std::string& trouble) {
  std::string tried;
  std::string const path = module_path(tried);
  if (path.empty()) {
    trouble = "the module of peers is not installed (tried " + tried +
              "); where Upsweep was built, `cmake --install BUILD --component peers` installs it";
    return nullptr;
  }
  // Never unloaded: its thread pools live until exit.
  void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* const entry = module ? dlsym(module, name) : nullptr;
  if (!entry) trouble = path + " cannot be loaded: " + std::string(dlerror());
  return entry;
}

std::vector<std::string> peer_names() {
  std::vector<std::string> names;
  for (auto const& k : known_peers) names.emplace_back(k.name);
  names.emplace_back("numpy");
  return names;
}

found_peers peers(std::vector<std::string> const& names, int threads) {
  auto const all = peer_names();
  for (auto const& name : names)
    if (name != "all" && std::find(all.begin(), all.end(), name) == all.end())
      throw std::invalid_argument("bench: there is no peer '" + name +
                                  "'; `upsweep bench --help` lists them");
  auto wanted = [&](std::string const& name) {
    return std::any_of(names.begin(), names.end(),
                       [&](auto const& w) { return w == "all" || w == name; });
  };
  found_peers result;
  std::string trouble;
  peer_list const module = names.empty() ? peer_list{nullptr, 0} : module_peers(threads, trouble);
  for (auto const& k : known_peers) {
    if (!wanted(k.name)) continue;
    auto const* const end = module.first + module.size;
    auto const* const found = std::find_if(
        module.first, end, [&](peer const& p) { return std::string_view(p.name) == k.name; });
    if (found != end)
      result.competitors.push_back({found->name,
                                    found->title,
                                    role::peer,
                                    found->spins,
                                    [find = found->find, threads](work const& w, std::size_t n) {
                                      return timed(find(w), n, threads);
                                    },
                                    {},
                                    true});
    else
      result.absent.push_back({k.name, trouble.empty() ? k.reason : trouble});
  }
  if (wanted("numpy")) {
    auto const found = numpy_of_any_python();
    result.competitors.insert(result.competitors.end(), found.begin(), found.end());
    if (found.empty())
      result.absent.push_back({"numpy", "python3 cannot import numpy; install python3-numpy"});
  }
  return result;
}

}  // namespace upsweep::bench
