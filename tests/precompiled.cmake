# The headers that most tests include, compiled once for each level of optimization; a test's object
# spends a second on them otherwise. The presets of sanitizers disable them, so that a test which
# lacks an include of its own is found.

# CMake would make system headers of them, in which nothing warns.
set(CMAKE_PCH_PROLOGUE "")

# upsweep_precompile(<target> <arguments of target_precompile_headers>). ccache has to be told to
# compare what precompiled headers were made from; it compiles anew whatever uses them otherwise.
# CCACHE_EXTRAFILES: it compares whole files. After the preprocessor a header whose comments changed
# is the same, but `#pragma once` compares its file with the precompiled one.
function(upsweep_precompile target how)
  target_precompile_headers(${target} ${how} ${ARGN})
  if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")
    set(launcher ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros)
    if(NOT how STREQUAL REUSE_FROM)
      set(root ${PROJECT_SOURCE_DIR})
      file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${root}/upsweep/*.h ${root}/upsweep/*.hpp
        ${root}/upsweep/*.inl ${root}/upsweep/*.cuh ${root}/tests/support/*.hpp)
      list(JOIN headers ":" headers)
      list(APPEND launcher CCACHE_EXTRAFILES=${headers})
    endif()
    list(APPEND launcher ${CMAKE_CXX_COMPILER_LAUNCHER})
    set_target_properties(${target} PROPERTIES CXX_COMPILER_LAUNCHER "${launcher}")
    target_compile_options(${target} PRIVATE
      $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>
      "$<$<COMPILE_LANG_AND_ID:CXX,Clang>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()

# upsweep_precompiled(<test> <level>): compiles the test with -O<level>, 0 if it is empty, and with
# the headers of that level.
function(upsweep_precompiled test level)
  if(level STREQUAL "")
    set(level 0)
  endif()
  target_compile_options(${test} PRIVATE
    $<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:-O${level}>)
  upsweep_precompile(${test} REUSE_FROM tests_headers_o${level})
endfunction()

# The same for a program without GoogleTest, whose options the precompiled headers have.
function(upsweep_precompiled_program program)
  target_link_libraries(${program} PRIVATE GTest::gtest)
  upsweep_precompiled(${program} "")
endfunction()

# upsweep_precompile_module(<module> PRIVATE <headers>... | REUSE_FROM <target>): for a module of
# emulated kernels. The includes that upsweep_emulated_module() forces are precompiled with the
# headers, because what is precompiled must come first.
function(upsweep_precompile_module module how)
  get_target_property(options ${module} COMPILE_OPTIONS)
  list(FILTER options EXCLUDE REGEX "^SHELL:-include")
  set_target_properties(${module} PROPERTIES COMPILE_OPTIONS "${options}")
  set(forced "")
  if(how STREQUAL PRIVATE)
    set(forced <cuda_runtime.h> <upsweep/simt/device.cuh>)
  endif()
  upsweep_precompile(${module} ${how} ${forced} ${ARGN})
endfunction()

# In angle brackets no path of this machine gets into what ccache compares. A test includes what it
# uses all the same.
set(for_tests <upsweep/generic/reference.hpp> <upsweep/upsweep.hpp> <gtest/gtest.h> <algorithm>
  <cstdint> <functional> <limits> <numeric> <ranges> <string> <vector>)
set(for_modules <support/bits.hpp> <support/random.hpp> <upsweep/generic/reference.hpp>
  <upsweep/ops/arithmetic.hpp> <upsweep/sim/machine.hpp> <gtest/gtest.h> <algorithm> <numeric>
  <string> <vector>)
file(CONFIGURE OUTPUT precompiled.cpp CONTENT "/// Has nothing but the headers.\n")
set(headers_alone ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cpp)
foreach(level 0 1 2)
  add_library(tests_headers_o${level} OBJECT EXCLUDE_FROM_ALL ${headers_alone})
  target_include_directories(tests_headers_o${level} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
  target_link_libraries(tests_headers_o${level} PRIVATE upsweep::upsweep upsweep_warnings
    GTest::gtest_main)
  target_compile_options(tests_headers_o${level} PRIVATE $<$<CONFIG:Release>:-O${level}>)
  upsweep_precompile(tests_headers_o${level} PRIVATE ${for_tests})
endforeach()
if(TARGET upsweep_sim_modules)
  foreach(name tests_headers_of_modules tests_headers_of_modules_with_calls)
    upsweep_emulated_module(${name} ${headers_alone})
    set_target_properties(${name} PROPERTIES EXCLUDE_FROM_ALL ON DEFINE_SYMBOL "")
    target_include_directories(${name} PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}
      $<TARGET_PROPERTY:GTest::gtest,INTERFACE_INCLUDE_DIRECTORIES>)
    upsweep_precompile_module(${name} PRIVATE ${for_modules})
  endforeach()
  target_compile_definitions(tests_headers_of_modules_with_calls PRIVATE UPSWEEP_EMULATED_CALLS)
endif()
