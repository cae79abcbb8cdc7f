# Warnings for our own code; they do not apply to users who embed the library. Our own files need no
# check of their flags (core/unit_flags.hpp), which would put their paths into what is installed.
add_library(upsweep_warnings INTERFACE)
target_compile_definitions(upsweep_warnings INTERFACE UPSWEEP_ANY_FLAGS)
target_compile_options(upsweep_warnings INTERFACE
  -Wall -Wno-unknown-pragmas -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wno-psabi
  $<$<BOOL:${UPSWEEP_WERROR}>:-Werror>)
# g++ 13 has a false one in fmt 9.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
  target_compile_options(upsweep_warnings INTERFACE
    $<$<BOOL:${UPSWEEP_WERROR}>:-Wno-error=array-bounds>)
endif()
