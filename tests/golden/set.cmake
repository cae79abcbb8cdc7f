# golden_set, which computes the golden set and prints its hash. It needs nothing but the library,
# so that it can be built for every system.
if(NOT TARGET golden_set)
  file(GLOB golden_set_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/set_*.cpp)
  list(FILTER golden_set_sources EXCLUDE REGEX "_test\\.cpp$")
  if(golden_set_sources)
    add_executable(golden_set ${golden_set_sources})
    target_compile_options(golden_set PRIVATE -O0)  # what it calls is optimised: half the time
    target_link_libraries(golden_set PRIVATE upsweep::upsweep upsweep_warnings)
    target_include_directories(golden_set PRIVATE ${PROJECT_SOURCE_DIR}/tests)
  endif()
endif()
