"""For tests of programs that clang compiles in WebAssembly, in Node: where `make lab-editor` has
put the compiler, and a main() that skips the tests without it. The word `full` asks for all cases.
"""

import os
import shutil
import sys
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WASM = ROOT / "lab" / "wasm"
BUILD = Path(os.environ.get("UPSWEEP_LAB_BUILD", ROOT / "build-lab-wasm"))
FULL = "full" in sys.argv

sys.path.insert(0, str(WASM))
from asking import Lab  # noqa: E402, F401


def main():
    if not (BUILD / "compiler" / "clang.mjs").exists() or not shutil.which("node"):
        print("skipped: no compiler for the laboratory, or no Node; run make lab-editor")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])
