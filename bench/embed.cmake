# embed_text(<header> <namespace> <name> <file>): writes a header with the file's text as `inline
# constexpr std::string_view <name>[]`. The text is split because compilers need not accept string
# literals of more than 65536 characters.
function(embed_text header namespace name file)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  file(READ ${file} text)
  string(LENGTH "${text}" length)
  set(pieces "")
  set(at 0)
  while(at LESS length)
    string(SUBSTRING "${text}" ${at} 60000 piece)
    string(APPEND pieces "    R\"embedded(${piece})embedded\",\n")
    math(EXPR at "${at} + 60000")
  endwhile()
  cmake_path(GET file FILENAME source)
  file(GENERATE OUTPUT ${header} CONTENT "/// ${source}, embedded at configure time.
#pragma once

#include <string_view>

namespace ${namespace} {

inline constexpr std::string_view ${name}[] = {
${pieces}};

}  // namespace ${namespace}
")
endfunction()
