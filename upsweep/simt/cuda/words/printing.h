/// assert() in kernels. printf() is the C library's.
#pragma once

#include "keywords.h"

// With its declarations, also under NDEBUG: the macro below must come after them.
#pragma push_macro("NDEBUG")
#undef NDEBUG
#include <cassert>
#pragma pop_macro("NDEBUG")

namespace upsweep::emulated {

UPSWEEP_EMULATED_WORD void assert_failed(char const* expression, char const* file, unsigned line,
                                         char const* function) {
  upsweep_emulated_assert_failed(expression, file, line, function);
}

}  // namespace upsweep::emulated

// What assert() calls, also after another <cassert>.
#define __assert_fail(...) ::upsweep::emulated::assert_failed(__VA_ARGS__)
