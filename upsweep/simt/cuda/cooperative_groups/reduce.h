/// Reductions of groups.
#pragma once

#include "../words/groups/combine.h"
