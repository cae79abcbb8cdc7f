/// All that a machine has found, as text.
#pragma once

#include <upsweep/sim/machine.hpp>

#include <cctype>
#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::sim_test {

/// The sentence with "@" for each file of a test and its line.
inline std::string without_places(std::string sentence) {
  for (std::string const end : {".cpp:", ".hpp:"})
    for (std::size_t at = 0; (at = sentence.find(end, at)) != sentence.npos;) {
      std::size_t const begin =
          sentence.find_last_not_of("abcdefghijklmnopqrstuvwxyz_", at - 1) + 1;
      std::size_t last = at + end.size();
      while (std::isdigit(static_cast<unsigned char>(sentence[last])) != 0) ++last;
      sentence.replace(begin, last - begin, "@");
      at = begin;
    }
  return sentence;
}

/// "race in a block 0.0 0.33 x2: thread ..." for each finding.
inline std::vector<std::string> found_by(sim::machine const& m) {
  std::vector<std::string> all;
  for (auto const& f : m.result().findings) {
    std::string text = name_of(f.kind);
    for (auto const& t : {f.first_thread, f.second_thread})
      if (t) text += " " + std::to_string(t->block) + "." + std::to_string(t->thread);
    if (f.occurrences != 1) text += " x" + std::to_string(f.occurrences);
    all.push_back(text + ": " + without_places(f.sentence));
  }
  return all;
}

}  // namespace upsweep::sim_test
