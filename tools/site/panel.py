"""The laboratory in a browser: its module, if `make lab-wasm` has built it, and a panel on the page
of each kernel of the textbook that runs it.
"""

import base64
import gzip
import json
import re

import traces
from links import ROOT

MODULE = ROOT / "build-lab-wasm" / "upsweep_lab.wasm"
PROGRAM = ROOT / "lab" / "wasm" / "lab.mjs"


def script(module):
    """The module and the program that loads it, as a script: files may be opened without a server,
    and then nothing but a script can be read.
    """
    program = re.sub(r"^export ", "", PROGRAM.read_text(), flags=re.M)
    packed = gzip.compress(module, 9, mtime=0)
    parts = {"program": program, "module": base64.b64encode(packed).decode()}
    return f"globalThis.upsweepLab = {json.dumps(parts)};\n"


def html(row):
    """The panel of a kernel, of which `upsweep list --json` writes the row."""
    forms = "both" if row["inclusive"] and row["exclusive"] else "one"
    order = "kept" if row["keeps_order"] else "any"
    return (
        f'<div class="lab-panel" data-stem="{row["stem"]}" data-forms="{forms}" '
        f'data-order="{order}"></div>\n<script defer src="../_static/lab_panel.js"></script>\n'
    )


def kernels(tool):
    for kind in ("reduce", "scan"):
        yield from json.loads(traces.output(tool, "list", kind, "--json"))


def add(site, tool):
    """Below the trace of each kernel that the module has."""
    if not MODULE.exists():
        return
    site.put(site.extra / "_static" / "lab_module.js", script(MODULE.read_bytes()).encode())
    built = MODULE.with_name("stems.txt").read_text().split()
    for row in kernels(tool):
        stem = row["stem"]
        if stem not in built:
            continue
        name = f"algorithms/{stem}"
        text = site.texts[name]
        trace = text.find(f"traces/{stem}.html")
        at = text.find("\n## ", trace)
        if trace < 0 or at < 0:
            site.links.wrong.append(f"docs/{name}.md has no heading below its trace")
        block = f"\n## Run it here\n\n```{{raw}} html\n{html(row)}```\n"
        site.texts[name] = text[:at] + block + text[at:]
