/// Clocks. They count the steps of the emulator, and say nothing about the time on a GPU.
#pragma once

#include "keywords.h"

#include <ctime>

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
