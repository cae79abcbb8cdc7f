# Enables CUDA if there is a compiler for it. Otherwise prints a message and builds only the
# processor backend; never fails.
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  # CMake 3.25 and 3.26 set a property of this target, which CUDA 13 has no library for.
  if(NOT TARGET CUDA::nvToolsExt)
    add_library(CUDA::nvToolsExt INTERFACE IMPORTED)
  endif()
  find_package(CUDAToolkit REQUIRED)
  # Without this nvcc compresses PTX only. Machine code shrinks to a tenth, in 30 ms for an object,
  # in the format that the drivers of any toolkit read.
  add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-Xfatbin=-compress-all>)
  # A call of a host function in a kernel is undefined behavior that nvcc only warns of.
  if(UPSWEEP_WERROR)
    add_compile_options("$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror cross-execution-space-call>")
  endif()
  # ccache must compare the files that a source depends on. Its preprocessed text shows only one
  # branch of `#if __CUDA_ARCH__`, so a change in another branch would be missed.
  if(UPSWEEP_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 ${UPSWEEP_CCACHE})
  endif()
  message(STATUS
    "upsweep: CUDA ${CUDAToolkit_VERSION} for compute capabilities ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "upsweep: no CUDA compiler found; building the processor backend only")
endif()
