# Compiles several small sources together, because most of their compile time goes to shared
# headers. OFF compiles each separately, which suits editors and incremental builds.
option(UPSWEEP_UNITY "Compile small sources of the tool and the laboratory together"
  ${PROJECT_IS_TOP_LEVEL})

function(upsweep_unity target sources)
  if(UPSWEEP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
  endif()
endfunction()
