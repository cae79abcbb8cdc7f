"""The C++ on the pages of the applications compiles.

page_code_test.py COMPILER
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs" / "apps"
# What the code of a page uses: vectors, and views of 2 or 3 dimensions.
VECTORS = {
    "std::vector<double>": "signal filter out x y weights uniform altitudes",
    "std::vector<std::size_t>": "drawn",
    "std::vector<char>": "visible",
}
VIEWS = {
    "double": "image mask filtered blurred filters outs grid table",
    "char": "all_visible",
}
PRELUDE = """#include <fstream>
#include <span>
#include <vector>
%s
static double const rate = 48000;
static std::ifstream file;
"""


def declarations(code):
    """Of the names that the code uses, but does not call."""
    uses = lambda name: re.search(rf"\b{name}\b(?!\()", code)
    for kind, names in VECTORS.items():
        yield from (f"  static {kind} {name};" for name in filter(uses, names.split()))
    for element, names in VIEWS.items():
        for name in filter(uses, names.split()):
            yield f"  extern upsweep::strided_view<{element}> const {name};"


def blocks():
    """(page, its code) of each page with C++."""
    for page in sorted(PAGES.glob("*.md")):
        code = re.findall(r"```cpp\n(.*?)```", page.read_text(), re.S)
        if code:
            yield page.stem, "\n".join(code)


def program():
    found = list(blocks())
    includes = "".join(f"#include <upsweep/apps/{stem}.hpp>\n" for stem, _ in found)
    text = PRELUDE % includes
    for stem, code in found:
        text += "\n".join([f"void of_{stem}() {{", *declarations(code), code, "}\n"])
    return text, len(found)


def main():
    text, pages = program()
    if pages < 8:
        sys.exit(f"only {pages} pages of docs/apps have C++: their blocks were not found")
    command = [sys.argv[1], "-std=c++20", "-fsyntax-only", "-x", "c++", f"-I{ROOT}", "-"]
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    sys.exit(done.stderr if done.returncode else 0)


if __name__ == "__main__":
    main()
