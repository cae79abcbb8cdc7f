"""Checks stems, the names that files of different rooms share, and the companions that they need.
The rules are [[stems]] in docs/rooms.toml.
"""

import fnmatch
import re
from pathlib import Path

HEADERS = (".hpp", ".h", ".cuh", ".inl")


def names_in(rule, file, read):
    """The names that the rule checks for a file: its stem, or the matches of a pattern in it."""
    return re.findall(rule["names"], read(file)) if "names" in rule else [Path(file).stem]


def families(catalog, read):
    """The headers that a catalog includes from its own folder, by their stems."""
    folder = re.escape(str(Path(catalog).parent))
    return re.findall(rf"#include <{folder}/(\w+)\.hpp>", read(catalog))


def faults(rule, file, files, read):
    """Yields a message for each companion that the rule requires and a file lacks."""
    stems = names_in(rule, file, read)
    if not stems:
        yield f"{file}: has nothing like {rule['names']}: {rule['why']}"
    for stem in stems:
        for path in (p.replace("{stem}", stem) for p in rule.get("needs", [])):
            if path not in files:
                yield f"{file}: needs {path}: {rule['why']}"
        for pattern in rule.get("mentioned_in", []):
            wanted = rule.get("as", "{stem}").replace("{stem}", stem)
            if not any(wanted in read(f) for f in fnmatch.filter(files, pattern)):
                yield f"{file}: nothing in {pattern} mentions '{wanted}': {rule['why']}"
        if "family_of" in rule:
            known = families(rule["family_of"], read)
            if not any(f"{stem}_".startswith(f"{family}_") for family in known):
                yield (
                    f"{file}: '{stem}' is neither a family of {rule['family_of']} nor "
                    f"<family>_<part>: {rule['why']}; rename it, or list it with a reason in "
                    f"docs/rooms.toml, under [stems.except] of {rule['each']}"
                )


def complaints(rules, files, read):
    """Yields a message for each file that lacks a companion, and for each exception that is no
    longer needed.
    """
    for rule in rules:
        excused, used = rule.get("except", {}), set()
        matching = fnmatch.filter(files, rule["each"])
        if not matching:
            yield f"docs/rooms.toml: no file is {rule['each']}, which a rule is about"
        for file in matching:
            found = list(faults(rule, file, files, read))
            if file not in excused:
                yield from found
            elif found:
                used.add(file)
        for file in excused.keys() - used:
            yield (
                f"docs/rooms.toml: the exception for '{file}' among {rule['each']} is no longer "
                "needed; remove it"
            )


def alike(files):
    """Yields a message for each pair of headers whose stems differ only by underscores."""
    by_letters = {}
    for file in (f for f in files if f.endswith(HEADERS) and not f.startswith("third_party/")):
        by_letters.setdefault(Path(file).stem.replace("_", ""), {})[Path(file).stem] = file
    for stems in by_letters.values():
        if len(stems) > 1:
            yield f"{' and '.join(stems.values())}: only an underscore tells them apart; rename one"
