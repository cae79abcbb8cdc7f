#!/usr/bin/env python3
"""Prepares a module of kernels for WebAssembly, where it has no addresses of calls and no loader.

    instrument.py MODULE NUMBER IN.ll OUT.ll

IN.ll is LLVM's text of the module, compiled with the hooks of upsweep/sim/CMakeLists.txt. In OUT.ll

- every call of a hook stores its number first (upsweep/sim/caller.hpp), and a table has its line;
- the addresses of shared arrays, threadIdx and the like are asked for, as `__tls_get_addr` is
  elsewhere (upsweep/sim/wasm/module.cpp);
- everything but upsweep_kernel_* is the module's own, and a table describes the module.
"""

import re
import sys

NUMBERED = re.compile(
    r"call [^@\n]*@(__tsan_(?!init|func|ignore|vptr)\w+|__sanitizer_cov_trace_pc|"
    r"upsweep_emulated_\w+|__ubsan_handle_\w+|_Z\w*9operationI\w*7applied\w*)\("
)
ADDRESS = re.compile(r"call ([^@\n]*?)ptr @llvm\.threadlocal\.address\.p0\(ptr [^@\n]*@([\w.$]+)\)")
INDICES = ["threadIdx", "blockIdx", "blockDim", "gridDim"]
BITS = 22  # of the number of a call in its module


def metadata(text):
    """The scopes, files and positions in the debug data, as dictionaries of their fields."""
    found = {}
    kinds = "DILocation|DIFile|DISubprogram|DILexicalBlock|DILexicalBlockFile"
    for m in re.finditer(r"^!(\d+) = (?:distinct )?!(" + kinds + r")\((.*)\)$", text, re.M):
        fields = dict(re.findall(r"(\w+): (\"[^\"]*\"|[^,]+)", m[3]))
        found[m[1]] = (m[2], fields)
    return found


class Lines:
    """The positions of calls: each a chain of (file, line), the innermost call first."""

    def __init__(self, text):
        self.nodes = metadata(text)
        self.files, self.chains, self.known = [], [], {}

    def file_of(self, scope):
        kind, fields = self.nodes[scope[1:]]
        node = fields["file"] if "file" in fields else None
        if node is None:
            return self.file_of(fields["scope"])
        name = self.nodes[node[1:]][1]["filename"].strip('"')
        if name not in self.files:
            self.files.append(name)
        return self.files.index(name)

    def chain(self, place):
        if place in self.known:
            return self.known[place]
        links, at = [], place
        while at is not None and at in self.nodes:
            fields = self.nodes[at][1]
            links.append((self.file_of(fields["scope"]), int(fields["line"])))
            at = fields["inlinedAt"][1:] if "inlinedAt" in fields else None
        links = tuple(links)
        number = self.known.get(links)
        if number is None:
            number = self.known[links] = len(self.chains)
            self.chains.append(links)
        self.known[place] = number
        return number


def constant(name, values):
    body = ", ".join(f"i32 {v}" for v in values)
    return f"@{name} = internal constant [{len(values)} x i32] [{body}]"


def strings(name, values):
    data = b"".join(v.encode() + b"\0" for v in values) or b"\0"
    text = "".join(chr(b) if 32 <= b < 127 and b not in b'"\\' else f"\\{b:02X}" for b in data)
    return f'@{name} = internal constant [{len(data)} x i8] c"{text}"'


def size_of(kind):
    """The bytes of an LLVM type whose structures have no gaps, from its text; None if unknown."""
    kind = kind.strip()
    if m := re.fullmatch(r"\[(\d+) x (.*)\]", kind):
        inner = size_of(m[2])
        return None if inner is None else int(m[1]) * inner
    return {"i1": 1, "i8": 1, "i16": 2, "i32": 4, "i64": 8, "float": 4, "double": 8, "ptr": 4}.get(
        kind
    )


