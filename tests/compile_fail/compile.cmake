# Compiles SOURCE with -D${DEFINE} by each of COMPILERS. Without WORDS it must compile without a
# warning. With WORDS, a regular expression, the compiler must report one error that holds them; how
# much else it prints is limited for the first compiler (clang++ lists every candidate of a deleted
# call). HEADERS are precompiled (precompile.cmake).
set(options -w)
if(WORDS STREQUAL "")
  set(options -Wall -Wextra -Wpedantic -Wconversion)
endif()
set(longest 26)
foreach(compiler IN LISTS COMPILERS)
  execute_process(COMMAND ${compiler} -std=gnu++20 ${options} -include ${HEADERS} -fsyntax-only
                  -I${INCLUDE} -D${DEFINE} ${SOURCE}
                  RESULT_VARIABLE code OUTPUT_VARIABLE output ERROR_VARIABLE output)
  string(REGEX MATCHALL "(^|\n)[^\n]*error: " errors "${output}")
  string(REGEX MATCHALL "\n" lines "${output}")
  list(LENGTH errors errors)
  list(LENGTH lines lines)
  if(WORDS STREQUAL "")
    if(NOT code EQUAL 0 OR NOT output STREQUAL "")
      message(FATAL_ERROR "${compiler} does not compile the corrected program cleanly:\n${output}")
    endif()
  elseif(code EQUAL 0)
    message(FATAL_ERROR "${compiler} compiles what it must refuse with \"${WORDS}\"")
  elseif(NOT output MATCHES "${WORDS}" OR NOT errors EQUAL 1)
    message(FATAL_ERROR
      "${compiler} reports ${errors} errors instead of one that says \"${WORDS}\":\n${output}")
  elseif(lines GREATER longest)
    message(FATAL_ERROR
      "${compiler} takes ${lines} lines to say it, more than ${longest}:\n${output}")
  endif()
  set(longest 120)
endforeach()
