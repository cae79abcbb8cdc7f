#!/bin/sh
# Makes the parts of a release that other targets of the Makefile do not make, and collects all of
# them in build-release/dist/. `make release` calls it after wheel, deb and docs. Compilers and
# sources come from `tools/setup.sh release`.
#
#   tools/release.sh             all of the following, and SHA256SUMS
#   tools/release.sh sources     the tracked files of HEAD
#   tools/release.sh tool        the tool as one static file for Linux on x86-64: musl, by zig
#   tools/release.sh wheel       the Python package for Linux on 64-bit Arm, cross-compiled; the
#                                types of its module are those of the wheel in build-wheel/
#   tools/release.sh try-wheel   the golden bits of the package's tests by that wheel, by qemu-user
set -eu
cd "$(dirname "$0")/.."
root=$PWD
dist=$root/build-release/dist
version=$(sed -n 's/^version: //p' CITATION.cff)
mkdir -p "$dist"

say() { echo "release: $*" >&2; }

# The libraries that the tool links, compiled for musl into $prefix. Their logs are beside them.
musl=$root/build-release/x86_64-linux-musl
prefix=$musl/prefix
build_libraries() {
  for library in cli11 fmtlib nlohmann-json3 fast-float libzstd zlib; do
    folder=$musl/$library
    [ ! -e "$folder/done" ] || continue
    say "$library for musl"
    mkdir -p "$folder"
    if ! build_"${library%%[!a-z]*}" > "$folder/log" 2>&1; then
      tail -n 20 "$folder/log" >&2
      exit 1
    fi
    touch "$folder/done"
  done
}
build_cli() { with_cmake "" -DCLI11_BUILD_TESTS=OFF -DCLI11_BUILD_EXAMPLES=OFF; }
build_fmtlib() { with_cmake "" -DFMT_TEST=OFF -DFMT_DOC=OFF; }
build_nlohmann() { with_cmake "" -DJSON_BuildTests=OFF; }
build_fast() { with_cmake "" -DFASTFLOAT_TEST=OFF; }
build_libzstd() {
  with_cmake build/cmake -DZSTD_BUILD_PROGRAMS=OFF -DZSTD_BUILD_SHARED=OFF \
    -DZSTD_LEGACY_SUPPORT=OFF -DZSTD_MULTITHREAD_SUPPORT=OFF
}
# Debian's sources lack a file that zlib's CMakeLists.txt names.
build_zlib() {
  tools=$musl/fmtlib/zig
  (cd "$folder" && CC=$tools/cc AR=$tools/ar RANLIB=$tools/ranlib CFLAGS=-O3 \
    "$root/build-golden/zlib/configure" --static --prefix="$prefix" &&
    make libz.a && make install)
}

for_musl() {
  cmake -G Ninja -DCMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/musl.cmake" \
    -DUPSWEEP_PREFIX="$prefix" -DCMAKE_BUILD_TYPE=Release -DBUILD_SHARED_LIBS=OFF \
    --log-level=WARNING "$@"
}

# with_cmake SUBFOLDER OPTION...: compiles and installs $library.
with_cmake() {
  sources=$root/build-golden/$library/$1
  shift
  for_musl -S "$sources" -B "$folder" -DCMAKE_INSTALL_PREFIX="$prefix" \
    -DCMAKE_INSTALL_LIBDIR=lib -DBUILD_TESTING=OFF "$@" &&
    cmake --build "$folder" --target install
}

sources() {
  git archive --format=tar.gz --prefix="upsweep-$version/" \
    -o "$dist/upsweep-$version.tar.gz" HEAD
}

# The licenses of what is inside a static file, one after the other.
licenses() {
  zig=$(dirname "$(readlink -f .venv/lib/python3*/site-packages/ziglang/zig)")
  cat cmake/debian/copyright
  for library in zlib libzstd; do
    printf '\n==== %s\n\n' "$library"
    cat "build-golden/$library/LICENSE"
  done
  for part in libc/musl/COPYRIGHT libcxx/LICENSE.TXT libcxxabi/LICENSE.TXT libunwind/LICENSE.TXT; do
    printf '\n==== %s\n\n' "$part"
    cat "$zig/lib/$part"
  done
  printf '\n==== compiler_rt of zig\n\n'
  cat "$zig/LICENSE"
}

tool() {
  build_libraries
  say "the static tool"
  build=$musl/build
  for_musl -S . -B "$build" -DUPSWEEP_HIGHWAY_SOURCE="$root/build-golden/highway" \
    -DUPSWEEP_INSTALL=OFF -DUPSWEEP_BUILD_TESTS=OFF -DUPSWEEP_BUILD_EXAMPLES=OFF \
    -DUPSWEEP_LAB=OFF -DUPSWEEP_ARROW=OFF -DUPSWEEP_BENCH_PEERS=OFF -DUPSWEEP_C_API=OFF
  cmake --build "$build" -j "${JOBS:-$(nproc)}" --target upsweep_cli
  name=upsweep-$version-x86_64-linux
  rm -rf "build-release/$name"
  mkdir "build-release/$name"
  strip -o "build-release/$name/upsweep" "$build/bin/upsweep"
  cp LICENSE "build-release/$name"
  licenses > "build-release/$name/copyright"
  try_tool "build-release/$name/upsweep"
  tar -C build-release --owner=0 --group=0 -czf "$dist/$name.tar.gz" "$name"
}

