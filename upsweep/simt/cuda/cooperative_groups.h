/// Cooperative groups.
#pragma once

#include "words/groups/tiles.h"
