# Makes compilers of `zig c++ -target <target>`: clang with its own libc++ and the C library and
# headers of many systems. zig is one program; CMake needs one for each tool, so these are scripts.
#
# upsweep_zig(<target>): sets CMAKE_C_COMPILER, CMAKE_CXX_COMPILER, CMAKE_AR and CMAKE_RANLIB. zig
# comes from the package ziglang of PyPI (`pip install ziglang`), in .venv/ or on the PATH.
# UPSWEEP_PREFIX may name a folder with other libraries for that system.
macro(upsweep_zig target)
  find_program(UPSWEEP_ZIG NAMES python-zig zig REQUIRED
    HINTS ${CMAKE_CURRENT_LIST_DIR}/../../.venv/bin)
  set(upsweep_zig_tools ${CMAKE_BINARY_DIR}/zig)
  # Without optimization zig compiles calls of UBSan, which it does not link everywhere.
  set(options "-target ${target} -fno-sanitize=undefined")
  foreach(tool "cc;cc ${options}" "c++;c++ ${options}" "ar;ar" "ranlib;ranlib")
    list(GET tool 0 name)
    list(GET tool 1 words)
    if(NOT EXISTS ${upsweep_zig_tools}/${name})
      file(WRITE ${upsweep_zig_tools}/${name} "#!/bin/sh\nexec ${UPSWEEP_ZIG} ${words} \"$@\"\n")
      file(CHMOD ${upsweep_zig_tools}/${name}
        PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE)
    endif()
  endforeach()
  set(CMAKE_C_COMPILER ${upsweep_zig_tools}/cc)
  set(CMAKE_CXX_COMPILER ${upsweep_zig_tools}/c++)
  set(CMAKE_AR ${upsweep_zig_tools}/ar)
  set(CMAKE_RANLIB ${upsweep_zig_tools}/ranlib)
  set(CMAKE_CXX_COMPILER_AR ${CMAKE_AR})
  set(CMAKE_CXX_COMPILER_RANLIB ${CMAKE_RANLIB})
  set(CMAKE_CXX_COMPILER_LAUNCHER "")  # zig has a cache of its own
  list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES UPSWEEP_ZIG UPSWEEP_PREFIX)
  # Nothing of this machine's: zig brings all that a program of the core needs.
  set(CMAKE_FIND_ROOT_PATH ${upsweep_zig_tools} ${UPSWEEP_PREFIX})
  foreach(kind LIBRARY INCLUDE PACKAGE)
    set(CMAKE_FIND_ROOT_PATH_MODE_${kind} ONLY)
  endforeach()
  set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
endmacro()
