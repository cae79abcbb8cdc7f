#!/usr/bin/env python3
"""Writes the skeleton of an addition: its new files, and its lines in the files that list it.

    tools/new.py operator lcm                 an operator, in a file of its own
    tools/new.py operator hypot --family arithmetic --c     beside others, and in the C interface
    tools/new.py tool-operator trimmed_mean --parameter     an operator of the tool alone
    tools/new.py verb adjacent_difference     a verb, its definition and its tests
    tools/new.py kernel scan block sklansky   a kernel of the textbook, with its page
    tools/new.py command spectrum             a command of the tool, with its page
    tools/new.py backend fpga                 an executor
    tools/new.py left                         what is still to be written

A skeleton says `write here:` wherever something has to be written. In C++ that is a static_assert,
so the tree compiles again when the code is there; the test package.no_skeleton_is_left_unwritten
finds the rest. tools/skeletons/ has the text of each skeleton. Either everything is written, or
nothing: when a name is taken, or when a file has changed and has no position for a line.
"""

import argparse
import difflib
import fnmatch
import keyword
import re
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SKELETONS = ROOT / "tools" / "skeletons"
MARK = re.compile(r"write here: (.+?)(?=\"| *-->| *\*/| \||$)")
# Files that speak of the marks.
SPEAK_OF_MARKS = ("tools/new.py", "tools/skeletons/*", "tests/package/*", "CONTRIBUTING.md")
SNAKE_CASE = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")


class refusal(Exception):
    """Why nothing is written, in sentences."""


