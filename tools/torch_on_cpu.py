#!/usr/bin/env python3
"""Installs PyTorch into an environment without the 4 GB of CUDA libraries that it is linked with:
1.6 GB instead of 5.4 GB.

torch_on_cpu.py PYTHON: installs PyPI's torch, and its requirements other than CUDA's libraries and
Triton. For each library that torch/lib needs and the environment lacks, it writes one whose
functions stop the process; nothing calls them on a machine without a GPU. The exception is
libcudart, which is called when torch is loaded.
"""

import collections
import pathlib
import re
import subprocess
import sys
import tempfile


def output(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def symbols(library, which):
    lines = output("nm", "--dynamic", which, library).splitlines()
    return {line.split()[-1] for line in lines}


def absent_functions(own, missing):
    """For each missing library its versions, and for each version the functions that torch uses."""
    home = {}
    for library in own:
        file = None
        for line in output("readelf", "--version-info", "--wide", library).splitlines():
            if found := re.search(r"File: (\S+)", line):
                file = found[1]
            elif (found := re.search(r"Name: (\S+).*Version:", line)) and file:
                home[found[1]] = file
    given = {s.split("@")[0] for library in own for s in symbols(library, "--defined-only")}
    functions = {name: collections.defaultdict(list) for name in missing}
    for symbol in sorted(set().union(*(symbols(library, "--undefined-only") for library in own))):
        name, _, version = symbol.partition("@")
        if version and home.get(version) in missing:
            functions[home[version]][version].append(name)
        elif not version and name not in given and re.match(r"_*(cu|nv|p?nccl)", name):
            functions[min(missing)][""].append(name)
    return functions


def write_library(path, versions):
    names = sorted({name for group in versions.values() for name in group})
    with tempfile.TemporaryDirectory() as folder:
        source, script = pathlib.Path(folder) / "absent.s", pathlib.Path(folder) / "versions"
        labels = "".join(f'.globl "{n}"\n.type "{n}", @function\n"{n}":\n' for n in names)
        source.write_text(".text\n" + labels + ".long 0\n")
        groups = [(v, "".join(f'"{n}";' for n in g)) for v, g in versions.items() if v]
        script.write_text("".join(f"{v} {{ global: {g} }};\n" for v, g in groups))
        extra = [f"-Wl,--version-script,{script}"] if groups else []
        command = ["cc", "-shared", "-nostdlib", f"-Wl,-soname,{path.name}", *extra]
        subprocess.run([*command, "-o", path, source], check=True)


def install(python):
    """Installs torch, and returns the folder of packages."""
    pip = [python, "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "--no-deps", "torch"], check=True)
    ask = (
        "import sysconfig, importlib.metadata as m; "
        "print(sysconfig.get_path('purelib'), *m.requires('torch'), sep='\\n')"
    )
    home, *requires = output(python, "-c", ask).splitlines()
    wanted = []
    for line in requires:
        name, _, condition = line.partition(";")
        toolkit = re.match(r"cuda-toolkit\[.*\]==(\d+\.\d+)", name)
        if toolkit:
            wanted.append(f"nvidia-cuda-runtime=={toolkit[1]}.*")
        elif "extra" not in condition and not re.match("cuda|nvidia|triton", name):
            wanted.append(name.strip())
    # pip names the requirements of torch that are left out.
    subprocess.run([*pip, *wanted], check=True, stderr=subprocess.DEVNULL)
    return pathlib.Path(home)


def main(python):
    packages = install(python)
    home = packages / "torch" / "lib"
    record = next(packages.glob("torch-*.dist-info/RECORD")).read_text()
    for library in home.glob("*.so*"):  # those of an earlier run, perhaps for another torch
        if f"torch/lib/{library.name}," not in record:
            library.unlink()
    own = sorted(home.glob("libtorch*.so")) + sorted(home.glob("libc10*.so"))
    brought = {f.name for f in packages.rglob("*.so*")}
    needed = {
        name
        for library in own
        for name in re.findall(r"\(NEEDED\).*\[(.*)\]", output("readelf", "--dynamic", library))
    }
    missing = {name for name in needed - brought if re.match(r"lib(cu|nv|nccl)", name)}
    for name, versions in absent_functions(own, missing).items():
        write_library(home / name, versions)


if __name__ == "__main__":
    main(*sys.argv[1:])
