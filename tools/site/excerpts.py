"""What the search shows of each page and each part of it: the beginning of its text. A page that is
opened as a file cannot read others, so this is one script.
"""

import json
from html.parser import HTMLParser

MOST = 120  # letters
TEXT = {"p", "li", "td", "dd", "dt"}
LEFT_OUT = {"pre", "script", "style", "th", "svg"}


class Parts(HTMLParser):
    """`parts`: [anchor, heading, text] of the page and of each section in it."""

    def __init__(self, text):
        super().__init__()
        self.parts, self.open, self.headed, self.within = [], 0, False, False
        self.feed(text.partition('id="furo-main-content">')[2].partition("</article>")[0])

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "section" and attributes.get("id"):
            self.parts.append([attributes["id"] if self.parts else "", "", ""])
        self.open += tag in LEFT_OUT
        self.headed = self.headed or tag in ("h1", "h2", "h3", "h4", "h5")
        self.within = self.within or tag in TEXT
        if tag in TEXT and self.parts and self.parts[-1][2]:
            self.parts[-1][2] += " "

    def handle_endtag(self, tag):
        self.open -= tag in LEFT_OUT
        if tag in ("h1", "h2", "h3", "h4", "h5"):
            self.headed = False
        if tag in TEXT:
            self.within = False

    def handle_data(self, data):
        if not self.parts or self.open:
            return
        if self.headed:
            self.parts[-1][1] += "" if data == "#" else data
        elif self.within and len(self.parts[-1][2]) < MOST:
            self.parts[-1][2] += data


def beginning(text):
    text = " ".join(text.split())
    return text if len(text) <= MOST else text[:MOST].rpartition(" ")[0] + " …"


def write(out):
    """Writes the script that search.js reads, of all pages but those of files of the tree."""
    found = {}
    for path in sorted(out.rglob("*.html")):
        name = path.relative_to(out).with_suffix("").as_posix()
        if name.split("/")[0] in ("traces", "source", "search", "404"):
            continue
        parts = Parts(path.read_text()).parts
        found[name] = [[anchor, head.strip(), beginning(text)] for anchor, head, text in parts]
    text = json.dumps(found, ensure_ascii=False, separators=(",", ":"))
    (out / "_static" / "excerpts.js").write_text(f"const excerpts = {text};\n")
