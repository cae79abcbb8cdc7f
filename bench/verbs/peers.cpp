/// Chooses the peers of `upsweep bench verbs` from the module.
#include <bench/baselines/peers_module.hpp>
#include <bench/verbs/participants.hpp>

#include <algorithm>
#include <known_peers.hpp>
#include <stdexcept>

namespace upsweep::bench {
namespace {

verb_peer_list loaded_peers(int threads, std::string& trouble) {
  void* const entry = peers_module_entry(verb_peers_entry, trouble);
  if (!entry) return {nullptr, 0};
  return reinterpret_cast<verb_peers_function>(entry)(threads);
}

}  // namespace

std::vector<std::string> verb_peer_names() {
  std::vector<std::string> names;
  for (auto const& k : known_verb_peers) names.emplace_back(k.name);
  names.insert(names.end(), std::begin(python_libraries), std::end(python_libraries));
  return names;
}

found_verb_peers verb_peers(std::vector<std::string> const& names, int threads) {
  auto const all = verb_peer_names();
  for (auto const& name : names)
    if (name != "all" && std::ranges::find(all, name) == all.end())
      throw std::invalid_argument("bench verbs: there is no peer '" + name +
                                  "'; `upsweep bench --help` lists them");
  found_verb_peers result;
  std::string trouble;
  verb_peer_list const module =
      names.empty() ? verb_peer_list{nullptr, 0} : loaded_peers(threads, trouble);
  auto const is_wanted = [&](std::string const& peer) {
    return std::ranges::any_of(names,
                               [&](auto const& name) { return name == "all" || name == peer; });
  };
  for (auto const& k : known_verb_peers) {
    if (!is_wanted(k.name)) continue;
    auto const* const end = module.first + module.size;
    auto const* const found = std::find_if(
        module.first, end, [&](verb_peer const& p) { return std::string(p.name) == k.name; });
    if (found != end)
      result.participants.push_back(participant_of(found->name, found->title, role::peer,
                                                   {found->first, found->size}, found->spins));
    else
      result.absent.push_back({k.name, trouble.empty() ? k.reason : trouble});
  }
  for (std::string const library : python_libraries) {
    if (!is_wanted(library)) continue;
    // The first python3 on PATH may lack what the system's has.
    auto found = python_participant(library, "python3");
    if (!found) found = python_participant(library, "/usr/bin/python3");
    if (found)
      result.participants.push_back(*found);
    else
      result.absent.push_back({library, "python3 cannot import " + library});
  }
  return result;
}

}  // namespace upsweep::bench
