/// What most tests include (tests/precompiled.cmake). A test includes what it uses all the same.
#pragma once

#include <upsweep/generic/reference.hpp>
#include <upsweep/upsweep.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <ranges>
#include <string>
#include <vector>
