# Our own code compiles without warnings; users who embed us are not held to that.
add_library(upsweep_warnings INTERFACE)
target_compile_options(upsweep_warnings INTERFACE
  -Wall -Wno-unknown-pragmas -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wno-psabi
  $<$<BOOL:${UPSWEEP_WERROR}>:-Werror>)
