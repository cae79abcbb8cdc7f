/// Scans of groups.
#pragma once

#include "reduce.h"
