"""Checks the site as it came out: every link and anchor leads somewhere, nothing comes from another
host, no page is heavy, and each has a description for previews.
"""

import posixpath
import re
from html.parser import HTMLParser
from urllib.parse import unquote

SITE_LIMIT, LAB_LIMIT = 10_000_000, 6_000_000  # of the laboratory in a browser alone
PAGE_LIMIT = 300_000
PREVIEW = ('name="description" property="og:description"', 'property="og:title"')


class Page(HTMLParser):
    """The anchors and links of a page, and what it loads."""

    def __init__(self, text):
        super().__init__()
        self.anchors, self.links, self.loads = {"", "top"}, [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        self.anchors.update(v for k, v in attrs if k in ("id", "name") and v)
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])
        for key in ("src", "href" if tag == "link" else "src"):
            if attributes.get(key):
                self.loads.append(attributes[key])


def faults(out):
    """A sentence for everything that is wrong."""
    files = {str(p.relative_to(out)): p for p in out.rglob("*") if p.is_file()}
    sizes = {name: p.stat().st_size for name, p in files.items()}
    lab = sizes.pop("_static/lab_module.js", 0)
    if lab > LAB_LIMIT:
        yield f"the laboratory has {lab:,} bytes; the limit is {LAB_LIMIT:,}"
    total = sum(sizes.values())
    if total > SITE_LIMIT:
        yield f"the site has {total:,} bytes; the limit is {SITE_LIMIT:,}"
    texts = {n: p.read_text() for n, p in files.items() if n.endswith(".html")}
    for name, text in texts.items():
        if "data-content_root" in text and name != "search.html":
            yield from (f"{name} has no {what}" for what in PREVIEW if what not in text)
    pages = {name: Page(text) for name, text in texts.items()}
    for name, page in pages.items():
        size = files[name].stat().st_size
        if size > PAGE_LIMIT and not name.startswith("traces/"):
            yield f"{name} has {size:,} bytes; the limit is {PAGE_LIMIT:,}"
        for load in page.loads:
            if re.match(r"(?:[a-z]+:)?//", load):
                yield f"{name} loads {load} from another host"
        if name == "404.html":
            continue
        for link in [*page.links, *page.loads]:
            yield from missing(name, link, files, pages)
    for name, path in files.items():
        if name.endswith(".css") and re.search(
            r"(?:@import|url\()\s*['\"]?(?:https?:)?//", path.read_text()
        ):
            yield f"{name} loads something from another host"


def missing(name, link, files, pages):
    """What is wrong with a link of the page `name`."""
    if re.match(r"[a-z]+:|//", link):
        return
    path, _, anchor = link.partition("#")
    path = unquote(path.partition("?")[0])
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if target not in files:
        yield f"{name} links to {link}, which does not exist"
    elif target.startswith("traces/") and "=" in anchor:
        return  # a step of a trace, for its script
    elif target in pages and unquote(anchor) not in pages[target].anchors:
        yield f"{name} links to {link}, but {target} has no such anchor"
