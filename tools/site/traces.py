"""The interactive page of each kernel of the textbook, made by the tool, and its place on the
kernel's page.
"""

import json
import re
import subprocess
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from look_back_figure import RUNS  # noqa: E402

ELEMENTS = ("-n", "16")
PARTS = [
    (r"<style>(.*?)</style>", "css", '<link rel="stylesheet" href="trace.css">'),
    (r'<script type="module">(.*?)</script>', "js", '<script defer src="trace.js"></script>'),
]


def output(*command):
    return subprocess.run(command, capture_output=True, check=True).stdout


def stems(tool):
    for kind in ("reduce", "scan"):
        yield from (row["stem"] for row in json.loads(output(tool, "list", kind, "--json")))


def frame(stem):
    page = f"../traces/{stem}.html"
    blocks = "*Blocks* shows what the tiles publish and who waits. " if stem in RUNS else ""
    return (
        f'<iframe class="trace" name="framed" src="{page}" loading="lazy" '
        f'title="Trace of {stem}"></iframe>\n\n'
        "Every step of every thread: the arrow keys go from step to step, `?` lists all keys. "
        f"{blocks}[Open the page alone.](site:{page})\n"
    )


def shared(site, page):
    """The page with its style and its program in files that all traces share."""
    for pattern, suffix, link in PARTS:
        part = re.search(pattern, page, re.S)
        site.put(site.extra / "traces" / f"trace.{suffix}", part[1].encode())
        page = page.replace(part[0], link)
    return page


def add(site, tool):
    """Shows the trace of each kernel on its page, in place of the picture of its steps."""
    for stem in stems(tool):
        page = output(tool, "trace", stem, *RUNS.get(stem, ELEMENTS), "-o", "-").decode()
        site.put(site.extra / "traces" / f"{stem}.html", shared(site, page).encode())
        name = f"algorithms/{stem}"
        picture = re.compile(rf"^!\[[^\]]*\]\(pictures/{stem}\.svg\)$", re.M)
        site.texts[name], count = picture.subn(frame(stem), site.texts[name])
        site.links.copies[False].discard(f"docs/algorithms/pictures/{stem}.svg")
        if count != 1:
            site.links.wrong.append(f"docs/algorithms/{stem}.md shows no pictures/{stem}.svg")
