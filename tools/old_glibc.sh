#!/bin/sh
# Makes what a program is linked with to run on systems with an older glibc: its libraries without
# code, as zig writes them from the versions of all symbols. The compiler and libstdc++, which is
# linked statically, stay those of this system. cmake/toolchains/manylinux.cmake calls it.
#
#   tools/old_glibc.sh FOLDER VERSION    such as build-release/glibc-2.28 2.28
set -eu
folder=$1
version=$2
root=$(cd "$(dirname "$0")/.." && pwd)
zig=$(command -v "$root/.venv/bin/python-zig" || command -v python-zig || command -v zig) || {
  echo "old_glibc: zig is not there; give pip install ziglang==0.17.1" >&2
  exit 1
}
cpu=$(uname -m)
rm -rf "$folder"
mkdir -p "$folder/zig"
cat > "$folder/start.c" << 'END'
int main(void) { return 0; }
END
# What newer headers and libstdc++ refer to, for a glibc that lacks it.
cat > "$folder/newer.c" << 'END'
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <unistd.h>
#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN char __libc_single_threaded = 0; /* glibc 2.32; 0: perhaps not */
HIDDEN pid_t gettid(void) { return (pid_t)syscall(SYS_gettid); } /* glibc 2.30 */
HIDDEN unsigned arc4random(void) { /* glibc 2.36 */
  unsigned bits = 0;
  while (getentropy(&bits, sizeof bits) != 0) continue;
  return bits;
}
/* glibc 2.38: the same functions, which also know the prefix 0b of base 2 */
#define AS_BEFORE(type, name)                                            \
  extern type before_##name(char const*, char**, int) __asm__(#name);    \
  HIDDEN type __isoc23_##name(char const* text, char** end, int base) {  \
    return before_##name(text, end, base);                               \
  }
AS_BEFORE(long, strtol)
AS_BEFORE(unsigned long, strtoul)
AS_BEFORE(long long, strtoll)
AS_BEFORE(unsigned long long, strtoull)
END
# In glibc these are names of one variable, in zig's library of three: a program's copy of one would
# stay null. Defined in the program, they are what glibc writes to.
cat > "$folder/environ.c" << 'END'
char** __environ = 0;
extern char** _environ __attribute__((alias("__environ")));
extern char** environ __attribute__((alias("__environ")));
END
cd "$folder"
ZIG_GLOBAL_CACHE_DIR=zig ZIG_LOCAL_CACHE_DIR=zig \
  "$zig" cc -target "$cpu-linux-gnu.$version" -fPIE -pie start.c -o start
for file in libc.so.6 libc_nonshared.a Scrt1.o; do
  cp "$(find zig -name "$file" | head -n 1)" .
done
for library in m.so.6 pthread.so.0 rt.so.1 dl.so.2; do
  cp "$(find zig -name "lib$library" | head -n 1)" .
  ln -sf "lib$library" "lib${library%%.*}.so"
done
"${CC:-cc}" -O2 -fPIC -c newer.c environ.c
ar rcs libnewer.a newer.o environ.o
needed="AS_NEEDED ( libpthread.so.0 librt.so.1 libdl.so.2 )"
echo "GROUP ( libnewer.a libc.so.6 libc_nonshared.a $needed )" > libc.so
# Conversions of 16-bit floats from the static libgcc, since those of the shared one are of GCC 12.
gcc=$("${CC:-cc}" -print-file-name=libgcc.a)
shared=$("${CC:-cc}" -print-file-name=libgcc_s.so.1)
echo "INPUT ( $gcc $shared )" > libgcc_s.so
rm -rf zig start start.c
