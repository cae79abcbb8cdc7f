#!/usr/bin/env python3
"""Puts the laboratory on a static site: kernels to run, and exercises to solve, in a browser.

The folder DIR gets pages that any web server can serve, without a program on the server. Pages that
run the textbook's kernels also work when they are opened as files. The page on which students write
kernels (--with-compiler) needs a server, since browsers load no compiler from files.
"""

import argparse
import hashlib
import html
import json
import re
import sys
from pathlib import Path

from prose import html_of

PARTS = Path(__file__).resolve().parent / "parts"
EXAMPLES = """examples:
  lab_site.py public/lab                             kernels and findings, 2 MB
  lab_site.py public/lab --with-compiler             also an editor and all exercises, 30 MB more
  lab_site.py public/lab --with-compiler --exercises 02,06-missing-fence,mine/07-max
                                                     two exercises, and one of yours: a folder with
                                                     exercise.json, check.cu, kernel.cu, README.md
  python3 -m http.server --directory public/lab      looks at it, at http://localhost:8000
"""
NEEDED = ("exercise.json", "check.cu", "kernel.cu")
INCLUDED = '#include "kernel.cu"'


class Refusal(Exception):
    """What is wrong, as a sentence."""


def page(title, body, root="", script=""):
    """A whole page; `root` is the way to the site's first page."""
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{html.escape(title)} · Upsweep</title>
<link rel="stylesheet" href="{root}_static/page.css">
<link rel="icon" href="data:,">
</head>
<body>
<main>
{body}
</main>
{script}</body>
</html>
"""


# ---- Exercises


def given():
    return sorted(path.name for path in (PARTS / "exercises").iterdir())


def folder_of(word):
    """Of "2", "02", "02-missing-barrier", or a path."""
    names = given()
    number = f"{word:0>2}-" if word.isdigit() else None
    for name in names:
        if name == word or (number and name.startswith(number)):
            return PARTS / "exercises" / name
    path = Path(word)
    if not path.is_dir():
        raise Refusal(
            f"there is no exercise '{word}': give a number, a folder, or one of {', '.join(names)}"
        )
    for name in NEEDED:
        if not (path / name).is_file():
            raise Refusal(f"the exercise '{word}' has no {name}: docs/exercises.md describes it")
    return path


def task_link(has_kernel, exercises=(), has_editor=False):
    """Links of a task lead to pages that the site has; others become text."""

    def address(to):
        found = re.fullmatch(r"(?:\.\./)+(?:exercises/([\w-]+)|examples/findings/(\w+)\.cu)", to)
        if found and (found[1] in exercises or (found[2] and has_editor)):
            asked = f"exercise={found[1]}" if found[1] else f"example={found[2]}"
            return f"../editor/index.html#{asked}"
        if found := re.fullmatch(r"(?:\.\./)*(?:docs/)?(algorithms|findings)/(\w+)\.md", to):
            kept = found[1] == "findings" or has_kernel(found[2])
            return f"../{found[1]}/{found[2]}.html" if kept else None
        return to if to.startswith("https://") else None

    return address


def exercise(folder, has_kernel):
    """What the editor needs to know."""
    rules = (folder / "exercise.json").read_text()
    try:
        known = json.loads(rules)
        name, title = known["name"], known["title"]
    except (ValueError, KeyError, TypeError) as e:
        raise Refusal(f"{folder / 'exercise.json'} is not the rules of an exercise: {e!r}") from e
    checker = (folder / "check.cu").read_text()
    if INCLUDED not in checker:
        raise Refusal(f"{folder / 'check.cu'} lacks the line {INCLUDED}")
    readme = folder / "README.md"
    text = readme.read_text() if readme.is_file() else f"# {title}\n"
    # The button of the page grades.
    text = re.sub(r"^    upsweep grade .*\n\n", "", text, flags=re.M)
    return {
        "name": name,
        "title": f"{name.split('-')[0]} {title}",
        "task": html_of(text, task_link(has_kernel), level=2),
        "text": (folder / "kernel.cu").read_text(),
        "rules": rules,
        "checker": checker,
    }


def chosen(words):
    if words == ["all"]:
        return [PARTS / "exercises" / name for name in given()]
    return [] if words == ["none"] else [folder_of(word) for word in words]


# ---- Pages: (path, bytes)


def tree(folder, under):
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            yield f"{under}/{path.relative_to(folder)}", path.read_bytes()


def kernel_pages(kernels):
    for k in kernels:
        body = (
            f'<p><a href="../index.html">The laboratory</a></p>\n<h1>{html.escape(k["title"])}</h1>'
            f"\n{html_of(k['text'], lambda to: None)}\n"
            f'<div class="lab-panel" data-stem="{k["stem"]}" data-forms="{k["forms"]}" '
            f'data-order="{k["order"]}"></div>'
        )
        script = '<script defer src="../_static/lab_panel.js"></script>\n'
        yield f"algorithms/{k['stem']}.html", page(k["title"], body, "../", script).encode()


def finding_pages(has_kernel, exercises, has_editor):
    for path in sorted((PARTS / "findings").glob("*.md")):
        text = path.read_text()
        title = text.partition("\n")[0].lstrip("# ")
        link = task_link(has_kernel, exercises, has_editor)
        names = {p.stem for p in path.parent.glob("*.md")}

        def address(to, link=link, names=names):
            near = re.fullmatch(r"(\w+)\.md", to)
            return f"{near[1]}.html" if near and near[1] in names else link(to)

        body = f'<p><a href="../index.html">The laboratory</a></p>\n{html_of(text, address)}'
        yield f"findings/{path.stem}.html", page(title, body, "../").encode()


def editor_pages(exercises):
    files = dict(tree(PARTS / "editor", "editor"))
    files["editor/exercises.json"] = json.dumps(exercises).encode()
    compiler = dict(tree(PARTS / "compiler", "editor/compiler"))
    worker = "editor/sw.js"
    names = sorted(name.removeprefix("editor/") for name in files if name != worker)
    # The loader of the compiler and the size of its files are loaded with it.
    known = {
        "page": hashed(files),
        "files": ["./", *names],
        "compiler": hashed(compiler),
    }
    files[worker] = re.sub(
        rb"^const site = .*$",
        lambda _: f"const site = {json.dumps(known)};".encode(),
        files[worker],
        flags=re.M,
    )
    yield from files.items()
    yield from compiler.items()


def hashed(files):
    total = hashlib.sha256()
    for name, data in sorted(files.items()):
        total.update(f"{name} {len(data)} ".encode() + data)
    return total.hexdigest()[:16]


def first_page(kernels, findings, exercises, has_editor):
    parts = [
        "<h1>The laboratory</h1>\n<p>It runs GPU kernels in this browser, on an emulator: it finds "
        "races, missing barriers and wrong indices, and counts what a GPU would do. Nothing is "
        "installed, and nothing is sent to anybody.</p>"
    ]
    if has_editor:
        parts.append(
            '<p class="first"><a href="editor/index.html">Write your own kernel</a></p>\n'
            "<p>The first example has a race. Press <b>Run</b>: the finding names the two threads, "
            "their lines, and what to add.</p>"
        )
    rows = [(f"editor/index.html#exercise={e['name']}", e["title"]) for e in exercises]
    lists = [("Exercises", rows)]
    lists.append(("Kernels", [(f"algorithms/{k['stem']}.html", k["title"]) for k in kernels]))
    lists.append(("Findings", findings))
    for heading, links in lists:
        if links:
            items = "".join(f'<li><a href="{to}">{html.escape(t)}</a></li>\n' for to, t in links)
            parts.append(f'<h2>{heading}</h2>\n<ul class="columns">\n{items}</ul>')
    return page("The laboratory", "\n".join(parts))


def files_of(exercise_folders, has_editor):
    kernels = json.loads((PARTS / "kernels.json").read_text())
    stems = {k["stem"] for k in kernels}
    exercises = [exercise(folder, stems.__contains__) for folder in exercise_folders]
    names = {e["name"] for e in exercises}
    findings = list(finding_pages(stems.__contains__, names, has_editor))
    titles = [(name, Path(name).stem.replace("_", " ").capitalize()) for name, _ in findings]
    titles = [(name, title) for name, title in titles if title != "Index"]
    yield "index.html", first_page(kernels, titles, exercises, has_editor).encode()
    yield from tree(PARTS / "_static", "_static")
    yield from kernel_pages(kernels)
    yield from findings
    if has_editor:
        yield from editor_pages(exercises)


def write(folder, files, force):
    """Nothing, if a file would be replaced that has other contents."""
    changed = [name for name, data in files.items() if not is_same(folder / name, data)]
    others = [name for name in changed if (folder / name).exists()]
    if others and not force:
        raise Refusal(
            f"{folder} has {len(others)} of the files with other contents, such as {others[0]}: "
            "name another folder, or replace them with --force"
        )
    for name in changed:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(files[name])
    return len(changed)


def is_same(path, data):
    return path.is_file() and path.read_bytes() == data


def arguments(words):
    parser = argparse.ArgumentParser(
        prog="lab_site.py",
        description=__doc__,
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("folder", metavar="DIR", type=Path, help="created if it does not exist")
    parser.add_argument(
        "--exercises",
        metavar="LIST",
        help="numbers, names and folders with commas between them; all (default) or none",
    )
    parser.add_argument(
        "--with-compiler",
        action="store_true",
        help="add the editor, in which students write kernels and solve exercises",
    )
    parser.add_argument("--force", action="store_true", help="replace files that are different")
    return parser.parse_args(words)


def make(asked):
    if not asked.with_compiler and asked.exercises not in (None, "none"):
        raise Refusal(
            "--exercises needs --with-compiler, because the browser compiles students' kernels"
        )
    if asked.with_compiler and not (PARTS / "compiler" / "clang.wasm.gz").exists():
        raise Refusal("there is no compiler beside this program: build it with make lab-editor")
    if asked.folder.exists() and not asked.folder.is_dir():
        raise Refusal(f"{asked.folder} is a file: name a folder")
    words = (asked.exercises or "all").split(",") if asked.with_compiler else ["none"]
    files = dict(files_of(chosen(words), asked.with_compiler))
    written = write(asked.folder, files, asked.force)
    size = sum(map(len, files.values())) / 1e6
    print(f"{asked.folder}: {len(files)} files, {size:.1f} MB; {written} of them are new")


def main():
    try:
        make(arguments(sys.argv[1:]))
    except (Refusal, OSError, UnicodeDecodeError) as e:
        print(f"lab_site: {e}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
