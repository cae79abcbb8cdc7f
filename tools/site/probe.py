#!/usr/bin/env python3
"""Asks the search of a built site the questions of docs/site/asked.txt, and checks pages with
axe-core at 1280 and 390 pixels, in light and dark mode. Needs Chromium; axe-core is in the package
axe-playwright-python of PyPI, and left out without it.

tools/site/probe.py [build/site]
"""

import importlib.util
import json
import sys
from pathlib import Path
from urllib.parse import quote

from links import ROOT

sys.path.insert(0, str(ROOT / "tests" / "support"))
from browser import browser  # noqa: E402

FOUND = """new Promise((done) => {
  let before = -1, same = 0;
  const look = () => {
    const links = [...document.querySelectorAll("ul.search > li > a")];
    const title = document.querySelector("#search-results h2")?.textContent ?? "";
    same = /Results/.test(title) && links.length === before ? same + 1 : 0;
    before = links.length;
    same > 2 ? done(JSON.stringify(links.slice(0, 6).map((a) => a.getAttribute("href")))) :
      setTimeout(look, 60);
  };
  look();
  setTimeout(() => done("[]"), 15000);
})"""
VIOLATIONS = """axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  JSON.stringify(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 100))])))"""
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
    right = total = 0
    for question, pages in questions():
        found = value(f"{site}/search.html?q={quote(question)}", "1280,900", False, FOUND)
        good = any(name.startswith(pages) for name in found[:3])
        total, right = total + 1, right + good
        if not good:
            print(f"{question}: {', '.join(found) or 'nothing'}")
    print(f"search: {right} of {total} among the first three")
    return right / total


def violations(site):
    """The number of pages on which axe-core finds something."""
    spec = importlib.util.find_spec("axe_playwright_python")
    if not spec:
        print("axe-core: not installed (pip install axe-playwright-python)")
        return 0
    axe = Path(spec.origin).with_name("axe.min.js").read_text()
    wrong = 0
    for size, dark in (("1280,900", False), ("390,844", True)):
        for page in PAGES:
            if found := value(f"{site}/{page}.html", size, dark, axe + ";1", VIOLATIONS):
                wrong += 1
                print(page, size, found)
    print(f"axe-core: {wrong} of {2 * len(PAGES)} pages with findings")
    return wrong


if __name__ == "__main__":
    built = Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "build" / "site").resolve()
    sys.exit(1 if ask(built) < 28 / 30 or violations(built) else 0)
