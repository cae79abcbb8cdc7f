#!/usr/bin/env python3
"""A compiler launcher that copies the object which another build has of this source and options.

    CMAKE_CXX_COMPILER_LAUNCHER="python3;-IS;tools/reuse_objects.py;build" cmake ...

What build/ has compiled with other options, or not at all, is compiled. Files that a build
generates are the same if they have the same path in both builds and the same bytes. Nothing checks
that build/ is newer than the sources, so build it first: it is for the tests of the package and for
.ci/run, which compile the library a second and a third time right after the main build.
"""

import filecmp
import json
import os
import re
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


def are_same(ours, theirs):
    """Whether a generated file, or all files of a folder, are the same in the other build."""
    files = [f for f in ours.rglob("*") if f.is_file()] if ours.is_dir() else [ours]
    others = [theirs / f.relative_to(ours) for f in files]
    return all(o.is_file() and filecmp.cmp(f, o, False) for f, o in zip(files, others, strict=True))


def as_in(build, options, own):
    """Returns the options as the other build has them, or None if it has other generated files."""
    path = re.compile(re.escape(own) + r"(?=[/=]|$)")
    for option in options:
        if "-prefix-map=" not in option and (found := path.search(option)):
            ours = option[found.start() :]
            if ours == own or not are_same(Path(ours), Path(build + ours[len(own) :])):
                return None
    return [path.sub(lambda _: build, option) for option in options]


def project_folders(own, source):
    """Returns where this build may have what the other build has: in all of it, or for a generated
    source in a folder of it, if the project is a part of another one."""
    return [str(f) for f in Path(source).parents if f.is_relative_to(own)][::-1] or [own]


def compiled_before(build, options):
    """Returns the object that the build has with these options, or None."""
    database = Path(build) / "compile_commands.json"
    entries = json.loads(database.read_text()) if database.exists() else []
    for own in project_folders(os.getcwd(), options[-1]):
        wanted = as_in(build, options, own)
        for entry in entries:
            if wanted and entry["file"] == wanted[-1]:
                theirs, path, _ = without_outputs(shlex.split(entry["command"]))
                if theirs == wanted and (Path(entry["directory"]) / path).exists():
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


if __name__ == "__main__":
    main()
