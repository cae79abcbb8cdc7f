#!/usr/bin/env python3
"""Writes the folder from which `upsweep lab-site` makes a site.

    pack_site.py BUILD FOLDER

BUILD is build-lab-wasm, with the modules of `make lab-wasm` and compiler/ of `make lab-editor`. The
folder needs nothing else, so it can be copied to another machine.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
sys.path[:0] = [str(ROOT / "tools" / "site")]
import panel  # noqa: E402
from asking import Lab  # noqa: E402

PROGRAMS = ("lab", "arithmetic", "blocks", "instrument", "resume", "compiler", "program", "grading")

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


def kernels(lab):
    """What the page of each kernel of the module says."""
    for row in lab.ask(verb="list")["rows"]:
        text = (ROOT / "docs" / "algorithms" / f"{row['stem']}.md").read_text()
        heading, _, paragraph = text.split("\n\n")[:3]
        yield {
            "stem": row["stem"],
            "title": heading.lstrip("# "),
            "text": paragraph,
            "forms": "both" if row["inclusive"] and row["exclusive"] else "one",
            "order": "kept" if row["keeps_order"] else "any",
        }


def put_panels(build, folder):
    static = folder / "_static"
    static.mkdir(parents=True, exist_ok=True)
    module = build / "upsweep_lab.wasm"
    (static / "lab_module.js").write_text(panel.script(module.read_bytes()))
    shutil.copy(ROOT / "docs" / "site" / "static" / "lab_panel.js", static)
    shutil.copy(HERE / "editor" / "editor.css", static / "page.css")
    with Lab("ask.mjs", module) as lab:
        (folder / "kernels.json").write_text(json.dumps(list(kernels(lab))))


def put_editor(build, folder):
    editor = folder / "editor"
    shutil.copytree(HERE / "editor", editor)
    for name in PROGRAMS:
        shutil.copy(HERE / f"{name}.mjs", editor)
    module = gzip.compress((build / "upsweep_programs.wasm").read_bytes(), 9, mtime=0)
    (editor / "upsweep_programs.wasm.gz").write_bytes(module)
    (editor / "examples.json").write_text(json.dumps(list(examples())))
    if (build / "compiler").is_dir():
        shutil.copytree(build / "compiler", folder / "compiler")
        packed = [p.stat().st_size for p in (folder / "compiler").glob("*.gz")]
        (folder / "compiler" / "size.json").write_text(json.dumps({"bytes": sum(packed)}))


def main():
    build, folder = Path(sys.argv[1]), Path(sys.argv[2])
    shutil.rmtree(folder, ignore_errors=True)
    put_panels(build, folder)
    put_editor(build, folder)
    shutil.copytree(ROOT / "docs" / "findings", folder / "findings")
    shutil.copytree(ROOT / "exercises", folder / "exercises")


main()