def instrument(text, module, number):
    lines, places, arrays = Lines(text), [], []
    declared = re.findall(
        r"^@([\w.$]+) = (.*?)thread_local(?:\(\w+\))? (?:global|constant) (.*?)"
        r"(?:, comdat)?(?:, align \d+)?$",
        text,
        re.M,
    )
    kinds = {
        name: rest
        for name, how, rest in declared
        if "external" not in how and "extern_weak" not in how
    }

    def address(m):
        name = m[2]
        if name in INDICES:
            return f"call ptr @upsweep_sim_index_variable(i32 {INDICES.index(name)})"
        if name not in kinds:
            return "call ptr @upsweep_sim_dynamic_array()"
        if name not in arrays:
            arrays.append(name)
        return f"call ptr @upsweep_sim_shared_array(i32 {arrays.index(name)})"

    out = []
    for line in text.split("\n"):
        if "call" in line:
            line = ADDRESS.sub(address, line)
            if NUMBERED.search(line):
                dbg = re.search(r"!dbg !(\d+)", line)
                places.append(lines.chain(dbg[1]) if dbg else lines.chain("none"))
                pc = ((number << BITS) + len(places)) * 16 - 8
                out.append(f"  store i32 {pc}, ptr @upsweep_sim_caller, align 4")
        out.append(line)
    assert len(places) < 1 << BITS, "a module has too many calls"
    body = "\n".join(out)
    # Shared arrays become numbers; what remains of them is a name.
    body = re.sub(r"^@[\w.$]+ = [^\n]*thread_local[^\n]*\n", "", body, flags=re.M)
    body = re.sub(r"^\$[^\n]* = comdat any\n", "", body, flags=re.M)
    body = re.sub(r",? comdat(\(\$[^)]*\))?(?=[ ,\n]|$)", "", body, flags=re.M)
    body = re.sub(
        r"\b(linkonce_odr|weak_odr|linkonce|weak) (hidden )?(?=(unnamed_addr |"
        r"local_unnamed_addr )?(global|constant) )",
        "internal ",
        body,
    )
    body = re.sub(
        r"^define (linkonce_odr|weak_odr|linkonce|weak) (hidden )?",
        "define internal ",
        body,
        flags=re.M,
    )
    body = re.sub(r"^@llvm\.(used|compiler\.used) [^\n]*\n", "", body, flags=re.M)
    body = re.sub(r"^@llvm\.global_ctors = [^\n]*tsan[^\n]*\n", "", body, flags=re.M)
    body = re.sub(r"define hidden (?=[^\n]*@upsweep_kernel_)", "define ", body)
    sizes = [kinds[a] for a in arrays]
    return body + "\n" + tables(module, number, lines, places, arrays, sizes, text)


def leading_type(text):
    """The type with which an initial value begins: `i32` of `i32 0`."""
    depth = 0
    for m in re.finditer(r'"[^"]*"|[\[\]{}<>]| ', text):
        depth += {"[": 1, "{": 1, "<": 1, "]": -1, "}": -1, ">": -1}.get(m[0], 0)
        if depth == 0 and m[0] == " ":
            return text[: m.start()]
    return text


def array_bytes(rest):
    kind = leading_type(rest.strip())
    known = size_of(kind)
    if known is not None:
        return f"i32 {known}"
    return f"i32 ptrtoint (ptr getelementptr ({kind}, ptr null, i32 1) to i32)"


def tables(module, number, lines, places, arrays, sizes, text):
    flat, begins = [], []
    for chain in lines.chains:
        begins.append(len(flat))
        flat.append(len(chain))
        for file, line in chain:
            flat += [file, line]
    p = f"upsweep_module_{module}"
    bytes_of = ", ".join(array_bytes(s) for s in sizes)
    return "\n".join(
        [
            constant(f"{p}_sites", [begins[c] for c in places] or [0]),
            constant(f"{p}_chains", flat or [0]),
            strings(f"{p}_files", lines.files),
            strings(f"{p}_names", arrays),
            f"@{p}_bytes = internal constant [{max(len(arrays), 1)} x i32] [{bytes_of or 'i32 0'}]",
            f"@{p} = constant {{ i32, i32, i32, i32, ptr, ptr, ptr, ptr, ptr }} {{ i32 {number}, "
            f"i32 {len(places)}, i32 {len(lines.files)}, i32 {len(arrays)}, ptr @{p}_sites, "
            f"ptr @{p}_chains, ptr @{p}_files, ptr @{p}_names, ptr @{p}_bytes }}",
            "" if "@upsweep_sim_caller = " in text else "@upsweep_sim_caller = external global i32",
            "declare ptr @upsweep_sim_index_variable(i32) nounwind",
            "declare ptr @upsweep_sim_shared_array(i32) nounwind",
            "declare ptr @upsweep_sim_dynamic_array() nounwind",
            "",
        ]
    )


def main():
    module, number, source, target = sys.argv[1:]
    with open(source) as f:
        text = f.read()
    with open(target, "w") as f:
        f.write(instrument(text, module, int(number)))


main()
