# Cross-compiles on Debian and Ubuntu for a processor; programs run under qemu-user. aarch64.cmake
# and s390x.cmake set `cpu`, the name of the processor in Debian's compilers and in qemu's.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR ${cpu})
set(CMAKE_C_COMPILER ${cpu}-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER ${cpu}-linux-gnu-g++)
set(CMAKE_LIBRARY_ARCHITECTURE ${cpu}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH /usr/${cpu}-linux-gnu)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/${cpu}-linux-gnu/pkgconfig:/usr/share/pkgconfig)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-${cpu};-L;/)
