"""Prepares the pages of the site: those of docs/ and of files that they link to, with the
navigation of docs/site/pages.toml.
"""

import fnmatch
import json
import tomllib

from links import ROOT, Links, parts_of

HERE = ROOT / "docs" / "site"


class Site:
    """`folder` gets the pages that Sphinx reads, `extra` the files that it copies."""

    def __init__(self, folder, extra):
        self.folder, self.extra = folder, extra
        self.plan = tomllib.loads((HERE / "pages.toml").read_text())
        self.titles = self.plan["titles"]
        self.split = self.plan["split"]["pages"]
        self.texts = {}  # by name in the site
        self.sources = {}  # the files of pages, by name in the site
        self.links = Links(folder, self.plan["moved"], self.plan["instead"], self.split)
        self.written = set()

    def add_tree(self):
        """The pages of docs/, those that are moved, and all that they link to."""
        paths = [p.relative_to(ROOT).as_posix() for p in sorted((ROOT / "docs").rglob("*.md"))]
        queue, done = [*paths, *self.plan["moved"]], set()
        while queue:
            path = queue.pop()
            if path not in done:
                done.add(path)
                self.add(path)
                queue += self.links.wanted - done

    def add(self, path):
        name = self.links.name(path)
        text = self.links.rewritten(path, (ROOT / path).read_text())
        if name.startswith("source/"):
            text = f"---\norphan: true\n---\n\n{text}"
        if path in self.split:
            text, parts = parts_of(text)
            for anchor, part in parts.items():
                self.texts[f"{name}-{anchor}"] = part
                self.sources[f"{name}-{anchor}"] = path
            here = name.rpartition("/")[2]
            text += "".join(
                f"- [{part[2:].splitlines()[0]}]({here}-{anchor}.md)\n"
                for anchor, part in parts.items()
            )
        self.texts[name], self.sources[name] = text, path

    def matching(self, pattern):
        """Pages of the reference are in the order in which they were added, others are sorted."""
        found = fnmatch.filter(self.texts, pattern)
        return found if pattern.startswith("reference/") else sorted(found)

    def add_navigation(self):
        """Gives each page of a section a hidden table of the pages below it. Returns those that are
        in no section.
        """
        sections = self.plan["section"]
        tables = {"index": [s["page"] for s in sections if s["page"] in self.titles]}
        for section in sections:
            patterns = section.get("under", [])
            found = [name for pattern in patterns for name in self.matching(pattern)]
            tables[section["page"]] = [n for n in dict.fromkeys(found) if n != section["page"]]
        placed = {"index"}
        for page, names in tables.items():
            names = [n for n in names if n in self.texts and n not in placed]
            if page not in self.texts or not names:
                continue
            placed.update(names)
            entries = [f"{self.titles[n]} </{n}>" if n in self.titles else f"/{n}" for n in names]
            self.texts[page] += "\n```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
        return [n for n in self.texts if n not in placed and not n.startswith("source/")]

    def write(self):
        """Writes what has changed, and deletes what is no page any more."""
        for name, text in self.texts.items():
            self.put(self.folder / f"{name}.md", text.encode())
        self.put(self.folder / "sources.json", json.dumps(self.sources).encode())
        for html, folder in ((False, self.folder), (True, self.extra)):
            for path in self.links.copies[html]:
                self.put(folder / path.removeprefix("docs/"), (ROOT / path).read_bytes())
        for folder in (self.folder, self.extra):
            for path in folder.rglob("*"):
                if path.is_file() and path not in self.written:
                    path.unlink()

    def put(self, path, content):
        self.written.add(path)
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
