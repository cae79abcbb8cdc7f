# Modules of kernels for the emulator, in this project and in projects that use the package's
# component `sim`.

# upsweep_find_backtrace(): sets UPSWEEP_BACKTRACE_LIBRARY, from which the emulator reads the lines
# of a module. It is a part of g++, and a package of its own.
macro(upsweep_find_backtrace)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=libbacktrace.a
    OUTPUT_VARIABLE upsweep_backtrace OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  get_filename_component(upsweep_backtrace_folder "${upsweep_backtrace}" DIRECTORY)
  find_library(UPSWEEP_BACKTRACE_LIBRARY NAMES libbacktrace.a backtrace
    HINTS "${upsweep_backtrace_folder}")
  mark_as_advanced(UPSWEEP_BACKTRACE_LIBRARY)
endmacro()

# upsweep_module(<name> <sources>...): a shared object of kernels and host code in CUDA C++, which
# a program that links upsweep::sim loads. CUDA's words are included first. A .cu file is compiled
# as C++ without warnings, since nvcc has others; it launches kernels by cudaLaunchKernel(), or
# another source of the module does by sim::machine::launch().
function(upsweep_module name)
  add_library(${name} MODULE ${ARGN})
  target_link_libraries(${name} PRIVATE upsweep::module)
  target_compile_options(${name} PRIVATE -g "SHELL:-include cuda_runtime.h")
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET default
    INTERPROCEDURAL_OPTIMIZATION OFF)
  set(files ${ARGN})
  list(FILTER files INCLUDE REGEX "\\.cu$")
  set_source_files_properties(${files} PROPERTIES LANGUAGE CXX
    COMPILE_OPTIONS "-w;$<$<CXX_COMPILER_ID:GNU>:-fpermissive>;-x;c++")
endfunction()
