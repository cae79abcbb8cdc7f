# The CUDA backend. It has no kernels yet, so this only says what a build with them would find here; it never fails.
include(CheckLanguage)
check_language(CUDA)
find_package(CUDAToolkit QUIET)
if(CMAKE_CUDA_COMPILER AND CUDAToolkit_FOUND)
  message(STATUS "upsweep: CUDA ${CUDAToolkit_VERSION} found; this version has no CUDA kernels, the processor backend is built")
else()
  message(STATUS "upsweep: no CUDA compiler found; this version has no CUDA kernels, the processor backend is built")
endif()
