# Small sources are compiled several at a time, because most of their compile time is the headers
# that they share. OFF compiles each by itself, as editors and incremental builds want it.
option(UPSWEEP_UNITY "Compile small sources of the tool and the laboratory together"
  ${PROJECT_IS_TOP_LEVEL})

function(upsweep_unity target sources)
  if(UPSWEEP_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${sources})
  endif()
endfunction()
