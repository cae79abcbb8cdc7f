/// Words of CUDA that the emulator does not have: a use is an error of the compiler that says so.
#pragma once

#include "keywords.h"

namespace upsweep::emulated {
template <class>
inline constexpr bool never = false;
}  // namespace upsweep::emulated

#define UPSWEEP_EMULATED_REFUSE(word, why)                                               \
  template <class T = void, class... Arguments>                                          \
  T word(Arguments const&...) {                                                          \
    static_assert(upsweep::emulated::never<T>, "the emulator has no " #word "(): " why); \
  }
#define UPSWEEP_EMULATED_REFUSE_TEXTURE(word) \
  UPSWEEP_EMULATED_REFUSE(word, "read the texture's array from global memory")
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex1D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex1Dfetch)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex2D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex2DLayered)
UPSWEEP_EMULATED_REFUSE_TEXTURE(tex3D)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf1Dread)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf1Dwrite)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf2Dread)
UPSWEEP_EMULATED_REFUSE_TEXTURE(surf2Dwrite)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaCreateTextureObject)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaCreateSurfaceObject)
UPSWEEP_EMULATED_REFUSE_TEXTURE(cudaBindTexture)
UPSWEEP_EMULATED_REFUSE(cudaMallocArray, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaMalloc3D, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaMalloc3DArray, "use cudaMalloc()")
UPSWEEP_EMULATED_REFUSE(cudaIpcGetMemHandle, "it emulates one process")
#undef UPSWEEP_EMULATED_REFUSE_TEXTURE
#undef UPSWEEP_EMULATED_REFUSE

typedef unsigned long long cudaTextureObject_t;
typedef unsigned long long cudaSurfaceObject_t;
