# What the laboratory of the tool (CMakeLists.txt) and that of the browser (wasm/CMakeLists.txt)
# share.
include(${CMAKE_CURRENT_LIST_DIR}/../bench/embed.cmake)

# The tool adds the sources that compile, load and prove kernels.
set(upsweep_lab_sources graph.cpp marks.cpp on_gpu.cpp page.cpp picture.cpp reports.cpp run.cpp
  svg.cpp terminal.cpp tracing.cpp values.cpp)
list(TRANSFORM upsweep_lab_sources PREPEND ${CMAKE_CURRENT_LIST_DIR}/)

# upsweep_embed_lab(<folder>): headers in <folder> with the parts of the page and the pages about
# findings, for `upsweep explain`.
function(upsweep_embed_lab generated)
  set(lab ${CMAKE_CURRENT_FUNCTION_LIST_DIR})
  foreach(part page.html page.css picture.js zoom.js maps.js words.js memory.js blocks.js page.js)
    string(REPLACE "." "_" name ${part})
    embed_text(${generated}/${name}.hpp upsweep::lab ${name} ${lab}/page/${part})
  endforeach()
  file(GLOB pages CONFIGURE_DEPENDS ${lab}/../docs/findings/*.md)
  set(rows "")
  set(includes "")
  foreach(page ${pages})
    cmake_path(GET page STEM stem)
    embed_text(${generated}/finding_${stem}.hpp upsweep::lab finding_${stem} ${page})
    string(APPEND includes "#include <finding_${stem}.hpp>\n")
    string(APPEND rows "    {\"${stem}\", finding_${stem}},\n")
  endforeach()
  configure_file(${lab}/finding_pages.hpp.in ${generated}/embedded_finding_pages.hpp @ONLY)
endfunction()
