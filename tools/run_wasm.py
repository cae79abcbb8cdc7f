#!/usr/bin/env python3
"""Runs a WebAssembly program with WASI: run_wasm.py PROGRAM.wasm [ARGUMENT...].

It needs wasmtime from PyPI, from .venv/ or from this interpreter's packages. The program sees the
file system as this one does.
"""

import importlib.metadata
import os
import sys
from pathlib import Path

OWN = Path(__file__).resolve().parent.parent / ".venv/bin/python"

try:
    import wasmtime
except ImportError:
    if not OWN.exists() or Path(sys.executable) == OWN:
        sys.exit("run_wasm: wasmtime is missing; run tools/setup.sh wasm")
    os.execv(OWN, [str(OWN), *sys.argv])


def main(program, arguments):
    config = wasmtime.Config()
    config.wasm_exceptions = True
    engine = wasmtime.Engine(config)
    linker = wasmtime.Linker(engine)
    linker.define_wasi()
    store = wasmtime.Store(engine)
    wasi = wasmtime.WasiConfig()
    wasi.argv = [program, *arguments]
    wasi.inherit_stdin()
    wasi.inherit_stdout()
    wasi.inherit_stderr()
    wasi.preopen_dir("/", "/")
    store.set_wasi(wasi)
    instance = linker.instantiate(store, wasmtime.Module.from_file(engine, program))
    try:
        instance.exports(store)["_start"](store)
    except wasmtime.ExitTrap as end:
        return end.code
    return 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    if sys.argv[1] == "--version":
        print(importlib.metadata.version("wasmtime"))
        sys.exit()
    sys.exit(main(sys.argv[1], sys.argv[2:]))
