# Highway, the library of the vector kernels: an installed one, or, for systems that have no package
# of it, one that is compiled from its sources together with Upsweep.
set(UPSWEEP_HIGHWAY_SOURCE "" CACHE PATH
  "A folder with Highway's sources (1.0.3 or newer), which are compiled instead of a package")
if(NOT UPSWEEP_HIGHWAY_SOURCE)
  find_package(hwy REQUIRED)
  return()
endif()
if(UPSWEEP_INSTALL)
  message(FATAL_ERROR "upsweep: a library that is installed needs an installed Highway; give "
    "-DUPSWEEP_INSTALL=OFF with UPSWEEP_HIGHWAY_SOURCE, or install Highway first")
endif()
foreach(part ENABLE_TESTS ENABLE_EXAMPLES)
  set(HWY_${part} OFF CACHE BOOL "" FORCE)
endforeach()
set(HWY_FORCE_STATIC_LIBS ON CACHE BOOL "" FORCE)
add_subdirectory(${UPSWEEP_HIGHWAY_SOURCE} ${PROJECT_BINARY_DIR}/highway EXCLUDE_FROM_ALL SYSTEM)
foreach(part hwy hwy_contrib)
  if(NOT TARGET hwy::${part})
    add_library(hwy::${part} ALIAS ${part})
  endif()
endforeach()
