#!/usr/bin/env python3
"""Asks the search of a built site the questions of docs/site/asked.txt, looks for the contents and
copy buttons of pages at 1280 pixels, and checks pages with axe-core at 1280 and 390 pixels, in
light and dark mode. Needs Chromium; axe-core is in the package
axe-playwright-python of PyPI, and left out without it.

tools/site/probe.py [build/site]
"""

import json
import sys
from pathlib import Path
from urllib.parse import quote

from links import ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
import axe  # noqa: E402
from browser import browser  # noqa: E402

FOUND = """(async () => {
  while (!Search._index) await new Promise((done) => setTimeout(done, 20));
  const names = (found) => found.slice(-6).reverse().map((r) => `${r[0]}.html${r[2] || ""}`);
  return JSON.stringify(%s.map((asked) =>
    names(Search._performSearch(...Search._parseQuery(asked)))));
})()"""
SHOWN = """new Promise((done) => {
  const look = () => {
    const link = document.querySelector("ul.search > li > a");
    link ? done(JSON.stringify(link.getAttribute("href"))) : setTimeout(look, 50);
  };
  look();
  setTimeout(() => done('""'), 15000);
})"""
# What each page has at 1280 pixels: visible contents if it has parts, a button at each block of
# code, and no line of text that is wider than the window.
PARTS = """(() => {
  const contents = document.querySelector(".toc-tree"), wrong = [];
  const box = contents?.getBoundingClientRect();
  if (document.querySelector("article h2") && !(box?.width > 0 && box.right <= innerWidth))
    wrong.push("no contents");
  const codes = [...document.querySelectorAll("article div.highlight")];
  if (codes.some((code) => !code.querySelector("button.copy"))) wrong.push("no copy button");
  if (document.documentElement.scrollWidth > innerWidth) wrong.push("wider than the window");
  return JSON.stringify(wrong);
})()"""
PAGES = """index start tutorial questions cuda contracts python reference/c reference/cpp/streams
guides/which_function algorithms/blelloch traces/bank_conflict traces/decoupled_lookback
findings/index others_are_faster exercises source/upsweep/scan.hpp generated/performance""".split()


def value(page, size, dark, *scripts):
    """What the last of the scripts leaves on the page."""
    with browser().shown(page, size, dark) as session:
        for script in scripts:
            asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
            left = browser().ask("Runtime.evaluate", session, **asked)
    return json.loads(left["result"]["value"])


def questions():
    for line in (ROOT / "docs" / "site" / "asked.txt").read_text().splitlines():
        if line and line[0] != "#":
            question, _, pages = line.partition(" | ")
            yield question, tuple(pages.split("|"))


def ask(site):
    """The share of questions whose page is among the first three results."""
    all_questions = list(questions())
    script = FOUND % json.dumps([question for question, _ in all_questions])
    right = 0
    all_found = value(f"{site}/search.html", "1280,900", False, script)
    for (question, pages), found in zip(all_questions, all_found, strict=True):
        good = any(name.startswith(pages) for name in found[:3])
        right += good
        if not good:
            print(f"{question}: {', '.join(found) or 'nothing'}")
    first = all_questions[0][0]
    shown = value(f"{site}/search.html?q={quote(first)}", "1280,900", False, SHOWN)
    if shown != all_found[0][0]:
        print(f"the page of searches shows {shown} first, not {all_found[0][0]}")
        return 0
    print(f"search: {right} of {len(all_questions)} among the first three")
    return right / len(all_questions)


def lacking(site):
    """The number of pages that lack their contents or buttons."""
    wrong = 0
    for page in PAGES:
        if not page.startswith(("traces/", "source/")):
            if found := value(f"{site}/{page}.html", "1280,900", False, PARTS):
                wrong += 1
                print(page, found)
    print(f"contents, copy buttons: {wrong} pages lack them")
    return wrong


def violations(site):
    """The number of pages on which axe-core finds something."""
    if axe.script() is None:
        print("axe-core: not installed (pip install axe-playwright-python)")
        return 0
    wrong = 0
    for size, dark in (("1280,900", False), ("390,844", True)):
        for page in PAGES:
            with browser().shown(f"{site}/{page}.html", size, dark) as session:
                found = axe.violations(session)
            if found:
                wrong += 1
                print(page, size, found)
    print(f"axe-core: {wrong} of {2 * len(PAGES)} pages with findings")
    return wrong


if __name__ == "__main__":
    built = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()
    faults = [ask(built) < 28 / 30, lacking(built) > 0, violations(built) > 0]
    sys.exit(any(faults))