# It needs nothing of this system, reads gzip, and adds as Python's fsum.
try_tool() {
  if ldd "$1" > /dev/null 2>&1; then
    say "$1 is not static"
    exit 1
  fi
  total=$(seq 0.1 0.1 1000 | gzip | env -i "$1" reduce --op exact-sum)
  expected=$(python3 -c \
    'import math; print(format(math.fsum(i / 10 for i in range(1, 10001)), ".17g"))')
  if [ "$total" != "$expected" ]; then
    say "$1 computes $total, not $expected"
    exit 1
  fi
}

# Compiled by Debian's g++: nanobind's split mode needs libstdc++, not zig's libc++. The tool is not
# in it: the library is compiled once, and of other libraries only Highway is needed.
wheel() {
  say "the Python package for aarch64"
  build=$root/build-release/aarch64/wheel
  raw=$root/build-release/aarch64/raw
  rm -rf "$raw" build-release/aarch64/dist
  mkdir -p "$build/python/upsweep" "$raw"
  # What writes the types of the module would import it.
  unzip -qp build-wheel/dist/*.whl upsweep/_core.pyi > "$build/python/upsweep/_core.pyi"
  headers=$(dirname "$(find /usr/include/aarch64-linux-gnu/python3* -name pyconfig.h)")
  defined=""
  for option in CMAKE_TOOLCHAIN_FILE="$root/cmake/toolchains/aarch64.cmake" UPSWEEP_CUDA=OFF \
    Python_INCLUDE_DIR="/usr/include/$(basename "$headers")"; do
    defined="$defined --config-settings=cmake.define.$option"
  done
  # shellcheck disable=SC2086  # a list of words
  _PYTHON_HOST_PLATFORM=linux-aarch64 .venv/bin/python -m pip wheel --quiet \
    --no-build-isolation --no-deps --wheel-dir "$raw" $defined \
    --config-settings=build-dir="$build" --config-settings=build.targets=upsweep_python .
  PATH=$root/.venv/bin:$PATH LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu \
    .venv/bin/python -m auditwheel repair --zip-compression-level 9 \
    --wheel-dir build-release/aarch64/dist "$raw"/*.whl
  cp build-release/aarch64/dist/*.whl "$dist"
}

# An interpreter for aarch64 from Debian's package; its libraries come with libpython3-dev.
try_wheel() {
  interpreter=$root/build-release/aarch64/interpreter
  if [ ! -e "$interpreter/usr/bin" ]; then
    mkdir -p "$interpreter"
    package=$(dpkg-query -W -f '${Package}\n' 'libpython3.*-minimal:arm64' | sed 's/^lib//')
    (cd "$interpreter" && apt-get -qq download "$package:arm64" && dpkg -x "$package"_*.deb .)
  fi
  packages=$root/build-release/aarch64/packages
  rm -rf "$packages"
  python=$(basename "$(find "$interpreter/usr/bin" -name 'python3.*' | head -n 1)")
  set --
  for glibc in 17 24 26 27 28 31 34 35 36; do
    set -- "$@" --platform "manylinux_2_${glibc}_aarch64"
  done
  .venv/bin/python -m pip install --quiet --only-binary :all: --target "$packages" \
    --python-version "${python#python}" --implementation cp "$@" \
    pytest "$dist"/upsweep-*_aarch64.whl
  PYTHONPATH=$packages PYTHONDONTWRITEBYTECODE=1 qemu-aarch64 -L / \
    "$interpreter/usr/bin/$python" -m pytest -q -p no:cacheprovider python/tests/test_golden.py
}

collect() {
  rm -rf "$dist"
  mkdir -p "$dist"
  sources
  tool
  wheel
  try_wheel
  cp build-wheel/dist/*.whl build-install/*.deb "$dist"
  (cd build && zip -qr "$dist/upsweep-$version-site.zip" site)
  tar -C build-lab-wasm --owner=0 --group=0 -czf "$dist/upsweep-$version-lab-site.tar.gz" lab-site
  (cd "$dist" && sha256sum -- * > SHA256SUMS && cat SHA256SUMS)
}

case "${1:-all}" in
  all) collect ;;
  sources | tool | wheel) "$1" ;;
  try-wheel) try_wheel ;;
  *)
    echo "release: '$1' is not one of sources, tool, wheel, try-wheel" >&2
    exit 2
    ;;
esac
