"""Pages in headless Chromium, for the tests that drive them."""

import html
import json
import re
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
# In front of the page's own scripts.
WATCH = (
    '<script>window.errors = []; window.addEventListener("error", (e) => '
    "window.errors.push(e.message));</script>"
)
# What the script of a test may call.
WORDS = """
const text = (id) => document.getElementById(id).textContent;
const key = (k) =>
  document.dispatchEvent(
    new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const leave = (result) => {
  const out = document.createElement("pre");
  out.id = "probe";
  out.textContent = JSON.stringify(result);
  document.body.append(out);
};
"""


def skip_without_chromium():
    """For a file of tests of which each needs it."""
    if not CHROMIUM:
        print("skipped: no chromium on this machine; install it (apt install chromium)")
        sys.exit(77)


def probing(page, script):
    """The text of the page with a script that runs once it is drawn. It may use `text(id)`,
    `key(name)` and `window.errors`, and ends with `leave(result)`, for probed_by.
    """
    run = f'<script>window.addEventListener("load", () => {{{WORDS}{script}}});</script>'
    return page.replace("<head>", "<head>" + WATCH, 1) + run


def browsed(page, *args):
    """What Chromium prints for a page, without a network."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--hide-scrollbars",
                "--no-first-run",
                f"--user-data-dir={profile}",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                *args,
                f"file://{page}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    if done.returncode:
        raise AssertionError(f"{CHROMIUM} failed with {page}: {done.stderr[-2000:]}")
    return done.stdout


def probed_by(page, *args):
    """What the page's script left."""
    found = re.search(r'<pre id="probe">(.*?)</pre>', browsed(page, "--dump-dom", *args), re.S)
    if not found:
        raise AssertionError(f"the script of {page} did not complete")
    return json.loads(html.unescape(found[1]))
