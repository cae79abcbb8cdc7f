/// Values of constants and macros that a run sets in its copy of the source: --set N=1024.
#pragma once

#include <lab/source/edits.hpp>
#include <lab/source/tokens.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::lab::source {

struct setting {
  std::string name, value;
  std::size_t places = 0;  ///< where it was set
};

struct settings_of_run {
  std::vector<setting> all;
  std::vector<std::string> names;  ///< of the constants and macros that could be set
};

/// Edits `#define NAME ...` and `const int NAME = ...`, and in main also `int NAME = ...`.
void find_settings(token_view const& t, bool in_directive, settings_of_run& settings,
                   std::vector<edit>& edits);

}  // namespace upsweep::lab::source
