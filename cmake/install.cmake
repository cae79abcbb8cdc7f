# Installs the library, its headers, the CMake package `upsweep` and upsweep.pc; and of the tool,
# what has been built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)
set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME dev)

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)

install(TARGETS upsweep EXPORT upsweep
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Where a program's includes begin. The headers that these reach are found when they are installed,
# so that a header which is no longer included stays at home without a new configuration.
set(public_headers upsweep.hpp upsweep.h ops/laws.hpp dynamic/run.hpp)

# The CUDA backend is the component `cuda`, with targets of its own: who does not ask for it needs
# no CUDA toolkit.
if(TARGET upsweep_cuda)
  install(TARGETS upsweep_cuda EXPORT upsweep_cuda ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(upsweep_cuda PROPERTIES EXPORT_NAME cuda)
  install(EXPORT upsweep_cuda NAMESPACE upsweep:: FILE upsweep-cuda-targets.cmake
    DESTINATION ${package})
  list(APPEND public_headers cuda.hpp cuda.cuh upsweep_cuda.h)
endif()

# The emulator is the component `sim`. Its target upsweep::sim brings the flags of kernels along,
# without which the emulator would not see which lanes step together. What `upsweep grade` compiles
# students' kernels with is here too.
if(TARGET upsweep_sim)
  install(TARGETS upsweep_sim upsweep_emulated_kernels EXPORT upsweep_sim
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(upsweep_sim PROPERTIES EXPORT_NAME emulator)
  set_target_properties(upsweep_emulated_kernels PROPERTIES EXPORT_NAME sim)
  install(EXPORT upsweep_sim NAMESPACE upsweep:: FILE upsweep-sim-targets.cmake
    DESTINATION ${package})
  list(APPEND public_headers sim/machine.hpp sim/operation.hpp sim/kernel_position.hpp
    textbook/*.hpp textbook/*/*/*.hpp)
endif()
install(CODE "
  include(\"${CMAKE_CURRENT_LIST_DIR}/install_headers.cmake\")
  upsweep_install_headers(\"${PROJECT_SOURCE_DIR}\"
    \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\" ${public_headers})")

# The documents keep their places beside each other, so that "docs/contracts.md" in the help and in
# the headers is where it says.
set(documents README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE)
list(TRANSFORM documents PREPEND ${PROJECT_SOURCE_DIR}/)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT doc)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  COMPONENT doc   PATTERN "rooms.toml" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
if(TARGET upsweep_cli)
  install(TARGETS upsweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR}
    OPTIONAL COMPONENT tool)
endif()

install(EXPORT upsweep NAMESPACE upsweep:: FILE upsweep-targets.cmake DESTINATION ${package})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/upsweep-config.cmake.in
  ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  INSTALL_DESTINATION ${package} NO_SET_AND_CHECK_MACRO)
# Before 1.0 a minor version may break the API, so only the same minor version is compatible.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/upsweep-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/upsweep-config.cmake
  ${PROJECT_BINARY_DIR}/upsweep-config-version.cmake DESTINATION ${package})

# pkg-config knows one list of libraries for both kinds of link unless --static is given, so a
# static install names all of them.
get_target_property(type upsweep TYPE)
if(type STREQUAL "STATIC_LIBRARY")
  set(UPSWEEP_PC_LIBS "-lupsweep -lhwy -lstdc++ -lm -lpthread")
  set(UPSWEEP_PC_PRIVATE "")
else()
  set(UPSWEEP_PC_LIBS "-lupsweep")
  set(UPSWEEP_PC_PRIVATE "-lhwy -lstdc++ -lm -lpthread")
endif()
# The way from the .pc file up to the prefix.
file(RELATIVE_PATH UPSWEEP_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/upsweep.pc.in ${PROJECT_BINARY_DIR}/upsweep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/upsweep.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

# `make deb`: the library to build with, the tool, and the documents of both.
if(PROJECT_IS_TOP_LEVEL)
  include(cmake/packages.cmake)
endif()
