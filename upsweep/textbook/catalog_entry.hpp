/// A row of the table of contents of the textbook.
///
/// `T` threads, `n` elements and `W` warps in a block, `C` blocks in a cluster, `c` the coarsening
/// factor, `B` blocks and `N` elements in all. "Applications" are calls of the operator.
#pragma once

#include <string_view>

namespace upsweep::textbook {

/// What an algorithm computes.
enum class kind { reduce, scan };
/// How much one launch of its kernel covers; its plan covers any N.
enum class scope { warp, block, device };

/// One algorithm. Its kernel is `stem`, its plan `<stem>_plan<threads>`, its page
/// docs/algorithms/<stem>.md.
struct entry {
  std::string_view stem;
  kind what;
  scope where;
  std::string_view file;          ///< below upsweep/textbook/
  std::string_view sentence;      ///< what it does that its predecessor does not
  std::string_view applications;  ///< of the kernel, on a full tile or on N elements as stated
  std::string_view steps;         ///< the longest chain of applications
  std::string_view
      traffic;  ///< its other costs, which the tests check: memory, barriers, shuffles, atomics
  std::string_view source;
  std::string_view improves_on;  ///< a stem, or nothing
  std::string_view improved_by;  ///< a stem, or nothing
  bool keeps_order = true;       ///< false: only for operators that commute
  bool inclusive = false;        ///< scans: which forms there are. A scan with both has
                                 ///< `<stem>_plan<threads, exclusive>`
  bool exclusive = false;
  bool emulator_only = false;
};

}  // namespace upsweep::textbook
