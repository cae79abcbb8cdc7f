"""The laboratory in a browser: its module, if `make lab-wasm` has built it, and a panel on the page
of each kernel of the textbook that runs it.
"""

import base64
import gzip
import json
import re

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


def markup(stem):
    return (
        "## Run it here\n\n```{raw} html\n"
        f'<div class="lab-panel" data-stem="{stem}"></div>\n'
        '<script defer src="../_static/lab_panel.js"></script>\n```\n\n'
    )


def add(site):
    """Below the trace of each kernel that the module has."""
    if not MODULE.exists():
        return
    site.put(site.extra / "_static" / "lab_module.js", script(MODULE.read_bytes()).encode())
    for stem in MODULE.with_name("stems.txt").read_text().split():
        name = f"algorithms/{stem}"
        text = site.texts[name]
        if "\n## Cost\n" not in text:
            site.links.wrong.append(f"docs/{name}.md has no heading Cost")
        site.texts[name] = text.replace("\n## Cost\n", f"\n{markup(stem)}## Cost\n", 1)
