"""Follows the links of docs/site/walked.txt from the first page of a built site: each has to be on
the page before it, and the last leads to a part with code to copy.
"""

import posixpath
import re

from check import Page
from links import ROOT

CLICKS = 3
CODE = re.compile(r'<div class="highlight|<code>[^<]*[( ]')  # a block, a call or a command


def walks(text):
    """(question, [link]) of each line."""
    for line in text.splitlines():
        if line and line[0] != "#":
            question, _, links = line.partition(" | ")
            yield question, [link.strip() for link in links.split(" > ")]


def part(text, anchor):
    """The part of a page below a heading, or the page."""
    begin = text.find(f'id="{anchor}"') if anchor else text.find("<article")
    level = re.search(r"<h(\d)", text[begin:])
    if begin < 0 or not level:
        return ""
    rest = text[begin + level.end() :]
    end = re.search(rf"<h[1-{level[1]}]\b|</article>", rest)
    return rest[: end.start()] if end else rest


def wrong_step(name, link, read):
    """(the page and anchor that a link leads to, what is wrong with it)."""
    page, _, anchor = link.partition("#")
    target = f"{page}.html" if page else name
    found = {
        (posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name, to)
        for path, _, to in (href.partition("#") for href in Page(read(name)).links)
    }
    there = (target, anchor) in found
    return target, anchor, "" if there else f"{name} has no link to {link}"


def wrong_walk(links, read):
    """What is wrong with one walk, or nothing."""
    if len(links) > CLICKS:
        return f"{len(links)} clicks; {CLICKS} are the limit"
    name, anchor = "index.html", ""
    for link in links:
        name, anchor, wrong = wrong_step(name, link, read)
        if wrong:
            return wrong
    return "" if CODE.search(part(read(name), anchor)) else f"{links[-1]} shows no code"


def faults(out):
    """A sentence for each walk that does not lead to an answer."""
    read = lambda name: (out / name).read_text()
    for question, links in walks((ROOT / "docs" / "site" / "walked.txt").read_text()):
        if wrong := wrong_walk(links, read):
            yield f"docs/site/walked.txt: {question}: {wrong}"
