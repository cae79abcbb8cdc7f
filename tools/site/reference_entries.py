"""What entries of the C and C++ reference have besides signature, meaning and example: their
parameters, results and relatives, from docs/site/reference_entries.toml.
"""

import tomllib

from links import ROOT

FACTS = tomllib.loads((ROOT / "docs" / "site" / "reference_entries.toml").read_text())


def table(rows):
    """A table without a head, or nothing."""
    if not rows:
        return ""
    return "| | |\n| :-- | :-- |\n" + "".join(f"| {a} | {b} |\n" for a, b in rows) + "\n"


def parameter_rows(function, names, facts):
    """A row for each parameter of a function, in their order, once each."""
    told = [(n, facts.get(f"{function}.{n}") or facts.get(n)) for n in dict.fromkeys(names)]
    return [(f"`{name}`", meaning) for name, meaning in told if meaning]


def relatives(name):
    """The other names of the families of a name."""
    found = []
    for family in FACTS["families"].values():
        if name in family:
            found += [other for other in family if other != name]
    return list(dict.fromkeys(found))


def relatives_in_c(name):
    """The same of a function of C, of the same header first."""
    for prefix in ("upsweep_cuda_", "upsweep_"):
        if name.startswith(prefix):
            bare = name.removeprefix(prefix)
            whole = name.removeprefix("upsweep_")
            found = [prefix + other for other in relatives(bare)]
            found += ["upsweep_" + other for other in relatives(whole)]
            if prefix == "upsweep_cuda_":
                found.append(f"upsweep_{bare}")
            return list(dict.fromkeys(found))
    return []
