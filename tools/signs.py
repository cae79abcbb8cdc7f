"""Checks the sign of each room, a README.md whose paths exist, and that results read are there.

The rules are [signs] in docs/rooms.toml.
"""

import re
from pathlib import PurePosixPath

PATH = re.compile(r"`((?:[\w.]+/)*[\w.]+\.(?:hpp|cpp|cuh|cu|inl|h|py|sh|md|toml)|(?:[\w.]+/)+)`")
RESULT = re.compile(r"bench/results/[\w/]*20\d\d-[\w./-]+\.(?:json|md|txt)(?:\.bz2)?")


def complaints(rules, files, read):
    """Yields what is wrong with the signs of rules["folders"], of at most rules["lines"] lines."""
    paths = {f"/{f}" for f in files} | {f"/{p}/" for f in files for p in PurePosixPath(f).parents}
    for folder in rules["folders"]:
        sign = f"{folder}/README.md"
        if sign not in files:
            yield f"{sign}: is missing; say in 20 lines what is here, where to begin, what tests it"
            continue
        text = read(sign)
        if len(text.splitlines()) > rules["lines"]:
            yield f"{sign}: has more than {rules['lines']} lines"
        for path in PATH.findall(text):
            if not any(real.endswith(f"/{path}") for real in paths):
                yield f"{sign}: there is no '{path}'"


def lost_results(files, read, exists):
    """Yields who reads a result that is not there: a new table takes the place of an old one."""
    for name in files:
        if name.endswith((".cpp", ".py", ".sh", ".txt", ".toml", ".cmake")):
            for path in RESULT.findall(read(name)):
                if not exists(path):
                    yield f"{name}: there is no '{path}'; a newer one has taken its place"
