# golden_set, which computes the golden set and prints its hash. It needs nothing but the library,
# so that it can be built for every system. The tool is linked with golden_set_cases too, if it is
# there: they take four minutes of a processor to compile.
if(NOT TARGET golden_set)
  file(GLOB golden_set_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/set_*.cpp)
  list(FILTER golden_set_sources EXCLUDE REGEX "_(test|main)\\.cpp$")
  if(golden_set_sources)
    add_library(golden_set_cases OBJECT EXCLUDE_FROM_ALL ${golden_set_sources})
    # What they call is optimized. mingw-w64's assembler cannot write so many functions.
    target_compile_options(golden_set_cases PRIVATE $<IF:$<PLATFORM_ID:Windows>,-O1,-O0>)
    target_link_libraries(golden_set_cases PRIVATE upsweep::upsweep upsweep_warnings)
    target_include_directories(golden_set_cases PRIVATE ${PROJECT_SOURCE_DIR}
      ${PROJECT_SOURCE_DIR}/tests)
    add_executable(golden_set ${CMAKE_CURRENT_LIST_DIR}/set_main.cpp)
    target_link_libraries(golden_set PRIVATE golden_set_cases upsweep::upsweep upsweep_warnings)
    target_include_directories(golden_set PRIVATE ${PROJECT_SOURCE_DIR}
      ${PROJECT_SOURCE_DIR}/tests)
  endif()
endif()
