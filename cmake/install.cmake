# Installs the library, its headers, the CMake package `upsweep` and upsweep.pc; and of the tool,
# what has been built.
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS upsweep EXPORT upsweep
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# Sources of the compiled core (.inl) include Highway and stay at home; no header reaches them
# (tools/check_rooms.py).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/upsweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp" PATTERN "upsweep.h" PATTERN "version.h" PATTERN "c_api" EXCLUDE)
# The CUDA backend is the component `cuda`, with targets of its own: who does not ask for it needs
# no CUDA toolkit. What files for nvcc include (.cuh) comes along; instances/ is what the library
# itself was made from.
if(TARGET upsweep_cuda)
  install(TARGETS upsweep_cuda EXPORT upsweep_cuda ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  set_target_properties(upsweep_cuda PROPERTIES EXPORT_NAME cuda)
  install(DIRECTORY ${PROJECT_SOURCE_DIR}/upsweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
    FILES_MATCHING PATTERN "*.cuh" PATTERN "upsweep_cuda.h" PATTERN "c_api"
    EXCLUDE PATTERN "instances" EXCLUDE)
  install(EXPORT upsweep_cuda NAMESPACE upsweep:: FILE upsweep-cuda-targets.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
endif()
# The documents keep their places beside each other, so that "docs/contracts.md" in the help and in
# the headers is where it says.
set(documents README.md CONTRIBUTING.md CHANGELOG.md CITATION.cff LICENSE)
list(TRANSFORM documents PREPEND ${PROJECT_SOURCE_DIR}/)
install(FILES ${documents} DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs ${PROJECT_SOURCE_DIR}/examples
  DESTINATION ${CMAKE_INSTALL_DOCDIR}
  PATTERN "rooms.toml" EXCLUDE PATTERN "CMakeLists.txt" EXCLUDE)
if(TARGET upsweep_cli)
  install(TARGETS upsweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} OPTIONAL)
endif()

set(package ${CMAKE_INSTALL_LIBDIR}/cmake/upsweep)
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
