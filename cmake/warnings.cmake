# Warnings for our own code; they do not apply to users who embed the library.
add_library(upsweep_warnings INTERFACE)
target_compile_options(upsweep_warnings INTERFACE
  -Wall -Wno-unknown-pragmas -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wno-psabi
  $<$<BOOL:${UPSWEEP_WERROR}>:-Werror>)
