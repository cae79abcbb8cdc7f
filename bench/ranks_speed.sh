#!/bin/sh
# Builds bench/ranks_speed.cpp with the library and what it needs into a folder, so that it also
# runs on a machine that has no compiler, no MPI and no Highway:
#
#   bench/ranks_speed.sh BUILD_FOLDER FOLDER
#   FOLDER/ranks_speed 120 > ranks_speed.json    # about so many seconds
set -eu
cd "$(dirname "$0")/.."
build=${1:?give the folder of the build}
to=${2:?give the folder for the program}
cmake --build "$build" --target upsweep
mkdir -p "$to"
"${CXX:-g++}" -std=c++20 -O2 -ffp-contract=off -Wall -Wextra -I. bench/ranks_speed.cpp \
  "$build/upsweep/libupsweep.a" -lhwy_contrib -lhwy -lpthread -static-libstdc++ -static-libgcc \
  -Wl,--gc-sections -Wl,-rpath,'$ORIGIN' -o "$to/ranks_speed"
ldd "$to/ranks_speed" | awk '/libhwy/ {print $3}' | xargs -r cp -Lt "$to"
