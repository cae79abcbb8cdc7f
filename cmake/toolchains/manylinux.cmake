# For any Linux with glibc 2.28 or newer: RHEL 8, Amazon Linux 2023, Debian 10. Compiles with this
# system's compiler; links with the symbols of that glibc (tools/old_glibc.sh, which needs zig).
set(upsweep_glibc ${CMAKE_CURRENT_LIST_DIR}/../../build-release/glibc-2.28)
if(NOT EXISTS ${upsweep_glibc}/libc.so)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../tools/old_glibc.sh ${upsweep_glibc} 2.28
    COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(kind EXE SHARED MODULE)
  string(CONCAT CMAKE_${kind}_LINKER_FLAGS_INIT "-B${upsweep_glibc} -L${upsweep_glibc} "
    "-static-libstdc++ -Wl,--exclude-libs,libstdc++.a -Wl,--allow-shlib-undefined -Wl,-z,now")
endforeach()
# What other systems have in another version, or not at all, is linked statically.
set(upsweep_archives /usr/lib/${CMAKE_HOST_SYSTEM_PROCESSOR}-linux-gnu)
find_library(ZSTD_LIBRARY NAMES libzstd.a PATHS ${upsweep_archives})
find_library(RE2_LIBRARY NAMES libre2.a PATHS ${upsweep_archives})
set(UPSWEEP_STATIC_FMT ON)
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL ON)
