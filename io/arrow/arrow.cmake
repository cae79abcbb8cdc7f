# The module upsweep_arrow.so, if Arrow's C++ library is found: as a CMake package (of Arrow's own
# packages, conda or Homebrew), or in the pyarrow of Python3 or of -DUPSWEEP_PYARROW=FOLDER.
set(UPSWEEP_PYARROW "" CACHE PATH "The folder of the Python package pyarrow, for its libraries")
find_package(Arrow CONFIG QUIET)
find_package(Parquet CONFIG QUIET)
if(TARGET Arrow::arrow_shared AND TARGET Parquet::parquet_shared)
  set(arrow_libraries Arrow::arrow_shared Parquet::parquet_shared)
else()
  find_package(Python3 COMPONENTS Interpreter QUIET)
  if(NOT UPSWEEP_PYARROW AND Python3_FOUND)
    execute_process(COMMAND ${Python3_EXECUTABLE} -c
      "import importlib.util as u; print(u.find_spec('pyarrow').submodule_search_locations[0])"
      OUTPUT_VARIABLE pyarrow OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    set(UPSWEEP_PYARROW "${pyarrow}")
  endif()
  file(GLOB arrow_libraries ${UPSWEEP_PYARROW}/libarrow.so.* ${UPSWEEP_PYARROW}/libparquet.so.*)
  list(LENGTH arrow_libraries found)
  if(NOT UPSWEEP_PYARROW OR NOT found EQUAL 2)
    message(STATUS "Arrow's library is not there: Parquet and Arrow will not be read")
    return()
  endif()
endif()

add_library(upsweep_arrow MODULE arrow/read.cpp arrow/write.cpp)
target_compile_features(upsweep_arrow PRIVATE cxx_std_20)
target_include_directories(upsweep_arrow PRIVATE ${PROJECT_SOURCE_DIR})
target_link_libraries(upsweep_arrow PRIVATE ${arrow_libraries} upsweep_warnings)
if(UPSWEEP_PYARROW)
  target_include_directories(upsweep_arrow SYSTEM PRIVATE ${UPSWEEP_PYARROW}/include)
endif()
# Optimizing Arrow's headers costs seconds; the loops over values are the library's own.
target_compile_options(upsweep_arrow PRIVATE $<$<NOT:$<CONFIG:Debug>>:-O1>)
set_target_properties(upsweep_arrow PROPERTIES PREFIX "" SUFFIX .so CXX_VISIBILITY_PRESET hidden
  VISIBILITY_INLINES_HIDDEN ON LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/${modules_folder}
  INSTALL_RPATH_USE_LINK_PATH ON)
if(UPSWEEP_INSTALL)
  # Of `make install`, but not of the Debian packages: the library is where it is on this machine.
  install(TARGETS upsweep_arrow LIBRARY DESTINATION ${modules_folder} COMPONENT arrow)
endif()
