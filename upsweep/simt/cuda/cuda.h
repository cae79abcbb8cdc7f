/// What many programs include out of habit: the runtime. The driver API is not here.
#pragma once

#include "cuda_runtime.h"
