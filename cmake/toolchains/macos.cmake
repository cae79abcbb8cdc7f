# Compiles for macOS on Arm (Apple silicon), by zig. Nothing here can run the programs.
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_SYSTEM_NAME Darwin)
set(CMAKE_SYSTEM_PROCESSOR arm64)
upsweep_zig("aarch64-macos")
set(CMAKE_OSX_SYSROOT "" CACHE STRING "")
