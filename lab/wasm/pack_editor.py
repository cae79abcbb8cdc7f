#!/usr/bin/env python3
"""Writes the folder with the page on which students write kernels, for any static server.

    pack_editor.py BUILD FOLDER

BUILD is build-lab-wasm, with upsweep_programs.wasm (`make lab-wasm`) and compiler/ (`make
lab-editor`). Without the latter the page has no compiler, and says so.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
PROGRAMS = ("lab", "instrument", "resume", "compiler", "program")

FIRST = """#include <cstdio>

// Sums 64 numbers in shared memory. Run it: what is missing?
__global__ void sum(int const* in, int* out) {
  __shared__ int tile[64];
  int const t = threadIdx.x;
  tile[t] = in[t];
  for (int stride = 32; stride >= 1; stride /= 2)
    if (t < stride) tile[t] += tile[t + stride];
  if (t == 0) *out = tile[0];
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, 64 * sizeof(int));
  cudaMallocManaged(&out, sizeof(int));
  for (int i = 0; i < 64; ++i) in[i] = i;
  sum<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
  std::printf("sum: %d (right: 2016)\\n", *out);
}
"""


def examples():
    yield {"title": "A sum in shared memory", "text": FIRST}
    for path in sorted((ROOT / "examples" / "findings").glob("*.cu")):
        title = path.stem.replace("_", " ")
        yield {"title": f"Finding: {title}", "text": path.read_text()}


def main():
    build, folder = Path(sys.argv[1]), Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    for path in (HERE / "editor").iterdir():
        shutil.copy(path, folder)
    for name in PROGRAMS:
        shutil.copy(HERE / f"{name}.mjs", folder)
    module = gzip.compress((build / "upsweep_programs.wasm").read_bytes(), 9, mtime=0)
    (folder / "upsweep_programs.wasm.gz").write_bytes(module)
    (folder / "examples.json").write_text(json.dumps(list(examples())))
    if (build / "compiler").is_dir():
        shutil.copytree(build / "compiler", folder / "compiler", dirs_exist_ok=True)
        packed = [p.stat().st_size for p in (folder / "compiler").glob("*.gz")]
        (folder / "compiler" / "size.json").write_text(json.dumps({"bytes": sum(packed)}))


main()
