# Precompiles headers.hpp for each of COMPILERS in FOLDER, where `-include` finds the result: g++
# takes .gch, clang++ .pch. The warnings are those of the corrected programs.
file(COPY ${SOURCE} DESTINATION ${FOLDER})
get_filename_component(name ${SOURCE} NAME)
foreach(compiler IN LISTS COMPILERS)
  set(ending gch)
  if(compiler MATCHES "clang")
    set(ending pch)
  endif()
  execute_process(COMMAND ${compiler} -std=gnu++20 -Wall -Wextra -Wpedantic -Wconversion
                  -I${INCLUDE} -x c++-header ${FOLDER}/${name}
                  -o ${FOLDER}/${name}.${ending} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
