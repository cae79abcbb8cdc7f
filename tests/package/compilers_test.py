"""Links programs of other compilers with the library of the default one.
`compilers_test.py MODE COMPILER ROOT LIBRARY...`, where COMPILER has built the LIBRARY:

  oldest   the program of compilers/ by the oldest clang++ that is installed
  rest     by all others that are on the PATH, and by COMPILER itself
  layouts  a program that lays out types otherwise does not link, and its linker says why
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

SKIPPED = 77
OLDEST = {"clang++": 14, "g++": 12}
REFUSAL = "upsweep needs g++ 12, clang 14 or a newer one"
MISSING = "library_and_program_lay_out_types_alike"
FLAGS = ["-std=c++20", "-ffp-contract=off"]

CALL = """#include <upsweep/upsweep.hpp>
#include <vector>
int main() { return upsweep::reduce(std::vector<float>(9, 1.0f)) == 9 ? 0 : 1; }
"""


def output_of(command, **more):
    return subprocess.run(command, text=True, capture_output=True, **more)


class Compiler:
    def __init__(self, path, kind):
        self.path, self.kind = path, kind
        self.version = output_of([path, "-dumpversion"]).stdout.strip()
        self.major = int(re.match(r"\d+", self.version)[0])

    def __str__(self):
        return f"{self.kind} {self.version} ({self.path})"

    def works(self):
        """False where it lacks a standard library, for example."""
        with tempfile.TemporaryDirectory() as folder:
            command = [self.path, "-std=c++20", "-x", "c++", "-", "-o", f"{folder}/program"]
            program = "#include <span>\n#include <string>\nint main() {}\n"
            return output_of(command, input=program).returncode == 0


def installed():
    """Each compiler on the PATH once, whatever it is called there; older versions first."""
    found = {}
    for folder in os.environ["PATH"].split(os.pathsep):
        for path in sorted(Path(folder).glob("*++*")) if folder else []:
            name = re.fullmatch(r"(clang\+\+|g\+\+)(-\d+)?", path.name)
            if name and os.access(path, os.X_OK):
                found.setdefault(os.path.realpath(path), (str(path), name[1]))
    return sorted((Compiler(*c) for c in found.values()), key=lambda c: (c.kind, c.major))


def chosen(mode, default):
    """The compilers of a mode."""
    all_of_them = installed()
    others = [c for c in all_of_them if os.path.realpath(c.path) != os.path.realpath(default)]
    clangs = [c for c in others if c.kind == "clang++" and c.major >= OLDEST["clang++"]]
    oldest = clangs[:1]
    return oldest if mode == "oldest" else [c for c in all_of_them if c not in oldest]


def check_program(compiler, root, libraries):
    """Compiles and runs the program; returns what is wrong, or None."""
    sources = sorted(str(path) for path in (root / "tests/package/compilers").glob("*.cpp"))
    with tempfile.TemporaryDirectory() as folder:
        program = f"{folder}/program"
        command = [compiler.path, *FLAGS, "-O0", f"-I{root}", *sources, "-o", program]
        if compiler.major < OLDEST[compiler.kind]:
            built = output_of([*command, "-fsyntax-only"])
            return None if REFUSAL in built.stderr else f"no refusal:\n{built.stderr[:3000]}"
        rpath = f"-Wl,-rpath,{Path(libraries[0]).parent}"
        built = output_of([*command, *libraries, rpath, "-pthread"])
        if built.returncode != 0:
            return f"does not build:\n{built.stderr[:3000]}"
        ran = output_of([program])
        return None if ran.returncode == 0 else f"status {ran.returncode}: {ran.stderr}"


def check_layouts(compiler, root, libraries):
    with tempfile.TemporaryDirectory() as folder:
        command = [compiler, *FLAGS, f"-I{root}", "-x", "c++", "-", "-o", f"{folder}/program"]
        command += ["-x", "none", *libraries, "-pthread"]
        usual = output_of(command, input=CALL)
        if usual.returncode != 0:
            sys.exit(f"a usual program does not link:\n{usual.stderr}")
        packed = output_of([*command, "-fpack-struct=1"], input=CALL)
        if packed.returncode == 0 or MISSING not in packed.stderr:
            sys.exit(f"packed structs: status {packed.returncode}\n{packed.stderr}")


def main():
    mode, default, root, *libraries = sys.argv[1:]
    root = Path(root)
    if mode == "layouts":
        return check_layouts(default, root, libraries)
    compilers = chosen(mode, default)
    if not compilers:
        print("no other compiler is installed that could be tested")
        sys.exit(SKIPPED)
    wrong = []
    for compiler in compilers:
        if not compiler.works():
            print(f"{compiler} cannot compile a program of two standard headers: not tested")
            continue
        reason = check_program(compiler, root, libraries)
        print(f"{compiler}: {reason or 'as expected'}")
        if reason:
            wrong.append(str(compiler))
    if wrong:
        sys.exit("wrong: " + ", ".join(wrong))


if __name__ == "__main__":
    main()
