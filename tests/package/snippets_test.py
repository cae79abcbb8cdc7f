"""Checks pages: their C++ is the code of an example, and the tool, the examples and the tests print
the output that they show.

    snippets_test.py [DIRECTORY]

With the directory of the tool `upsweep` and of the examples, also runs the commands in ```console
blocks.
"""

import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NAMES = "README CONTRIBUTING docs/verbs docs/index docs/tutorial docs/clusters"
NAMES = [f"{name}.md" for name in NAMES.split()]
PAGES = {page: (ROOT / page).read_text() for page in NAMES}
OTHERS = "contracts expressions laboratory learn numbers questions start tables".split()
WITHOUT_CODE = {f"docs/{name}.md": (ROOT / "docs" / f"{name}.md").read_text() for name in OTHERS}


def bare(text):
    """The lines of code, without indentation and empty lines."""
    return "\n".join(line.strip() for line in text.splitlines() if line.strip())


def code_that_no_example_contains(pages=PAGES, language="cpp", files="examples/*.cpp"):
    """A sentence for each snippet whose lines do not follow each other in one of the files."""
    examples = [bare(path.read_text()) for path in ROOT.glob(files)]
    for page, text in pages.items():
        snippets = re.findall(rf"```{language}\n(.*?)```", text, re.S)
        if not snippets:
            yield f"{page} shows no {language} at all"
        yield from (
            f"{page}: no example contains:\n{s}"
            for s in snippets
            if not any(bare(s) in code for code in examples)
        )


def commands_that_print_something_else(directory, pages=PAGES):
    environment = os.environ | {"PATH": f"{directory}:{os.environ['PATH']}"}
    for page, text in pages.items():
        for block in re.findall(r"```console\n(.*?)```", text, re.S):
            for command, shown in re.findall(r"^\$ ([^\n]*)\n((?:(?!\$ )[^\n]*\n)*)", block, re.M):
                done = subprocess.run(
                    ["sh", "-c", command], cwd=ROOT, env=environment, capture_output=True, text=True
                )
                if done.stdout != shown:
                    yield (
                        f"{page}: '{command}' prints\n{done.stdout}{done.stderr}but the page "
                        f"says\n{shown}"
                    )


def main():
    wrong = list(code_that_no_example_contains())
    # nvcc compiles the code of docs/cuda.md: tests/package/cuda.
    for_gpus = {page: PAGES[page] for page in ("docs/index.md", "docs/tutorial.md")}
    wrong += code_that_no_example_contains(for_gpus, "cuda", "docs/cuda.md")
    if len(sys.argv) > 1:
        wrong += commands_that_print_something_else(sys.argv[1], PAGES | WITHOUT_CODE)
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
