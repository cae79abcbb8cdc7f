# zig's clang for WebAssembly, with the older instructions for exceptions: those that all browsers
# have, and that binaryen 108 of Debian 12 reads. cmake/toolchains/wasm.cmake has the newer ones.
set(UPSWEEP_WASM_LEGACY_EXCEPTIONS ON)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/toolchains/wasm.cmake)
