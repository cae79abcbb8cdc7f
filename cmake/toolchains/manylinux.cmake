# For any Linux with glibc 2.28 or newer: RHEL 8, Amazon Linux 2023, Debian 10. Compiles with this
# system's compiler; links with the symbols of that glibc (tools/old_glibc.sh, which needs zig), and
# statically with what other systems do not have.
set(upsweep_glibc ${CMAKE_CURRENT_LIST_DIR}/../../build-release/glibc-2.28)
if(NOT EXISTS ${upsweep_glibc}/libc.so)
  execute_process(COMMAND ${CMAKE_CURRENT_LIST_DIR}/../../tools/old_glibc.sh ${upsweep_glibc} 2.28
    COMMAND_ERROR_IS_FATAL ANY)
endif()
foreach(kind EXE SHARED MODULE)
  string(CONCAT CMAKE_${kind}_LINKER_FLAGS_INIT "-B${upsweep_glibc} -L${upsweep_glibc} "
    "-static-libstdc++ -Wl,--exclude-libs,libstdc++.a -Wl,--allow-shlib-undefined -Wl,-z,now")
endforeach()
find_library(ZSTD_LIBRARY NAMES libzstd.a)
find_library(RE2_LIBRARY NAMES libre2.a)
set(UPSWEEP_STATIC_FMT ON)
