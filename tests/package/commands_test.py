#!/usr/bin/env python3
"""No document names a command that cannot work: no index, archive or channel has Upsweep, so what
installs it takes a file, or a recipe of this repository.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
KINDS = (".md", ".py", ".toml", ".cpp", ".hpp", ".h", ".cff", ".sh", ".yml", ".yaml", ".ipynb")
INSTALLS = re.compile(
    r"\b(?:pipx?3?|uv|uvx|apt|apt-get|conda|mamba|brew|conan|vcpkg|spack)\s+"
    r"(?:pip\s+|tool\s+)?(?:install|add|run)\b([^`\n#]*)"
)
OURS = re.compile(r"(?<![\w./*-])(?:lib)?upsweep(?![\w]*[./*])")
FROM_HERE = re.compile(r"\.whl|\.deb|--overlay-ports|--from|build-")
# The changelog says what was true; this file has examples.
SKIPPED = {"CHANGELOG.md", "tests/package/commands_test.py"}


def wrong_lines(text):
    """(line number, command) of each that would ask an index for Upsweep."""
    for number, line in enumerate(text.splitlines(), 1):
        if "packaging/" in line:  # a recipe of this repository
            continue
        for found in INSTALLS.finditer(line):
            if OURS.search(found[1]) and not FROM_HERE.search(found[1]):
                yield number, found[0].strip()


def finds_what_it_is_for():
    wrong = 'pip install "upsweep[cuda13]"\napt install upsweep\npip3 install numpy upsweep==0.1'
    right = "pip install build-wheel/dist/upsweep-*.whl\npip install pyarrow\n"
    right += "apt install ./libupsweep-dev_0.1.0_amd64.deb\nmake install"
    assert [n for n, _ in wrong_lines(wrong)] == [1, 2, 3], list(wrong_lines(wrong))
    assert not list(wrong_lines(right)), list(wrong_lines(right))


def main():
    finds_what_it_is_for()
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout.split("\0")
    bad = 0
    for name in sorted(n for n in tracked if n.endswith(KINDS) and n not in SKIPPED):
        if not (ROOT / name).is_file():
            continue
        for number, command in wrong_lines((ROOT / name).read_text(encoding="utf-8")):
            print(f"{name}:{number}: '{command}' cannot work: nobody has published Upsweep there")
            bad += 1
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
