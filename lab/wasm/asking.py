"""What the scripts and tests that ask the laboratory in Node share."""

import argparse
import json
import subprocess
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]


class Lab:
    """A program of Node that answers a line of JSON with a line of JSON: ask.mjs, with the module
    of the textbook's kernels, or run_program.mjs, with the folder that `make lab-editor` writes.
    """

    def __init__(self, program, place):
        self.node = subprocess.Popen(
            ["node", HERE / program, place],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.node.stdin.close()
        self.node.stdout.close()
        self.node.wait()

    def ask(self, **request):
        self.node.stdin.write(json.dumps(request, default=str) + "\n")
        self.node.stdin.flush()
        return json.loads(self.node.stdout.readline())


def comparison(description, place):
    """The arguments of a comparison with the tool."""
    parser = argparse.ArgumentParser(description=description.splitlines()[0])
    parser.add_argument(place, type=Path)
    parser.add_argument("--tool", default=ROOT / "build" / "bin" / "upsweep", type=Path)
    parser.add_argument("--quick", action="store_true")
    return parser


def differences(tool, lab, path=""):
    """Where two answers differ, as sentences."""
    if isinstance(tool, dict) and isinstance(lab, dict):
        for key in sorted({*tool, *lab}):
            yield from differences(tool.get(key), lab.get(key), f"{path}.{key}")
    elif isinstance(tool, list) and isinstance(lab, list) and len(tool) == len(lab):
        for i, pair in enumerate(zip(tool, lab)):
            yield from differences(*pair, f"{path}[{i}]")
    elif path.endswith(".file"):  # a build names its files relative to a folder
        if tool.lstrip("./") != lab.lstrip("./"):
            yield f"{path}: tool {tool}, module {lab}"
    elif tool != lab:
        yield f"{path}: tool {tool}, module {lab}"
