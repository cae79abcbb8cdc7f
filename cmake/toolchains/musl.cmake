# Compiles static programs for Linux on x86-64 with musl instead of glibc, by zig.
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
upsweep_zig("x86_64-linux-musl -mcpu=x86_64")
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR env)  # programs run as they are
