# Compiles for WebAssembly with WASI (wasm32, one thread) by zig; programs run under wasmtime, whose
# package of PyPI tools/run_wasm.py uses.
#
# zig's libc++abi cannot throw. What it lacks is compiled here from the sources that zig brings: the
# throwing half of libc++abi, and libunwind for WebAssembly. The instructions are those of the final
# proposal (WebAssembly 3.0), not the older ones that clang still uses by default. Exceptions that
# libc++ itself throws from compiled code (operator new without memory) end the program.
include(${CMAKE_CURRENT_LIST_DIR}/zig.cmake)
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
list(APPEND CMAKE_MODULE_PATH ${CMAKE_CURRENT_LIST_DIR})  # Platform/WASI.cmake
if(UPSWEEP_WASM_LEGACY_EXCEPTIONS)  # lab/wasm/toolchain.cmake
  string(CONCAT target "wasm32-wasi -mcpu=mvp+bulk_memory+sign_ext+nontrapping_fptoint"
    "+mutable_globals+exception_handling -fwasm-exceptions -DUPSWEEP_ONE_THREAD")
else()
  string(CONCAT target "wasm32-wasi -mcpu=generic+exception_handling+multivalue+reference_types"
    " -fwasm-exceptions -mllvm -wasm-use-legacy-eh=false -DUPSWEEP_ONE_THREAD")
endif()
upsweep_zig("${target}")

execute_process(COMMAND ${UPSWEEP_ZIG} env OUTPUT_VARIABLE zig_env COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE ".*lib_dir[^\"]*\"([^\"]+)\".*" "\\1" zig_lib "${zig_env}")
set(runtime "")
foreach(part tag unwind exception personality)
  set(object ${upsweep_zig_tools}/${part}.o)
  list(APPEND runtime ${object})
  if(EXISTS ${object})
    continue()
  endif()
  set(compiler ${CMAKE_CXX_COMPILER} -std=c++23 -I${zig_lib}/libcxxabi/include
    -I${zig_lib}/libcxxabi/src -I${zig_lib}/libcxx/src -D_LIBCXXABI_BUILDING_LIBRARY
    -D_LIBCPP_BUILDING_LIBRARY -D_LIBCXXABI_HAS_NO_THREADS)
  set(source ${zig_lib}/libcxxabi/src/cxa_${part}.cpp)
  if(part STREQUAL "unwind")
    set(compiler ${CMAKE_C_COMPILER} -fdeclspec -D_LIBUNWIND_HIDE_SYMBOLS
      -I${zig_lib}/libunwind/src)
    set(source ${zig_lib}/libunwind/src/Unwind-wasm.c)
  elseif(part STREQUAL "tag")  # of C++'s exceptions, which the linker expects somewhere
    set(compiler ${CMAKE_C_COMPILER})
    set(source ${upsweep_zig_tools}/tag.c)
    file(WRITE ${source}
      "__asm__(\".globl __cpp_exception\\n.tagtype __cpp_exception i32\\n__cpp_exception:\\n\");\n")
  endif()
  execute_process(COMMAND ${compiler} -w -O2 -I${zig_lib}/libunwind/include -c ${source}
    -o ${object} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
list(JOIN runtime " " runtime)
set(CMAKE_EXE_LINKER_FLAGS_INIT "${runtime} -Wl,-z,stack-size=8388608")
set(CMAKE_CROSSCOMPILING_EMULATOR python3;${CMAKE_CURRENT_LIST_DIR}/../../tools/run_wasm.py)
