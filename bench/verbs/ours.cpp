/// Gathers Upsweep's entries.
#include <bench/verbs/ours.hpp>

#include <vector>

namespace upsweep::bench {

verb_entries our_verbs() {
  static std::vector<verb_entry> const all = [] {
    std::vector<verb_entry> entries;
    for (auto const part : {our_selections(), our_parts(), our_counts(), our_sorts(), our_scans()})
      entries.insert(entries.end(), part.begin(), part.end());
    return entries;
  }();
  return all;
}

}  // namespace upsweep::bench
