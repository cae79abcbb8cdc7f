/// What the tool makes of `kernel<<<blocks, threads, bytes>>>(arguments)`: these files are compiled
/// without it.
#pragma once

#ifdef __NVCC__
#define LAUNCH(kernel, ...) kernel<<<__VA_ARGS__>>>
#else
#define LAUNCH(kernel, ...)                                                     \
  ::upsweep::emulated::launch(#kernel, ::upsweep::emulated::shape(__VA_ARGS__), \
                              UPSWEEP_EMULATED_CALL(kernel))
#endif
