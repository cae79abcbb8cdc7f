#!/bin/sh
# Installs the packages that a build needs on Debian; without root, prints the command that does.
#
#   tools/setup.sh build    packages for the library, the tool and the demo
#   tools/setup.sh python   also for the Python package
#   tools/setup.sh deb      also for building Debian packages
#   tools/setup.sh test     also for the tests
#   tools/setup.sh mpi      Open MPI and MPICH, for the tests of ranks
#   tools/setup.sh fortran  also for the Fortran module and its tests
#   tools/setup.sh full     also for the slow tests: clang for the fuzzers, a browser, Coq
#   tools/setup.sh lint     also the formatter and the linter
#   tools/setup.sh aarch64  packages to cross-compile the library and its tests for 64-bit Arm
#   tools/setup.sh s390x    the same for IBM Z
#   tools/setup.sh windows, musl, wasm, macos
#                           what the golden set of that system needs: compilers, emulators (zig and
#                           wasmtime into .venv/), and Highway's sources into build-golden/highway
#   tools/setup.sh lab-wasm the laboratory in a browser: zig into .venv/, binaryen, and Node
#   tools/setup.sh release  what `make release` needs: zig, a compiler for 64-bit Arm, and the
#                           sources of all libraries that the tool links, into build-golden/
set -eu

packages="g++ cmake make ninja-build ccache pkg-config libtbb-dev libhwy-dev
          libcli11-dev libfmt-dev nlohmann-json3-dev libfast-float-dev libboost-context-dev"
optional="zlib1g-dev libzstd-dev libre2-dev"  # the tool's .gz, .zst and regular expressions
tests="python3 python3-numpy git libgtest-dev librapidcheck-dev libmpfr-dev python3-pip"
aarch64="g++ cmake ninja-build ccache pkg-config python3 git g++-aarch64-linux-gnu qemu-user
         libhwy-dev:arm64 libgtest-dev:arm64 librapidcheck-dev:arm64 libmpfr-dev:arm64"
s390x=$(echo "$aarch64" | sed 's/aarch64/s390x/g; s/:arm64/:s390x/g')
cross="cmake ninja-build git python3 python3-venv dpkg-dev"
prepare="" wheels="" sources=""
case "${1:-build}" in
  build) ;;
  python) packages="$packages python3 python3-dev python3-venv" ;;
  deb) packages="$packages dpkg-dev file lintian" ;;
  test) packages="$packages $tests" ;;
  mpi) packages="libopenmpi-dev openmpi-bin libmpich-dev mpich" ;;
  fortran) packages="$packages $tests gfortran libopenmpi-dev openmpi-bin libmpich-dev mpich" ;;
  full)
    packages="$packages $tests clang chromium coq dpkg-dev file lintian"
    optional="$optional clang-19 llvm-19"  # `make coverage`
    ;;
  lint) packages="$packages $tests clang-tidy clang-tools" ;;
  aarch64) packages=$aarch64 prepare="dpkg --add-architecture arm64" ;;
  s390x) packages=$s390x prepare="dpkg --add-architecture s390x" ;;
  linux) ;;
  windows) packages="$cross g++-mingw-w64-x86-64-posix wine wine64" sources=highway ;;
  musl | macos) packages=$cross wheels="ziglang==0.17.1" sources=highway ;;
  wasm) packages=$cross wheels="ziglang==0.17.1 wasmtime==50.0.1" sources=highway ;;
  lab-wasm)
    packages="$cross binaryen nodejs libfmt-dev nlohmann-json3-dev" wheels="ziglang==0.17.1" ;;
  release)
    packages="$packages $tests $cross python3-dev file lintian zip unzip qemu-user
              g++-aarch64-linux-gnu libhwy-dev:arm64 libpython3-dev:arm64"
    prepare="dpkg --add-architecture arm64"
    wheels="ziglang==0.17.1"
    sources="highway cli11 fmtlib nlohmann-json3 fast-float zlib libzstd"
    ;;
  *)
    echo "setup: '$1' is not one of build, python, deb, test, mpi, fortran, full, lint, linux," \
      "aarch64, s390x, windows, musl, wasm, macos, lab-wasm, release" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query > /dev/null; then
  # shellcheck disable=SC2086  # a list of words, printed on one line
  echo "setup: this is not a Debian system; install the equivalents of:" $packages >&2
  exit 0
fi

# Prints those of the given packages that are not installed.
not_installed() {
  for package in "$@"; do
    # A line for each architecture that the package is installed for.
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2> /dev/null | grep -qx installed ||
      printf ' %s' "$package"
  done
}

# shellcheck disable=SC2086  # a list of words
wanted=$(not_installed $optional)
if [ -n "$wanted" ] && [ "$(id -u)" = 0 ]; then
  echo "setup: installing$wanted" >&2
  # shellcheck disable=SC2086  # a list of words
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install --yes \
    --no-install-recommends -qq $wanted) > /dev/null 2>&1 ||
    echo "setup:$wanted could not be installed; the build goes on without" >&2
fi

# shellcheck disable=SC2086  # a list of words
missing=$(not_installed $packages)

# Sources of libraries into build-golden/NAME, of the releases that the system has packages of: from
# the source packages of the archive that the system's own packages come from, whose list is kept
# apart from the system's.
get_sources() {
  here=$PWD/build-golden
  absent=""
  for name in "$@"; do
    [ -e "$here/$name" ] || absent="$absent $name"
  done
  [ -n "$absent" ] || return 0
  echo "setup: getting the sources of$absent" >&2
  mkdir -p "$here/apt/partial"
  # shellcheck disable=SC2016  # apt's variables
  apt-get indextargets --format '$(REPO_URI) $(RELEASE) main' 'Created-By: Packages' \
    'Component: main' | sort -u | grep -v -e security -e updates | head -1 |
    sed "s|^|deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] |" \
      > "$here/sources.list"
  set -- -qq -o Dir::Etc::sourcelist="$here/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State::lists="$here/apt"
  apt-get "$@" update
  for name in $absent; do
    # An archive may lack the file of Debian's patches; then the original has to do.
    (cd "$here" && if apt-get "$@" --download-only source "$name" > /dev/null 2>&1; then
      dpkg-source --no-check -x "$name"_*.dsc "$name" > /dev/null
    else
      apt-get "$@" --download-only --tar-only source "$name" > /dev/null 2>&1
      mkdir "$name" && tar -C "$name" --strip-components=1 -xf "$name"_*.orig.tar.*
    fi)
  done
}

# What is no package: sources and wheels say it.
get_others() {
  # shellcheck disable=SC2086  # a list of words
  [ -z "$sources" ] || get_sources $sources
  [ -n "$wheels" ] || return 0
  python3 -m venv .venv
  # shellcheck disable=SC2086  # a list of words
  .venv/bin/python -m pip install --quiet $wheels
}

if [ -z "$missing" ]; then
  get_others
  exit 0
fi

install="apt-get update && apt-get install --yes --no-install-recommends$missing"
[ -z "$prepare" ] || install="$prepare && $install"
if [ "$(id -u)" != 0 ]; then
  echo "Packages are missing. Run this command once, then repeat make:" >&2
  echo "  sudo sh -c '$install'" >&2
  exit 1
fi
echo "setup: installing$missing" >&2
export DEBIAN_FRONTEND=noninteractive
$prepare
apt-get update -qq
# shellcheck disable=SC2086  # a list of words
apt-get install --yes --no-install-recommends -qq $missing > /dev/null
get_others
