# Adds to the staged packages what Debian's policy asks for: the licenses, a changelog, compressed
# manuals, overrides of lintian. CPack runs this script before it packs (CPACK_PRE_BUILD_SCRIPTS).
cmake_policy(VERSION 3.25)
set(stage ${CPACK_TEMPORARY_INSTALL_DIRECTORY})

function(compress file)
  execute_process(COMMAND gzip -9nf ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

# Dates in the environment's SOURCE_DATE_EPOCH make the packages reproducible.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(component ${CPACK_COMPONENTS_ALL})
  string(TOUPPER ${component} upper)
  set(package ${CPACK_DEBIAN_${upper}_PACKAGE_NAME})
  set(root ${stage}/${component}${CPACK_PACKAGING_INSTALL_PREFIX})
  set(documents ${root}/share/doc/${package})
  file(COPY ${CPACK_UPSWEEP_DEBIAN_FILES}/copyright DESTINATION ${documents}
    FILE_PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
  file(WRITE ${documents}/changelog "${package} (${CPACK_PACKAGE_VERSION}) unstable; urgency=medium

  * Upsweep ${CPACK_PACKAGE_VERSION}; CHANGELOG.md of upsweep-doc says what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  compress(${documents}/changelog)
  file(GLOB manuals ${root}/share/man/man1/*.1)
  foreach(manual IN LISTS manuals)
    compress(${manual})
  endforeach()
  set(overrides ${CPACK_UPSWEEP_DEBIAN_FILES}/${component}.lintian-overrides)
  if(EXISTS ${overrides})
    file(MAKE_DIRECTORY ${root}/share/lintian/overrides)
    configure_file(${overrides} ${root}/share/lintian/overrides/${package} @ONLY)
  endif()
endforeach()
