#!/usr/bin/env python3
"""Makes the folder with the compiler that pages load: `make lab-editor`.

    pack_compiler.py WHEEL ZIG_LIB FOLDER

WHEEL is that of llvm-explorer (BSD-3-Clause), with clang, opt, llc and wasm-ld as WebAssembly. The
headers are those of zig, whose C++ library is in the module of the laboratory, of clang, and of the
emulator. FOLDER gets clang.wasm.gz, clang.mjs, headers.json.gz and the licenses.
"""

import gzip
import json
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IN_WHEEL = "share/jupyter/labextensions/llvm-explorer/static/compiler/"
FOLDERS = (
    "libcxx/include",
    "libcxxabi/include",
    "libc/include/wasm-wasi-musl",
    "libc/include/generic-musl",
)
CLANG = "/lib/clang/23/include/"
# Of its headers those that are for every CPU.
OF_CLANG = re.compile(
    r"(__std\w+|__float\w+|std\w+|float|limits|iso646|inttypes|tgmath|unwind|varargs)\.h"
)
# What zig defines when it compiles for WASI.
DEFINES = (
    "_LIBCPP_ABI_VERSION=1",
    "_LIBCPP_ABI_NAMESPACE=__1",
    "_LIBCPP_HAS_THREADS=0",
    "_LIBCPP_HAS_MONOTONIC_CLOCK",
    "_LIBCPP_HAS_TERMINAL",
    "_LIBCPP_HAS_MUSL_LIBC=1",
    "_LIBCXXABI_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_DISABLE_VISIBILITY_ANNOTATIONS",
    "_LIBCPP_HAS_VENDOR_AVAILABILITY_ANNOTATIONS=0",
    "_LIBCPP_HAS_FILESYSTEM=0",
    "_LIBCPP_HAS_RANDOM_DEVICE",
    "_LIBCPP_HAS_LOCALIZATION",
    "_LIBCPP_HAS_UNICODE",
    "_LIBCPP_HAS_WIDE_CHARACTERS",
    "_LIBCPP_HAS_NO_STD_MODULES",
    "_LIBCPP_PSTL_BACKEND_SERIAL",
    "_LIBCPP_HARDENING_MODE=_LIBCPP_HARDENING_MODE_NONE",
    "_LIBCPP_ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_IGNORE",
)


def without_files(script):
    """The loader, and what files it would unpack: [(name, begin, end)]."""
    begin = script.index("loadPackage({files:[")
    end = script.index("})", begin)
    entries = re.findall(r'filename:"([^"]+)",start:(\d+),end:(\d+)', script[begin:end])
    files = [(name, int(first), int(last)) for name, first, last in entries]
    return script[:begin] + "loadPackage({files:[],remote_package_size:0" + script[end:], files


def once_declared(text):
    """musl's <assert.h> declares the function of assert() each time, which the emulator's headers
    make a macro.
    """
    declared = re.search(r"^.*void __assert_fail.*$", text, re.MULTILINE)[0]
    return text.replace(declared, f"#ifndef __assert_fail\n{declared}\n#endif")


def with_cancellation(text):
    """Programs that mention threads of the host compile, and run if they start none."""
    return re.sub(r"#ifdef \w+ /\* WASI has no cancellation.*\n(.*\n)#endif", r"\1", text)


def headers(zig, clang):
    files = dict(clang)
    for folder in FOLDERS:
        for path in sorted((zig / folder).rglob("*")):
            if path.is_file() and "experimental" not in path.parts:
                name = f"/{folder}/{path.relative_to(zig / folder)}"
                files[name] = path.read_text(errors="replace")
    at = "/libc/include/generic-musl/assert.h"
    files[at] = once_declared(files[at])
    at = "/libc/include/wasm-wasi-musl/pthread.h"
    files[at] = with_cancellation(files[at])
    # <cuda/atomic> and others have no suffix.
    for path in sorted((ROOT / "upsweep" / "simt").rglob("*")):
        if path.is_file() and path.suffix in ("", ".h"):
            files[f"/{path.relative_to(ROOT)}"] = path.read_text()
    folders = [f"/{f}" for f in FOLDERS]
    folders.insert(2, CLANG.rstrip("/"))
    return {
        "files": files,
        "folders": ["/upsweep/simt/cuda", "/upsweep/simt/check", *folders],
        "defines": DEFINES,
    }


def packed(data):
    return gzip.compress(data, 9, mtime=0)


def main():
    wheel, zig, folder = zipfile.ZipFile(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3])
    found = {n.split(IN_WHEEL)[1]: n for n in wheel.namelist() if IN_WHEEL in n}
    folder.mkdir(parents=True, exist_ok=True)
    script, entries = without_files(wheel.read(found["Compiler.js"]).decode())
    data = wheel.read(found["Compiler.data"])
    clang = {
        name: data[first:last].decode(errors="replace")
        for name, first, last in entries
        if name.startswith(CLANG) and OF_CLANG.fullmatch(name.removeprefix(CLANG))
    }
    (folder / "clang.mjs").write_text(script)
    (folder / "headers.json.gz").write_bytes(packed(json.dumps(headers(zig, clang)).encode()))
    for name, path in found.items():
        if name.startswith("licenses/"):
            (folder / name.replace("/", "-")).write_bytes(wheel.read(path))
    [license] = [n for n in wheel.namelist() if n.endswith("licenses/LICENSE")]
    (folder / "licenses-llvm-explorer.txt").write_bytes(wheel.read(license))
    target = folder / "clang.wasm.gz"
    if not target.exists():
        target.write_bytes(packed(wheel.read(found["Compiler.wasm"])))


main()
