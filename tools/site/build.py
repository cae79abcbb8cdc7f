#!/usr/bin/env python3
"""Builds the site of the documents: prepares its pages, runs Sphinx, and checks what came out.

tools/site/build.py [--tool build/bin/upsweep] [--out build/site]
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import check
import excerpts
import light
import panel
import reference
import sources
import traces
import walks
from links import ROOT
from pages import HERE, Site


def version():
    text = (ROOT / "upsweep" / "core" / "version.h").read_text()
    return ".".join(re.findall(r"define UPSWEEP_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)", text))


def sphinx(site, out):
    """Runs Sphinx; every warning is an error. It keeps what it has read, and writes all anew."""
    shutil.rmtree(out, ignore_errors=True)
    environment = os.environ | {"UPSWEEP_VERSION": version(), "UPSWEEP_EXTRA": str(site.extra)}
    command = [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "-j", "2"]
    command += ["-c", str(HERE), "-d", f"{out}.doctrees", str(site.folder), str(out)]
    return subprocess.run(command, env=environment, check=False).returncode


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tool", default=ROOT / "build" / "bin" / "upsweep", type=Path)
    parser.add_argument("--out", default=ROOT / "build" / "site", type=Path)
    options = parser.parse_args()
    options.out = options.out.resolve()
    site = Site(Path(f"{options.out}.pages"), Path(f"{options.out}.extra"))
    site.add_tree()
    reference.add_pages(site, options.tool)
    traces.add(site, options.tool)
    panel.add(site, options.tool)
    sources.add(site)
    site.put(site.extra / "404.html", (HERE / "404.html").read_bytes())
    lost = site.add_navigation()
    site.write()
    wrong = site.links.wrong + [f"{name} is not in docs/site/pages.toml" for name in lost]
    if wrong:
        sys.exit("\n".join(wrong))
    if sphinx(site, options.out):
        sys.exit(1)
    excerpts.write(options.out)
    light.lighten(options.out)
    wrong = [*check.faults(options.out), *walks.faults(options.out)]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
