# The Debian packages of `make deb`: upsweep, the tool; libupsweep0.1, the shared library;
# libupsweep-dev, for building programs, with the static library; upsweep-doc.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(UPSWEEP_PACKAGE_CONTACT "The Upsweep authors <maintainers@upsweep.example>" CACHE STRING
  "Who maintains the Debian packages that are built here: a name and an address")
set(CPACK_PACKAGE_CONTACT ${UPSWEEP_PACKAGE_CONTACT})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "reductions and prefix scans with the same bits everywhere")
set(CPACK_UPSWEEP_DEBIAN_FILES ${CMAKE_CURRENT_LIST_DIR}/debian)
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_CURRENT_LIST_DIR}/debian/complete.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_COMPONENTS_ALL tool shared dev doc)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION math)

set(CPACK_DEBIAN_TOOL_PACKAGE_NAME upsweep)
set(CPACK_DEBIAN_TOOL_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_SUGGESTS "libupsweep-dev, g++, upsweep-doc")  # `upsweep grade`
set(CPACK_COMPONENT_TOOL_DESCRIPTION "This package has the command-line tool.")

# Its name has the version of its soname: programs of another one need another package.
set(CPACK_DEBIAN_SHARED_PACKAGE_NAME
  libupsweep${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(CPACK_DEBIAN_SHARED_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_SHARED_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_SHARED_PACKAGE_MULTIARCH same)  # from CMake 3.31
set(CPACK_DEBIAN_SHARED_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/debian/triggers)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS ON)
set(CPACK_DEBIAN_PACKAGE_GENERATE_SHLIBS_POLICY ">=")
set(CPACK_COMPONENT_SHARED_DESCRIPTION "This package has the shared library.")

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libupsweep-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
# The objects of the static library contain inline functions of this version's headers.
find_package(hwy QUIET REQUIRED)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libhwy-dev (>= ${hwy_VERSION})")
string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS
  ", ${CPACK_DEBIAN_SHARED_PACKAGE_NAME} (= ${PROJECT_VERSION})")
if(UPSWEEP_SIM_NEEDS_BOOST)
  string(APPEND CPACK_DEBIAN_DEV_PACKAGE_DEPENDS ", libboost-context-dev")
endif()
set(CPACK_DEBIAN_DEV_PACKAGE_SUGGESTS upsweep-doc)
set(CPACK_COMPONENT_DEV_DESCRIPTION
  "This package has the library with its headers, its CMake and pkg-config
 packages, and the emulator.")

set(CPACK_DEBIAN_DOC_PACKAGE_NAME upsweep-doc)
set(CPACK_DEBIAN_DOC_PACKAGE_SECTION doc)
set(CPACK_DEBIAN_DOC_PACKAGE_ARCHITECTURE all)
set(CPACK_COMPONENT_DOC_DESCRIPTION "This package has the documents and examples.")
include(CPack)
