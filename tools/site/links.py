"""Where the links of a Markdown page lead in the site: to other pages, to files that are copied, or
to pages that show a file of the tree.
"""

import os
import posixpath
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^\s*(`{3,}|~{3,})")
TARGET = re.compile(r'(\]\(|\b(?:href|src)=")([^)\s"]+)(?=[)"])')
# A link that is called by its file; a reader of the site knows its title.
FILE_NAME = re.compile(r"\[[\w./-]+\.md\](\((?!(?:\.\./)*source/)[^)\s]+\))")
PICTURES = (".svg", ".png")
INCLUDE = re.compile(r"(\{literalinclude\} )(\S+)")


def slug(heading):
    """The anchor of a heading, as forges make it."""
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def parts_of(text):
    """What is before the first heading of level 2, and the part below each, by its anchor."""
    front, *rest = re.split(r"^(?=## )", text, flags=re.M)
    parts = {}
    for part in rest:
        anchor = slug(part[3:].splitlines()[0])
        same = sum(re.fullmatch(rf"{anchor}(-\d+)?", other) is not None for other in parts)
        parts[f"{anchor}-{same}" if same else anchor] = re.sub("^#(?=#)", "", part, flags=re.M)
    return front, parts


class Links:
    """Rewrites the links of pages of the tree. `wanted` gathers the files that pages are to be made
    of, `shown` those that are shown as they are, `copies` those that are copied, for Markdown or
    for HTML inside of it, and `wrong` what leads nowhere.
    """

    def __init__(self, folder, moved, instead, split):
        self.folder, self.moved, self.instead = folder, moved, instead
        self.anchors = {path: parts_of((ROOT / path).read_text())[1].keys() for path in split}
        self.wanted, self.shown, self.wrong = set(), set(), []
        self.copies = {False: set(), True: set()}

    def name(self, path, anchor=""):
        """The page of a file in the site, without .md."""
        if path in self.moved:
            return self.moved[path]
        name = path.removesuffix(".md")
        if not name.startswith("docs/"):
            return f"source/{name}"
        part = f"-{anchor}" if anchor in self.anchors.get(path, ()) else ""
        return name.removeprefix("docs/") + part

    def resolved(self, path, target, html):
        """The replacement of `target` on the page of `path`."""
        if re.match(r"[a-z]+:|#|/", target):
            return target
        file, hash_, anchor = target.partition("#")
        name = posixpath.normpath(posixpath.join(posixpath.dirname(path), file))
        if (ROOT / name / "README.md").is_file():
            name = posixpath.join(name, "README.md")
        if name.startswith("..") or not (ROOT / name).exists():
            self.wrong.append(f"{path}: there is no {target}")
            return target
        here = posixpath.dirname(self.name(path)) or "."
        if name in self.instead:
            to = posixpath.relpath(self.instead[name], here)
            return to + (".html" if html else ".md")
        if name.endswith(".md"):
            self.wanted.add(name)
            if anchor in self.anchors.get(name, ()):
                hash_ = anchor_ = ""
            else:
                anchor_ = anchor
            to = posixpath.relpath(self.name(name, anchor), here)
            return to + (".html" if html else ".md") + hash_ + anchor_
        is_copied = name.startswith("docs/") or name.endswith(PICTURES)
        if is_copied and (ROOT / name).is_file():
            self.copies[html].add(name)
            return posixpath.relpath(name.removeprefix("docs/"), here)
        self.shown.add(name)
        to = posixpath.relpath(f"source/{name}.html", here)
        return to if html else f"site:{to}"

    def rewritten(self, path, text):
        """The text with its links as they are in the site."""
        here = self.folder / posixpath.dirname(self.name(path))

        def link(match):
            return match[1] + self.resolved(path, match[2], "=" in match[1])

        def include(match):
            file = posixpath.normpath(posixpath.join(posixpath.dirname(path), match[2]))
            if not (ROOT / file).is_file():
                self.wrong.append(f"{path}: there is no {match[2]} to include")
            return match[1] + os.path.relpath(ROOT / file, here)

        lines, closing = [], None
        for line in text.splitlines():
            fence = FENCE.match(line)
            if closing is None and fence:
                closing = fence[1]
                line = INCLUDE.sub(include, line)
            elif closing is not None and line.strip() == closing:
                closing = None
            elif closing is None:
                line = FILE_NAME.sub(r"[]\1", TARGET.sub(link, line))
            lines.append(line)
        return "\n".join(lines) + "\n"
