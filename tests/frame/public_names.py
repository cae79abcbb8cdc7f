#!/usr/bin/env python3
"""The names that `using namespace upsweep` makes visible: those that upsweep.hpp declares directly
in the namespace, read from clang's syntax tree.

    public_names.py CLANG INCLUDE      prints them, one per line
"""

import json
import subprocess
import sys

TREE = ["-std=gnu++20", "-fsyntax-only", "-x", "c++", "-Xclang", "-ast-dump=json"]


def declared(node, names):
    """Adds the names that the namespaces `upsweep` in `node` declare."""
    for child in node.get("inner", []):
        if child.get("kind") == "NamespaceDecl" and child.get("name") == "upsweep":
            for inner in child.get("inner", []):
                name = inner.get("name")
                if name and inner["kind"] not in ("NamespaceDecl", "CXXDeductionGuideDecl"):
                    if not name.startswith("<deduction"):
                        names.add(name)


def public_names(clang, include):
    command = [clang, *TREE, f"-I{include}", "-"]
    tree = subprocess.run(
        command,
        input="#include <upsweep/upsweep.hpp>\n",
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    names = set()
    declared(json.loads(tree), names)
    return names


if __name__ == "__main__":
    print("\n".join(sorted(public_names(sys.argv[1], sys.argv[2]))))
