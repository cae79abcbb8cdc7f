"""The interactive page of each kernel of the textbook, and of kernels with findings, made by the
tool, and its position on the kernel's page.
"""

import base64
import json
import re
import subprocess
import sys
import zlib

from links import ROOT

sys.path.insert(0, str(ROOT / "tools"))
from look_back_figure import RUNS  # noqa: E402

ELEMENTS = ("-n", "16")
# Findings that are seen in the steps, and where the page begins if not at the finding.
FINDINGS = {
    "race_in_a_block": "",
    "race_between_blocks": "",
    "missing_fence": "#view=blocks",
    "uninitialized_read": "",
    "bank_conflict": "#step=4&view=memory",
}
PARTS = [
    (r"<style>(.*?)</style>", "css", '<link rel="stylesheet" href="trace.css">'),
    (r'<script type="module">(.*?)</script>', "js", '<script defer src="trace.js"></script>'),
]


DATA = re.compile(r'(<script id="trace" type=")application/json(">)(.*?)(</script>)', re.S)
READ = 'JSON.parse(document.getElementById("trace").textContent)'
# The steps are compressed to a quarter. A script that is loaded from a file cannot be a module, so
# the program of the page is within a function that can wait.
UNPACK = """const unpacked = async (text) => {
  const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return JSON.parse(await new Response(stream).text());
};
"""


def packed(page):
    """The page with its steps compressed."""
    return DATA.sub(
        lambda m: (
            f"{m[1]}text/plain{m[2]}"
            f"{base64.b64encode(zlib.compress(m[3].encode(), 9)).decode()}{m[4]}"
        ),
        page,
    )


def waiting(program):
    """The program of the page, which unpacks the steps first."""
    if program.count(READ) != 1:
        raise SystemExit("tools/site/traces.py: the program of a trace page reads its steps anew")
    unpack = 'await unpacked(document.getElementById("trace").textContent)'
    return f"(async () => {{\n{UNPACK}{program.replace(READ, unpack)}\n}})();\n"


def output(*command, status=0):
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != status:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.stderr.decode()}")
    return done.stdout


def stems(tool):
    for kind in ("reduce", "scan"):
        yield from (row["stem"] for row in json.loads(output(tool, "list", kind, "--json")))


def frame(stem, place=""):
    page = f"../traces/{stem}.html"
    blocks = "*Blocks* shows what the tiles publish and who waits. " if stem in RUNS else ""
    return (
        f'<iframe class="trace" name="framed" src="{page}{place}" loading="lazy" '
        f'title="Trace of {stem}"></iframe>\n\n'
        "Every step of every thread: the arrow keys go from step to step, `?` lists all keys. "
        f"{blocks}[Open the page alone.](site:{page})\n"
    )


def shared(site, page):
    """The page with its style and its program in files that all traces share, and its steps
    compressed.
    """
    for pattern, suffix, link in PARTS:
        part = re.search(pattern, page, re.S)
        text = waiting(part[1]) if suffix == "js" else part[1]
        site.put(site.extra / "traces" / f"trace.{suffix}", text.encode())
        page = page.replace(part[0], link)
    return packed(page)


def add(site, tool):
    """Shows the trace of each kernel on its page."""
    add_kernels(site, tool)
    add_findings(site, tool)


def add_findings(site, tool):
    """Below what the emulator says of the kernel."""
    for name, place in FINDINGS.items():
        program = ROOT / "examples" / "findings" / f"{name}.cu"
        status = 0 if name == "bank_conflict" else 1
        page = output(tool, "trace", program, "-o", "-", status=status).decode()
        site.put(site.extra / "traces" / f"{name}.html", shared(site, page).encode())
        text = site.texts[f"findings/{name}"]
        if text.count("\n## Why\n") != 1:
            site.links.wrong.append(f"docs/findings/{name}.md has no heading Why")
        text = text.replace("\n## Why\n", f"\n{frame(name, place)}\n## Why\n")
        site.texts[f"findings/{name}"] = text


def add_kernels(site, tool):
    """The text instead of the picture of its steps."""
    for stem in stems(tool):
        page = output(tool, "trace", stem, *RUNS.get(stem, ELEMENTS), "-o", "-").decode()
        site.put(site.extra / "traces" / f"{stem}.html", shared(site, page).encode())
        name = f"algorithms/{stem}"
        picture = re.compile(rf"^!\[[^\]]*\]\(pictures/{stem}\.svg\)$", re.M)
        site.texts[name], count = picture.subn(frame(stem), site.texts[name])
        site.links.copies[False].discard(f"docs/algorithms/pictures/{stem}.svg")
        if count != 1:
            site.links.wrong.append(f"docs/algorithms/{stem}.md shows no pictures/{stem}.svg")
