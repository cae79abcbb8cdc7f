/// Loads the modules of peers, which are installed on request, and selects the requested peers.
#include <bench/contestants/competitors.hpp>

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <known_peers.hpp>
#include <optional>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace upsweep::bench {
namespace {

/// The plain loops, and what is compared with Upsweep besides.
constexpr char const* modules[] = {"upsweep_loops.so", "upsweep_peers.so"};

/// A module is in one of the folders UPSWEEP_PEERS_FOLDERS, relative to the folder of the running
/// program.
std::string module_path(std::string const& module, std::string& tried) {
  std::error_code ignored;
  auto const here = std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path();
  for (std::string folder : {UPSWEEP_PEERS_FOLDERS}) {
    auto const path = (here / folder / module).lexically_normal();
    if (std::filesystem::exists(path, ignored)) return path;
    tried += (tried.empty() ? "" : ", ") + path.string();
  }
  return {};
}

/// The peers in the modules that are there, and in `trouble` what is wrong with the others.
std::vector<peer> module_peers(int threads, std::string& trouble) {
  std::vector<peer> all;
  for (std::string const name : modules) {
    std::string tried;
    std::string const path = module_path(name, tried);
    if (path.empty()) {
      trouble = "the module of peers is not installed (tried " + tried +
                "); where Upsweep was built, `cmake --install BUILD --component peers` installs it";
      continue;
    }
    // Never unloaded: its thread pools live until exit.
    void* const module = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const entry = module ? dlsym(module, peers_entry) : nullptr;
    if (!entry) {
      trouble = path + " cannot be loaded: " + std::string(dlerror());
      continue;
    }
    auto const found = reinterpret_cast<peers_function>(entry)(threads);
    all.insert(all.end(), found.first, found.first + found.size);
  }
  return all;
}

bool takes_part(known_peer const& k, benchmark in) {
  return in == benchmark::verbs ? k.verbs : k.operators;
}

competitor competitor_of(peer const& p, int threads) {
  return {p.name,
          p.title,
          role::peer,
          p.spins,
          [find = p.find, threads](work const& w, std::size_t n) {
            return find ? timed(find(w), n, threads) : timed_run{};
          },
          timed_verbs(p.verbs),
          {},
          true};
}

/// The first python3 on PATH may lack what the system's has.
std::optional<competitor> of_any_python(std::string const& library) {
  auto found = python_competitor(library, "python3");
  return found ? found : python_competitor(library, "/usr/bin/python3");
}

}  // namespace

std::vector<std::string> peer_names(benchmark of) {
  std::vector<std::string> names;
  for (auto const& k : known_peers)
    if (takes_part(k, of)) names.emplace_back(k.name);
  return names;
}

found_peers peers(benchmark of, std::vector<std::string> const& names, int threads) {
  auto const all = peer_names(of);
  for (auto const& name : names)
    if (name != "all" && std::ranges::find(all, name) == all.end())
      throw std::invalid_argument("bench: there is no peer '" + name +
                                  "'; `upsweep bench --help` lists them");
  auto const is_wanted = [&](std::string const& peer) {
    return std::ranges::any_of(names,
                               [&](auto const& name) { return name == "all" || name == peer; });
  };
  found_peers result;
  std::string trouble;
  auto const compiled = names.empty() ? std::vector<peer>() : module_peers(threads, trouble);
  for (auto const& k : known_peers) {
    if (!takes_part(k, of) || !is_wanted(k.name)) continue;
    std::optional<competitor> found;
    if (k.is_python) found = of_any_python(k.name);
    for (peer const& p : compiled)
      if (p.name == std::string(k.name)) found = competitor_of(p, threads);
    if (found)
      result.competitors.push_back(std::move(*found));
    else
      result.absent.push_back({k.name, k.is_python || trouble.empty() ? k.reason : trouble});
  }
  return result;
}

}  // namespace upsweep::bench
