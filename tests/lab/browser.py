"""Pages in headless Chromium, for the tests that drive them."""

import html
import json
import re
import shutil
import subprocess
import tempfile

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)


def probed_by(page, *args):
    """What the page's script left as JSON in its element `probe`."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [
                CHROMIUM,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                f"--user-data-dir={profile}",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--dump-dom",
                *args,
                f"file://{page}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    if done.returncode or not found:
        raise AssertionError(f"the script of {page} did not complete: {done.stderr[-2000:]}")
    return json.loads(html.unescape(found[1]))
