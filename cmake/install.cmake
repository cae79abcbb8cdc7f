# Installs the library, its headers, the CMake package `upsweep` and upsweep.pc, and the tool if it
# was built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)

install(TARGETS upsweep EXPORT upsweep
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Debian's packages have the shared library as well: libupsweep0.1, whose link is in libupsweep-dev.
# `make install` installs one library, as BUILD_SHARED_LIBS says.
if(TARGET upsweep_shared)
  foreach(property INTERFACE_COMPILE_OPTIONS INTERFACE_COMPILE_FEATURES
      INTERFACE_INCLUDE_DIRECTORIES)
    get_target_property(value upsweep ${property})
    set_target_properties(upsweep_shared PROPERTIES ${property} "${value}")
  endforeach()
  install(TARGETS upsweep_shared EXPORT upsweep_shared LIBRARY
    DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT shared NAMELINK_COMPONENT dev EXCLUDE_FROM_ALL)
  install(EXPORT upsweep_shared NAMESPACE upsweep:: FILE upsweep-shared-targets.cmake
    DESTINATION ${package} EXCLUDE_FROM_ALL)
endif()
# The headers that a program includes directly. The headers that these include are found at install
# time, so a header that is no longer included is not installed, even without reconfiguring.
set(public_headers upsweep.hpp upsweep.h c_api/axis.h upsweep_partial.h c_api/ranks.h upsweep_mpi.h
  anchored_scan.hpp sort.hpp order_statistics.hpp histogram.hpp run_stream.hpp
  ranks/loopback.hpp ranks/mpi.hpp
  by_name/run.hpp by_name/verbs/filters.hpp by_name/verbs/grouping.hpp
  by_name/verbs/histograms.hpp by_name/verbs/partials.hpp by_name/verbs/recurrences.hpp
  by_name/verbs/segments.hpp by_name/verbs/selections.hpp by_name/verbs/sorts.hpp
  by_name/verbs/statistics.hpp apps/*.hpp ops/*.hpp)

# The CUDA backend is the component `cuda`, with separate targets, so that other users need no CUDA
# toolkit.
if(TARGET upsweep_cuda)
  install(TARGETS upsweep_cuda EXPORT upsweep_cuda ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(upsweep_cuda PROPERTIES EXPORT_NAME cuda)
  install(EXPORT upsweep_cuda NAMESPACE upsweep:: FILE upsweep-cuda-targets.cmake
    DESTINATION ${package})
  list(APPEND public_headers cuda.hpp cuda.cuh cuda/sort.cuh nccl.cuh upsweep_cuda.h)
endif()

# The emulator is the component `sim`: upsweep::sim, which programs link, and upsweep_module(),
# which compiles kernels with the options that the emulator needs. The component also has what
# `upsweep run FILE.cu` and `upsweep grade` need to compile kernels.
if(TARGET upsweep_sim)
  install(TARGETS upsweep_sim upsweep_sim_modules upsweep_module_flags EXPORT upsweep_sim
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
    OBJECTS DESTINATION ${CMAKE_INSTALL_LIBDIR}/upsweep)
  set_target_properties(upsweep_sim PROPERTIES EXPORT_NAME emulator)
  set_target_properties(upsweep_sim_modules PROPERTIES EXPORT_NAME sim)
  set_target_properties(upsweep_module_flags PROPERTIES EXPORT_NAME module)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/upsweep_module.cmake DESTINATION ${package})
  install(EXPORT upsweep_sim NAMESPACE upsweep:: FILE upsweep-sim-targets.cmake
    DESTINATION ${package})
  list(APPEND public_headers sim/machine.hpp sim/operation.hpp sim/modules/module.hpp
    sim/modules/runtime.hpp textbook/*.hpp textbook/*/*/*.hpp)
  # What a user's CUDA file includes; some of CUDA's headers have no extension.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/upsweep/simt/cuda ${PROJECT_SOURCE_DIR}/upsweep/simt/check
    DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/upsweep/simt)
endif()
install(CODE "
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")
  upsweep_install_headers(\"${PROJECT_SOURCE_DIR}\"
    \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\" ${public_headers})")

# Programs compile the Fortran module with their own compiler and MPI.
install(DIRECTORY ${PROJECT_SOURCE_DIR}/fortran/
  DESTINATION ${CMAKE_INSTALL_DATADIR}/upsweep/fortran FILES_MATCHING PATTERN "*.F90"
  PATTERN "*.inc")

# The documents keep their relative paths, so that references such as "docs/contracts.md" in the
# help and in the headers are valid.
set(documents README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE)
list(TRANSFORM documents PREPEND ${PROJECT_SOURCE_DIR}/)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT doc   PATTERN "*.toml" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE
  PATTERN "docs/site" EXCLUDE PATTERN ".gitignore" EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/upsweep/textbook/patterns
  DESTINATION ${CMAKE_INSTALL_DOCDIR}/upsweep/textbook COMPONENT doc)
# The license, and the notices of what the compiled files contain; make deb also puts them where
# Debian looks for them.
install(FILES ${CMAKE_CURRENT_LIST_DIR}/debian/copyright DESTINATION ${package})
if(TARGET upsweep_cli)
  install(FILES ${CMAKE_CURRENT_LIST_DIR}/debian/copyright
    DESTINATION ${CMAKE_INSTALL_DATADIR}/upsweep COMPONENT tool)
  install(TARGETS upsweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    OPTIONAL COMPONENT tool)
  # For `upsweep lab-site`, if `make lab-editor` has built it.
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/build-lab-wasm/lab-site
    DESTINATION ${CMAKE_INSTALL_DATADIR}/upsweep COMPONENT lab_site OPTIONAL)
endif()

install(EXPORT upsweep NAMESPACE upsweep:: FILE upsweep-targets.cmake DESTINATION ${package})
set(UPSWEEP_CXX_LIBRARIES ${CMAKE_CXX_IMPLICIT_LINK_LIBRARIES})
list(FILTER UPSWEEP_CXX_LIBRARIES INCLUDE REGEX "^(c\\+\\+(abi)?|stdc\\+\\+|m)$")
list(JOIN UPSWEEP_CXX_LIBRARIES " " UPSWEEP_CXX_LIBRARIES)
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/upsweep-config.cmake.in
  ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the API, so only equal minor versions are compatible.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/upsweep-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  ${PROJECT_BINARY_DIR}/upsweep-config-version.cmake DESTINATION ${package})

# Without --static, pkg-config uses the same list for static and shared linking, so a static install
# lists all libraries there.
get_target_property(type upsweep TYPE)
string(REGEX REPLACE "([^ ]+)" "-l\\1" cxx_libraries "${UPSWEEP_CXX_LIBRARIES}")
if(type STREQUAL "STATIC_LIBRARY")
  get_target_property(options upsweep INTERFACE_LINK_OPTIONS)
  if(options)
    list(JOIN options " " options)
  else()
    set(options "")
  endif()
  set(UPSWEEP_PC_LIBS "${options} -lupsweep -lhwy_contrib -lhwy ${cxx_libraries} -lpthread")
  set(UPSWEEP_PC_PRIVATE "")
else()
  set(UPSWEEP_PC_LIBS "-lupsweep")
  set(UPSWEEP_PC_PRIVATE "-lhwy_contrib -lhwy ${cxx_libraries} -lpthread")
endif()
# The relative path from the .pc file to the prefix.
file(RELATIVE_PATH UPSWEEP_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/upsweep.pc.in ${PROJECT_BINARY_DIR}/upsweep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# `make deb`: packages of the library, the tool, and the documents.
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
