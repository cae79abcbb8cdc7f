/// CUDA C++ on Upsweep's emulator: everything that nvcc knows without an include.
#pragma once

#include "words/keywords.h"
// The order matters to macros only: keywords first.
#include "words/accesses.h"
#include "words/atomics.h"
#include "words/barriers.h"
#include "words/c_library.h"
#include "words/graph_nodes.h"
#include "words/intrinsics.h"
#include "words/launch.h"
#include "words/launch_calls.h"
#include "words/math.h"
#include "words/ptx/arithmetic.h"
#include "words/ptx/memory.h"
#include "words/rounding.h"
#include "words/runtime.h"
#include "words/vectors.h"
#include "words/warp.h"
