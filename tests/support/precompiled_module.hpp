/// What tests with emulated kernels include, after the words of CUDA (tests/precompiled.cmake).
#pragma once

#include <support/bits.hpp>
#include <support/random.hpp>
#include <upsweep/generic/reference.hpp>
#include <upsweep/ops/arithmetic.hpp>
#include <upsweep/sim/machine.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>
