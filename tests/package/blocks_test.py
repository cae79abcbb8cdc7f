"""Every fenced block of a page is run or compiled by a test, or is excused: blocks.toml says which
and why. Commands in ```sh blocks, which take long or need other machines, name commands, options,
targets and presets that exist.

    blocks_test.py [TOOL]
"""

import fnmatch
import functools
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
TABLE = tomllib.loads(Path(__file__).with_name("blocks.toml").read_text())
NO_PAGES = ("tests/", "bench/results/", "CHANGELOG.md", "docs/generated/")
BLOCK = re.compile(r"^[ ]{0,3}(`{3,})[ ]*([\w+-]*)[^\n`]*\n(.*?)^[ ]{0,3}\1[ ]*$", re.M | re.S)
TOOL = sys.argv[1] if len(sys.argv) > 1 else None


def pages():
    out = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, capture_output=True, text=True)
    folders = ("*.md", "docs/**/*.md", "examples/**/*.md", "packaging/*.md", "python/**/*.md")
    of_archive = (str(p.relative_to(ROOT)) for folder in folders for p in ROOT.glob(folder))
    names = out.stdout.split() or sorted(of_archive)  # without git
    return [n for n in names if not n.startswith(NO_PAGES) and (ROOT / n).is_file()]


def blocks():
    """(page, language, text) of each."""
    for page in pages():
        for _, language, text in BLOCK.findall((ROOT / page).read_text()):
            yield page, language or "text", text


def is_of(row, page, language, text):
    return (
        any(fnmatch.fnmatch(page, pattern) for pattern in row["pages"])
        and language in row["languages"]
        and text.startswith(row.get("begins", ""))
    )


def incomplete(found):
    """A sentence for each block that is in no row, and for each row without a block or a file."""
    rows = TABLE["checked"] + TABLE["not_run"]
    for page, language, text in found:
        if not any(is_of(row, page, language, text) for row in rows):
            yield (
                f"{page}: no test runs the {language} block that begins with "
                f"'{text.splitlines()[0] if text else ''}': name one in tests/package/blocks.toml"
            )
    for row in rows:
        if not any(is_of(row, *block) for block in found):
            yield f"blocks.toml: {row['pages']} have no {row['languages']}"
        if "by" in row and not (ROOT / row["by"]).is_file():
            yield f"blocks.toml: there is no {row['by']}"


@functools.cache
def help_of(command):
    done = subprocess.run([TOOL, command, "--help"], capture_output=True, text=True, check=False)
    everywhere = subprocess.run([TOOL, "--help"], capture_output=True, text=True, check=True)
    return done.stdout + everywhere.stdout if done.returncode == 0 else ""


def commands(text):
    """The commands of a block, without comments; those that continue are one."""
    for line in text.replace("\\\n", " ").splitlines():
        yield from re.split(r"&&|\||;", re.sub(r"(^|\s)#.*", "", line))


def wrong_command(command):
    """What is wrong with it, or nothing."""
    words = command.replace("'", " ").split()
    if "upsweep" in words and TOOL:
        words = words[words.index("upsweep") + 1 :]
        if not words or not re.fullmatch("[a-z]+", words[0]):
            return ""
        if not help_of(words[0]):
            return f"upsweep has no command '{words[0]}'"
        options = [w.partition("=")[0] for w in words if w.startswith("--") and len(w) > 2]
        unknown = [o for o in options if not re.search(rf"{o}\b", help_of(words[0]))]
        return f"its help does not name {unknown[0]}" if unknown else ""
    if words[:1] == ["make"]:
        makefile = (ROOT / "Makefile").read_text()
        targets = [w for w in words[1:] if "=" not in w]
        unknown = [t for t in targets if not re.search(rf"^{t}\b.*:", makefile, re.M)]
        return f"the Makefile has no target '{unknown[0]}'" if unknown else ""
    presets = re.findall(r"--preset[ =](\S+)", command)
    known = json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]
    unknown = [p for p in presets if p not in {preset["name"] for preset in known}]
    return f"there is no preset '{unknown[0]}'" if unknown else ""


def wrong_commands(found):
    for page, language, text in found:
        if language == "sh":
            for command in commands(text):
                if wrong := wrong_command(command):
                    yield f"{page}: '{command.strip()}': {wrong}"


def main():
    found = list(blocks())
    wrong = [*incomplete(found), *wrong_commands(found)]
    sys.exit("\n".join(wrong) if wrong else 0)


if __name__ == "__main__":
    main()
