/// Asynchronous copies of groups.
#pragma once

#include "../words/groups/copies.h"
