/// A row of the table of contents of the textbook.
///
/// `T` threads in a block, `n` elements in a block, `B` blocks, `N` elements in all, `W` warps in a
/// block. "Applications" are calls of the operator.
#pragma once

#include <string_view>

namespace upsweep::textbook {

/// What an algorithm computes.
enum class kind { reduce, scan };
/// How far one launch of its kernel reaches; its plan reaches any N.
enum class scope { warp, block, device };

/// One algorithm. Its kernel is `stem`, its plan `<stem>_plan<threads>`, its page
/// docs/algorithms/<stem>.md.
struct entry {
  std::string_view stem;
  kind what;
  scope where;
  std::string_view file;      ///< below upsweep/textbook/
  std::string_view sentence;  ///< what it does that its predecessor does not
  std::string_view
      applications;        ///< of the kernel, on one full tile or on N elements as the text says
  std::string_view steps;  ///< the longest chain of applications
  std::string_view
      traffic;  ///< what else it costs and is checked: memory, barriers, shuffles, atomics
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
