/// Functions of the C library in kernels: clocks, assert(), and memcpy() and memset(), whose
/// accesses g++ does not report. printf() is the C library's.
#pragma once

#include "keywords.h"

#include <ctime>

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

// Clocks count the steps of the emulator, and say nothing about the time on a GPU.
UPSWEEP_EMULATED_WORD long long clock64() {
  return upsweep_emulated_clock();
}
/// The C library's in host code.
UPSWEEP_EMULATED_WORD clock_t upsweep_emulated_clock_word() {
  return upsweep_emulated_clock();
}
namespace std {
using ::upsweep_emulated_clock_word;
}
#define clock() upsweep_emulated_clock_word()
/// A template, since programs define a function of this name themselves.
template <class = void>
UPSWEEP_EMULATED_WORD unsigned long long __globaltimer() {
  return static_cast<unsigned long long>(upsweep_emulated_clock());
}

// The last of this file, because they become macros.
namespace std {
using ::upsweep_emulated_copy;
using ::upsweep_emulated_set;
}  // namespace std

#define memcpy upsweep_emulated_copy
#define memmove upsweep_emulated_copy
#define memset upsweep_emulated_set
