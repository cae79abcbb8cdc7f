#!/usr/bin/env python3
"""A compiler launcher that copies the object which another build has of this source and options.

    CMAKE_CXX_COMPILER_LAUNCHER="tools/reuse_objects.py;build" cmake ...

What build/ has compiled with other options, or not at all, is compiled. Nothing checks that build/
is newer than the sources, so build it first: it is for the tests of the package and for .ci/run,
which compile the library a second and a third time right after the main build.
"""

import json
import os
import shlex
import shutil
import sys
from pathlib import Path


def without_outputs(command):
    """Returns the options that decide about the object, the object's path and the depfile's."""
    options, paths, words = [], {}, iter(command)
    for word in words:
        if word in ("-o", "-MF", "-MT"):
            paths[word] = next(words)
        elif word != "-MD" and not word.startswith("--param=ggc"):
            options.append(word)
    return options, paths.get("-o"), paths.get("-MF")


def compiled_before(build, options):
    """Returns the object that the build has with these options, or None."""
    database = Path(build) / "compile_commands.json"
    for entry in json.loads(database.read_text()) if database.exists() else []:
        if entry["file"] == options[-1]:
            theirs, path, _ = without_outputs(shlex.split(entry["command"]))
            if theirs == options and (Path(entry["directory"]) / path).exists():
                return Path(entry["directory"]) / path
    return None


def main():
    build, *command = sys.argv[1:]
    options, path, depfile = without_outputs(command)
    found = compiled_before(build, options)
    if not found:
        launcher = ["ccache"] if shutil.which("ccache") else []
        os.execvp((launcher + command)[0], launcher + command)
    shutil.copyfile(found, path)
    if depfile:
        # Compiled anew, it is copied anew.
        Path(depfile).write_text(f"{path}: {options[-1]} {found}\n")


main()
