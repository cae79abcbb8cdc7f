# For 64-bit Arm. Needs the host's packages with :arm64, and g++-aarch64-linux-gnu and qemu-user.
set(cpu aarch64)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
