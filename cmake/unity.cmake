# Compiles several small sources together, because most of their compile time goes to shared
# headers. OFF compiles each separately, which suits editors and incremental builds.
option(UPSWEEP_UNITY "Compile small sources of the tool and the laboratory together"
  ${PROJECT_IS_TOP_LEVEL})

function(upsweep_unity target sources)
  if(UPSWEEP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
  endif()
endfunction()

# upsweep_cuda_unity(<variable> <sources>...): sets the variable to the sources of this folder or,
# with UPSWEEP_CUDA_UNITY (upsweep/cuda), to one that includes them, since nvcc takes nine seconds
# for the headers of each. CMake joins no sources of CUDA.
function(upsweep_cuda_unity variable)
  set(sources ${ARGN})
  if(UPSWEEP_CUDA_UNITY)
    file(RELATIVE_PATH folder ${PROJECT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR})
    list(TRANSFORM sources REPLACE "(.+)" "#include <${folder}/\\1>\n")
    list(JOIN sources "" lines)
    set(sources ${CMAKE_CURRENT_BINARY_DIR}/${variable}_together.cu)
    file(CONFIGURE OUTPUT ${sources} CONTENT "${lines}")
  endif()
  set(${variable} ${sources} PARENT_SCOPE)
endfunction()
