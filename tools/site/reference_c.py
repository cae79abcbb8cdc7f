"""The C reference, from the comments of the C headers."""

import re

import headers
from links import ROOT
from reference_entries import FACTS, parameter_rows, relatives_in_c, table
from reference_examples import FOLDER, Examples

HEADERS = (
    "upsweep/upsweep.h",
    "upsweep/c_api/histograms.h",
    "upsweep/c_api/axis.h",
    "upsweep/upsweep_partial.h",
    "upsweep/c_api/ranks.h",
    "upsweep/upsweep_mpi.h",
    "upsweep/upsweep_cuda.h",
    "upsweep/core/version.h",
)
DOCUMENTED = re.compile(
    r"^/\*\*((?:(?!\*/).)*)\*/\n"
    r"((?:#define|typedef|UPSWEEP_API|[a-z]).*?)(?=^\n|^/\*|^#(?!define))",
    re.S | re.M,
)
HEAD = """# C

- `upsweep.h` has the verbs for the built-in types and operators.
- `c_api/histograms.h`, which it includes, has histograms.
- `c_api/axis.h` has reductions and scans along an axis of an array.
- `upsweep_partial.h` has [partials](../pieces.md#c) of arrays that are distributed over processes.
- `c_api/ranks.h` and `upsweep_mpi.h` have [exact sums over MPI ranks](../c_ranks.md).
- `upsweep_cuda.h` has the verbs for device memory.

| | |
| :-- | :-- |
| cost | That of the [verbs in C++](../verbs.md): one pass over the elements. |
| bits | Those of the [combine tree](../contracts.md#2-same-bits), for any number of threads. |
| errors | Each function returns a status. No function throws, exits or prints. |
| threads | All functions may be called from many threads at once. |

The examples use these functions:

```c
"""
AFTER_HELPERS = """```

"""


def comment(text):
    """A comment without its margin; < is no tag."""
    lines = [re.sub(r"^ \* ?", "", line) for line in text.replace("@file", "").splitlines()]
    return headers.marked("\n".join(lines)).strip()


def head_of(source):
    """What the comment at the head of a header says, with its code."""
    text = re.match(r"/\*\* (.*?)\n \* @file", source, re.S)
    if not text:
        return ""
    paragraphs = [re.sub(r"^ \* ?", "", p, flags=re.M).strip("\n") for p in text[1].split("\n *\n")]
    return "".join(
        f"```c\n{re.sub('^  ', '', p, flags=re.M)}\n```\n\n"
        if p.startswith("  ")
        else headers.marked(p) + "\n\n"
        for p in paragraphs
    )


def sections(source):
    """What comments say of all functions that follow them, by the name of the first."""
    found = {}
    for match in re.finditer(r"^/\* ((?:(?!\*/).)*)\*/\n\n", source, re.M | re.S):
        title = re.match(r"[\w, ]+?(?=\.| of |, with )", match[1])
        if title:
            name, _, _ = next(declarations(source[match.end() :]))
            found[name] = f"### {title[0]}\n\n{comment(match[1])}\n\n"
    return found


def name_of(declaration):
    """The name that a declaration gives, or None."""
    if macro := re.match(r"#define (\w+)", declaration):
        return macro[1]
    if typedef := re.search(r"(?:\}|^typedef struct \w+) (\w+);\s*$", declaration):
        return typedef[1]
    if callback := re.match(r"typedef [\w ]+ ?\(\*(\w+)\)", declaration):
        return callback[1]
    called = re.search(r"\b(upsweep_\w+)\(", declaration)
    return called[1] if called else None


def declarations(text):
    """(name, comment, declaration)."""
    for match in DOCUMENTED.finditer(text):
        for declaration in split(match[2]):
            name = name_of(declaration)
            if name:
                yield name, match[1], declaration


def split(text):
    """Functions that follow each other below one comment are declarations each."""
    if text.startswith("UPSWEEP_API"):
        return [part.strip() for part in re.split(r"(?<=;)\n(?=UPSWEEP_API)", text)]
    if text.startswith("static inline "):
        text = text[: text.index(" {\n")] + ";"
    return [text.strip()]


def helpers():
    """The functions that all examples use."""
    plain = (FOLDER / "every_function.c").read_text()
    device = (FOLDER / "gpu/every_gpu_function.c").read_text()
    with_comment = r"^/\* [^/]*\*/\nstatic [^\n]*\n(?:.*?\n)?\}$"
    stop, show = re.findall(with_comment, plain, re.M | re.S)[:2]
    copy = re.search(r"^/\* Device memory.*?^\}$", device, re.M | re.S)[0]
    return f"{stop}\n{declared(show)}\n\n{copy}  // for upsweep_cuda.h\n"


def declared(function):
    """A function with its comment, without its body."""
    return function[: function.index(" {\n")] + ";"


def parameters(code):
    """The names of a function's parameters."""
    inside = code[code.index("(") + 1 : code.rindex(")")]
    inside = inside.split(")(")[-1]
    return re.findall(r"(\w+)(?:\[\d\])?(?=,|$)", inside.replace("void", "", inside == "void"))


def facts(name, code, names, cpp):
    """Parameters, result and relatives of a name, as a table."""
    rows = []
    if re.search(r"\(", code) and not code.startswith("#"):
        rows = parameter_rows(name, parameters(code), FACTS["c_parameters"])
        if code.startswith("upsweep_status"):
            rows.append(("returns", "`UPSWEEP_OK`, or the reason of the failure"))
            rows.append(("cost, bits, errors", "at the [head of this page](#c)"))
    also = [f"[{n}](#{n.lower()})" for n in relatives_in_c(name) if n in names][:8]
    bare = name.removeprefix("upsweep_")
    if bare in cpp:
        also.append(f"[{bare} in C++](cpp/{cpp[bare]}.md#{bare})")
    return table(rows + ([("see also", ", ".join(also))] if also else []))


def without_meaning():
    """The parameters of functions of which reference_entries.toml does not say what they are."""
    return [
        f"{name}.{parameter}"
        for header in HEADERS
        for name, _, code in declarations((ROOT / header).read_text())
        if "(" in code and not code.startswith(("#", "typedef enum", "typedef struct"))
        for parameter in parameters(code)
        if not parameter_rows(name, [parameter], FACTS["c_parameters"])
    ]


def page(cpp=None):
    """(text, names with an entry, those without an example). `cpp` has the page of each name of
    C++.
    """
    sources = {header: (ROOT / header).read_text() for header in HEADERS}
    names = {n for source in sources.values() for n, _, _ in declarations(source)}
    examples = Examples(["every_function.c", "gpu/every_gpu_function.c"], FACTS["examples"])
    text, lacking = HEAD + helpers() + AFTER_HELPERS, set()
    for header, source in sources.items():
        text += f"## `<{header}>`\n\n{head_of(source)}"
        last, starting = "", sections(source)
        for name, about, declaration in declarations(source):
            text += starting.get(name, "")
            code = declaration.replace(" UPSWEEP_INT_ENUM", "")
            if code.startswith("UPSWEEP_API "):  # on a phone, what is far on the right is not seen
                code = re.sub(r"\n +", "\n    ", code.removeprefix("UPSWEEP_API "))
            text += f"### {name}\n\n```c\n{code}\n```\n\n"
            text += comment(about) + "\n\n" if about != last else "As above.\n\n"
            last = about
            text += facts(name, code, names, cpp or {})
            first = "gpu/every_gpu_function.c" if "cuda" in name else "every_function.c"
            example = examples.markdown(name, name, first)
            lacking |= set() if example else {name}
            text += example
    return text, names, lacking
