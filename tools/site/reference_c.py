"""The C reference, from the comments of the C headers."""

import re

from links import ROOT

HEADERS = (
    "upsweep/upsweep.h",
    "upsweep/upsweep_partial.h",
    "upsweep/upsweep_cuda.h",
    "upsweep/core/version.h",
)
DOCUMENTED = re.compile(
    r"^/\*\*((?:(?!\*/).)*)\*/\n"
    r"((?:#define|typedef|UPSWEEP_API|[a-z]).*?)(?=^\n|^/\*|^#(?!define))",
    re.S | re.M,
)
HEAD = """# C

`upsweep.h` has the verbs for the built-in types and operators, `upsweep_partial.h` has
[partials](../pieces.md#c) of arrays that are distributed over processes, and `upsweep_cuda.h` has
the verbs for device memory. The bits, costs and promises are those of the
[verbs in C++](../verbs.md) and of [the contract](../contracts.md). No function throws, exits or
prints. Each returns a status, and `upsweep_last_error_message()` has the message.

```c
double x[] = {1, 2, 3}, total;
if (upsweep_reduce(UPSWEEP_F64, UPSWEEP_SUM, x, 3, NULL, &total) != UPSWEEP_OK)
  puts(upsweep_last_error_message());
```

"""


def comment(text):
    """A comment without its margin; < is no tag."""
    lines = [re.sub(r"^ \* ?", "", line) for line in text.replace("@file", "").splitlines()]
    return re.sub(r"([<*])", r"\\\1", "\n".join(lines)).strip()


def name_of(declaration):
    """The name that a declaration gives, or None."""
    if macro := re.match(r"#define (\w+)", declaration):
        return macro[1]
    if typedef := re.search(r"\} (\w+);\s*$", declaration):
        return typedef[1]
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
    return [text.strip()]


def page():
    """(text, names with an entry)."""
    text, found = HEAD, set()
    for header in HEADERS:
        text += f"## `<{header}>`\n\n"
        source = (ROOT / header).read_text()
        last = ""
        for name, about, declaration in declarations(source):
            code = declaration.replace(" UPSWEEP_INT_ENUM", "")
            if code.startswith("UPSWEEP_API "):  # on a phone, what is far on the right is not seen
                code = re.sub(r"\n +", "\n    ", code.removeprefix("UPSWEEP_API "))
            text += f"### {name}\n\n```c\n{code}\n```\n\n"
            text += comment(about) + "\n\n" if about != last else "As above.\n\n"
            last = about
            found.add(name)
    return text, found
