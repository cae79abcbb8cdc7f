"""Makes a source file of the code blocks of a page: the includes first, then each block as the body
of a function.

    page_blocks.py PAGE LANGUAGE PRELUDE OUT

PRELUDE declares, as macro BLOCK(name), a function with the names that the blocks use.
"""

import re
import sys
from pathlib import Path


def main():
    page, language, prelude, out = sys.argv[1:]
    blocks = re.findall(rf"```{language}\n(.*?)```", Path(page).read_text(), re.S)
    if not blocks:
        sys.exit(f"{page} shows no {language}")
    lines = [block.splitlines() for block in blocks]
    includes = [line for block in lines for line in block if line.startswith("#include")]
    bodies = [
        "\n".join(line for line in block if not line.startswith("#include")) for block in lines
    ]
    functions = [f"BLOCK(block_{i}) {{\n{body}\n}}\n" for i, body in enumerate(bodies)]
    Path(out).write_text("\n".join(includes + [f'#include "{prelude}"', ""] + functions))


if __name__ == "__main__":
    main()
