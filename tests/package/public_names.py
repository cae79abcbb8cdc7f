#!/usr/bin/env python3
"""The names that `using namespace upsweep` makes visible: those that upsweep.hpp declares directly
in the namespace, read from clang's syntax tree.

    public_names.py CLANG INCLUDE          prints them, one per line
    public_names.py CLANG INCLUDE LIST     fails unless they are those in the file LIST
"""

import json
import subprocess
import sys
from pathlib import Path

TREE = ["-std=gnu++20", "-fsyntax-only", "-x", "c++", "-Xclang", "-ast-dump=json"]
# What has this word in its name; most of the tree is the standard library.
TREE += ["-Xclang", "-ast-dump-filter", "-Xclang", "upsweep"]


def declarations(dump):
    """The declarations of a dump, each a text of JSON."""
    decoder, at = json.JSONDecoder(), 0
    while (begin := dump.find("{", at)) >= 0:
        declaration, at = decoder.raw_decode(dump, begin)
        yield declaration


def declared(dump):
    """The names declared by the namespaces `upsweep`; those of namespaces end in `::`."""
    names = set()
    for outer in declarations(dump):
        if outer.get("kind") == "NamespaceDecl" and outer.get("name") == "upsweep":
            for inner in outer.get("inner", []):
                name, kind = inner.get("name"), inner["kind"]
                if name and not name.startswith("<") and kind != "CXXDeductionGuideDecl":
                    names.add(name + "::" if kind == "NamespaceDecl" else name)
    return names


def public_names(clang, include):
    command = [clang, *TREE, f"-I{include}", "-"]
    dump = subprocess.run(
        command,
        input="#include <upsweep/upsweep.hpp>\n",
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    return declared(dump)


def differences(names, listed):
    """Yields a message for each name that is public but not listed, or listed but not public."""
    for name in sorted(names - listed):
        yield f"upsweep::{name} is public: move it to upsweep::detail, or list it"
    for name in sorted(listed - names):
        yield f"upsweep::{name} is listed, but upsweep.hpp does not declare it"


def main(clang, include, expected=None):
    names = public_names(clang, include)
    if expected is None:
        print("\n".join(sorted(names)))
        return 0
    found = list(differences(names, set(Path(expected).read_text(encoding="utf-8").split())))
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
