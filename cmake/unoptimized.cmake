# For a folder of programs whose compile time is what they cost, tests and examples: -O1 takes 1.6
# times as long as -O0. std::move and its like are folded, for 3 % less code.
function(upsweep_unoptimized)
  set(options -O0)
  if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
    list(APPEND options -ffold-simple-inlines)
  endif()
  add_compile_options("$<$<AND:$<CONFIG:Release>,$<COMPILE_LANGUAGE:CXX>>:${options}>")
endfunction()
