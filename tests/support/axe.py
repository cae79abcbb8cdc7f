"""What axe-core finds on a page in headless Chromium. It is in the package axe-playwright-python of
PyPI.
"""

import importlib.util
import json
from pathlib import Path

from browser import browser

VIOLATIONS = """axe.run(document, { resultTypes: ["violations"] }).then((found) =>
  JSON.stringify(found.violations.map((v) => [v.id, v.nodes.map((n) => n.html.slice(0, 100))])))"""


def script():
    """Its text, or None without the package."""
    spec = importlib.util.find_spec("axe_playwright_python")
    return Path(spec.origin).with_name("axe.min.js").read_text() if spec else None


def violations(session):
    """[[rule, [the elements]]...] of the page that is shown."""
    for text in (script() + ";1", VIOLATIONS):
        asked = {"expression": text, "awaitPromise": True, "returnByValue": True}
        left = browser().ask("Runtime.evaluate", session, **asked)
    return json.loads(left["result"]["value"])
