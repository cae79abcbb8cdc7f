# CUDA: the textbook's kernels under nvcc. Without a CUDA compiler this says so and the processor
# backend is built; it never fails.
include(CheckLanguage)
check_language(CUDA)
if(CMAKE_CUDA_COMPILER)
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 80 90)
  endif()
  enable_language(CUDA)
  find_package(CUDAToolkit REQUIRED)
  # ccache answers by what a file depends on, not by its preprocessed text, which shows one
  # architecture's side of `#if __CUDA_ARCH__` only: what changed on another side would be missed.
  if(UPSWEEP_CCACHE AND NOT DEFINED CMAKE_CUDA_COMPILER_LAUNCHER)
    set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_DEPEND=1 ${UPSWEEP_CCACHE})
  endif()
  message(STATUS
    "upsweep: CUDA ${CUDAToolkit_VERSION}, for compute capabilities ${CMAKE_CUDA_ARCHITECTURES}")
else()
  message(STATUS "upsweep: no CUDA compiler found; the processor backend is built")
endif()
