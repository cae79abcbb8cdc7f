/// memcpy() and memset(), whose accesses g++ does not report; the last of the headers, because they
/// become macros.
#pragma once

#include "keywords.h"

namespace std {
using ::upsweep_emulated_copy;
using ::upsweep_emulated_set;
}  // namespace std

#define memcpy upsweep_emulated_copy
#define memmove upsweep_emulated_copy
#define memset upsweep_emulated_set
