/// How the functions of upsweep/simt/cuda/abi.h are defined.
#pragma once

#define UPSWEEP_SIM_EXPORTED extern "C" [[gnu::visibility("default")]]
