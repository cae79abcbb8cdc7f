# Writes bench_build.hpp: compiler, flags and revision of this build, for the reports.
set(build_compiler "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}")
set(build_type "${CMAKE_BUILD_TYPE}")
string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}" build_flags)
set(build_peer_flags "${peer_flags_text}")

set(build_revision unknown)
find_package(Git QUIET)
if(GIT_FOUND AND EXISTS ${PROJECT_SOURCE_DIR}/.git)
  execute_process(COMMAND ${GIT_EXECUTABLE} -C ${PROJECT_SOURCE_DIR} describe --always --dirty
    --abbrev=10 --exclude=*
    OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(build_revision "${described}")
  endif()
  foreach(changed HEAD logs/HEAD)  # reconfigures after a commit or a checkout
    if(EXISTS ${PROJECT_SOURCE_DIR}/.git/${changed})
      set_property(DIRECTORY
        APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/.git/${changed})
    endif()
  endforeach()
endif()

file(CONFIGURE OUTPUT ${generated}/bench_build.hpp CONTENT [[
/// How this program was built, written by bench/build_info.cmake.
#pragma once

namespace upsweep::bench {

inline constexpr char const* build_compiler = "@build_compiler@";
inline constexpr char const* build_type = "@build_type@";
inline constexpr char const* build_flags = "@build_flags@";
inline constexpr char const* build_peer_flags = "@build_peer_flags@";
inline constexpr char const* build_revision = "@build_revision@";

}  // namespace upsweep::bench
]] @ONLY)