def listed_files():
    """The files of the checkout: tracked, or new and not ignored."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    out = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    return sorted(name for name in set(out.split("\0")) if name and (ROOT / name).is_file())


def read(name):
    return (ROOT / name).read_text(encoding="utf-8")


def check_word(what, word):
    """A name of the tree: snake_case, and no word of C++ or Python."""
    if not SNAKE_CASE.fullmatch(word):
        raise refusal(f"{what} '{word}': write it in snake_case, such as longest_run")
    if word in (SKELETONS / "reserved.txt").read_text().split() or keyword.iskeyword(word):
        raise refusal(f"{what} '{word}': this is a reserved word; choose another")


def check_free(skeleton, form, words):
    """Nothing of this name is there: in upsweep/, what C++ declares; elsewhere, what the skeleton
    says under `free`.
    """
    name = words["name"]
    declares = rf"^(?:\[\[nodiscard\]\] )?(?:[\w:]+ )+{name}\b(?!::)"
    searched = [("upsweep/*.hpp", declares)] if form not in ("command", "tool-operator") else []
    searched += [(where, expanded(what, words)) for where, what in skeleton.get("free", [])]
    files = listed_files()
    for pattern, what in searched:
        for file in fnmatch.filter(files, pattern):
            text = read(file)
            if name not in text and words["words"] not in text:
                continue
            if found := re.search(what, text, re.MULTILINE):
                line = text.count("\n", 0, found.end()) + 1
                raise refusal(f"'{name}' is taken: {file}:{line} has it; choose another name")


def expanded(text, words):
    """`text` with its @words@ replaced, also those that the words themselves contain."""
    for _ in range(2):
        text = re.sub(r"@(\w+)@", lambda match: words[match[1]], text)
    return text


def next_number_in_c():
    """The number that upsweep.h gives to its next operator."""
    operators = read("upsweep/upsweep.h").split("} upsweep_operator;")[0]
    numbers = re.findall(r"^  UPSWEEP_\w+ = (\d+)", operators, re.MULTILINE)
    return int(numbers[-1]) + 1 if numbers else 0


def words_of(skeleton, options, tags):
    """The replacement of each @word@ of the skeleton."""
    name = options.name
    words = {
        "name": name,
        "NAME": name.upper(),
        "Name": name.title().replace("_", ""),
        "words": name.replace("_", "-" if options.form.endswith("operator") else " "),
    }
    for key in ("family", "what", "level"):
        if hasattr(options, key):
            words[key] = getattr(options, key)
    if options.form == "operator":
        words["number"] = str(next_number_in_c())
    own = skeleton.get("words", {})
    for table in [own] + [own[tag] for tag in tags if tag in own]:
        words |= {key: text for key, text in table.items() if isinstance(text, str)}
    return words


def tags_of(options):
    """What a skeleton may ask for with `only`."""
    if options.form == "kernel":
        return [options.what, f"{options.what} {options.level}"]
    if options.form == "tool-operator":
        kind = "sorted" if options.sorted else "class"
        return [kind, "parameter"] if options.parameter else [kind]
    return ["c"] if getattr(options, "c", False) else ["without c"]


def applies(step, words, tags):
    """Whether a file or line belongs to this addition: `only` names tags, `when` a file that has to
    be missing or to exist, or that has or lacks a text, after a colon.
    """
    if "only" in step and not set(step["only"]) & set(tags):
        return False
    if "when" not in step:
        return True
    how, path = expanded(step["when"], words).split(" ", 1)
    if how in ("exists", "missing"):
        return (ROOT / path).exists() == (how == "exists")
    path, text = path.split(": ", 1)
    return (text in read(path)) == (how == "has")


def place(text, step, words):
    """Where in `text` the lines of `step` go, or what `text` lacks."""
    if "sorted" in step:
        return sorted_place(text, expanded(step["sorted"], words), expanded(step["text"], words))
    anchor = expanded(step.get("before") or step["after"], words)
    count = text.count(anchor)
    if count != 1:
        shown = anchor.strip().replace("\n", "\\n")
        return f"lacks `{shown}`" if count == 0 else f"has `{shown}` {count} times"
    return text.index(anchor) + (len(anchor) if "after" in step else 0)


def sorted_place(text, pattern, line):
    """In alphabetical order among the first lines in a row that match; a line that closes the list
    stays last.
    """
    at, found = 0, None
    for other in text.splitlines(keepends=True):
        if re.match(pattern, other):
            if other > line or other.endswith(")\n"):
                return at
            found = at + len(other)
        elif found is not None:
            break
        at += len(other)
    return f"lacks a line that begins with `{pattern}`" if found is None else found


def planned(skeleton, words, tags):
    """The files of the addition, each with its old text (None if it is new) and its new one."""
    texts, complaints = {}, []
    for step in (s for s in skeleton["step"] if applies(s, words, tags)):
        path = expanded(step.get("new") or step["into"], words)
        is_there = (ROOT / path).exists()
        if "new" in step:
            texts[path] = expanded(step["text"], words)
            if is_there:
                complaints.append(f"{path} exists, and no file is overwritten")
        elif path not in texts and not is_there:
            complaints.append(f"{path} does not exist")
        else:
            text, line = texts.get(path) or read(path), expanded(step["text"], words)
            if "sorted" in step and f"\n{line}" in f"\n{text}":
                continue  # the family's other operators need it too
            at = place(text, step, words)
            if isinstance(at, str):
                complaints.append(f"{path} {at}; fix it, or tools/skeletons/, and run this again")
            else:
                texts[path] = text[:at] + line + text[at:]
    if complaints:
        raise refusal("\n".join(complaints))
    return {p: (read(p) if (ROOT / p).exists() else None, text) for p, text in texts.items()}


def show(files):
    for path, (old, new) in files.items():
        source = "/dev/null" if old is None else path
        before = (old or "").splitlines(keepends=True)
        sys.stdout.writelines(
            difflib.unified_diff(before, new.splitlines(keepends=True), source, path)
        )


def write(files):
    for path, (old, new) in files.items():
        (ROOT / path).parent.mkdir(parents=True, exist_ok=True)
        (ROOT / path).write_text(new, encoding="utf-8")
        print(f"{'new ' if old is None else 'line'}  {path}")


def marks(name, text):
    """What is still to be written in a file, as sentences."""
    for number, line in enumerate(text.splitlines(), 1):
        yield from (f"{name}:{number}: {what}" for what in MARK.findall(line))


def report(files, skeleton, words):
    """What is left to do, file by file."""
    print("\nLeft to write, in this order:")
    for path, (_, new) in files.items():
        for mark in marks(path, new):
            print(f"  {mark}")
    print("and, where only you know the place:")
    for note in skeleton.get("left", []):
        print(f"  {expanded(note, words)}")
    print("  CHANGELOG.md: what a user gains\n  tools/format.sh, tools/check_rooms.py, make test")


def add(options):
    skeleton = tomllib.loads((SKELETONS / f"{options.form}.toml").read_text(encoding="utf-8"))
    check_word("the name", options.name)
    if options.form == "operator":
        options.family = options.family or options.name
        check_word("the family", options.family)
    tags = tags_of(options)
    if options.form == "kernel" and tags[1] not in skeleton["levels"]:
        raise refusal(f"there is no {options.what} of a {options.level}: {skeleton['about']}")
    words = words_of(skeleton, options, tags)
    check_free(skeleton, options.form, words)
    files = planned(skeleton, words, tags)
    if options.dry_run:
        show(files)
        return 0
    write(files)
    report(files, skeleton, words)
    return 0


def left(_):
    """Lists every mark of the tree; 1 if there is one."""
    found = []
    for name in listed_files():
        if name.startswith("third_party/") or any(fnmatch.fnmatch(name, p) for p in SPEAK_OF_MARKS):
            continue
        try:
            found += marks(name, read(name))
        except UnicodeDecodeError:
            continue  # no text
    print("\n".join(found), end="\n" if found else "")
    return 1 if found else 0


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    forms = parser.add_subparsers(dest="form", required=True, metavar="FORM")
    for form in ("operator", "tool-operator", "verb", "kernel", "command", "backend"):
        about = tomllib.loads((SKELETONS / f"{form}.toml").read_text(encoding="utf-8"))["about"]
        sub = forms.add_parser(form, help=about, description=about)
        if form == "kernel":
            sub.add_argument("what", choices=["reduce", "scan"])
            sub.add_argument("level", choices=["warp", "block", "device"])
        sub.add_argument("name", metavar="STEM" if form == "kernel" else "NAME")
        if form == "operator":
            sub.add_argument("--family", metavar="F", help="upsweep/ops/F.hpp; else NAME.hpp")
            sub.add_argument("--c", action="store_true", help="also for C and calls by name")
        if form == "tool-operator":
            sub.add_argument("--parameter", action="store_true", help="NAME:P, not NAME alone")
            sub.add_argument("--sorted", action="store_true", help="a function of sorted values")
        sub.add_argument("--dry-run", action="store_true", help="print what would be written")
        sub.set_defaults(run=add)
    forms.add_parser("left", help="list what is still to be written").set_defaults(run=left)
    return parser.parse_args()


def main():
    options = arguments()
    try:
        return options.run(options)
    except refusal as why:
        print(f"tools/new.py: nothing is written: {why}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
