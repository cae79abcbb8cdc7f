/// The timings of a row of `upsweep bench verbs`.
#pragma once

#include <bench/harness/measure.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace upsweep::bench {

/// One verb over one kind of data at one size.
struct verb_cell {
  std::string verb, op, type, data;  ///< "windowed", "max", "f32", "100 wide"
  std::string title;                 ///< all of them
  std::size_t n = 0;
  bool cold = false;        ///< as in cell
  std::size_t traffic = 0;  ///< bytes that a call must read and write
  std::vector<series> all{};
};

}  // namespace upsweep::bench
