/// How the files of this folder join the module of peers: one verb_registration each.
#pragma once

#include <bench/verbs/call.hpp>

namespace upsweep::bench {

struct verb_registration {
  explicit verb_registration(verb_peer const& p);
};

/// A peer with all entries of an array.
template <std::size_t size>
[[nodiscard]] constexpr verb_peer verb_peer_of(char const* name, char const* title, bool spins,
                                               verb_entry const (&all)[size]) {
  return {name, title, spins, all, size};
}

}  // namespace upsweep::bench
