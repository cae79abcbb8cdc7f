# For IBM Z (64 bits, big endian). Needs the host's packages with :s390x, and g++-s390x-linux-gnu
# and qemu-user.
set(cpu s390x)
include(${CMAKE_CURRENT_LIST_DIR}/debian.cmake)
