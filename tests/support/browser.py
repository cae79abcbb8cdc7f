"""Pages in headless Chromium, for the tests that drive them. It is started once for a file of
tests.
"""

import atexit
import base64
import contextlib
import fcntl
import functools
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
# Before the page's own scripts.
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
const leave = (result) => { window.left = JSON.stringify(result); };
"""
# The page's `left`, or what was thrown before the script came to its end.
LEFT = """new Promise((done) => {
  const look = () => {
    const left = window.left || (window.errors.length ? window.errors.join("; ") : "");
    left ? done(left) : setTimeout(look, 10);
  };
  look();
  setTimeout(() => done("nothing"), 20000);
})"""
SECONDS = 120  # for one answer


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


class Browser:
    """Speaks the DevTools protocol: strings of JSON that end with a zero byte, over two pipes."""

    def __init__(self):
        self.profile = tempfile.TemporaryDirectory()
        read, self.to = os.pipe()
        self.come_from, written = os.pipe()
        theirs = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, written)]
        self.process = subprocess.Popen(
            # It reads descriptor 3 and writes to descriptor 4.
            ["bash", "-c", f'exec "$@" 3<&{theirs[0]}- 4>&{theirs[1]}-', "bash", CHROMIUM]
            + ["--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"]
            + ["--hide-scrollbars", "--no-first-run", f"--user-data-dir={self.profile.name}"]
            + [
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
                "--remote-debugging-pipe",
            ],
            pass_fds=theirs,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (read, written, *theirs):
            os.close(end)
        self.last, self.rest, self.events = 0, b"", []

    def message(self):
        """The next one that it sends."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.come_from], [], [], SECONDS)
            more = os.read(self.come_from, 1 << 20) if ready else b""
            if not more:
                raise AssertionError(f"{CHROMIUM} {'has ended' if ready else 'does not answer'}")
            self.rest += more
        first, self.rest = self.rest.split(b"\0", 1)
        return json.loads(first)

    def ask(self, method, session=None, **parameters):
        self.last += 1
        asked = {"id": self.last, "method": method, "params": parameters}
        asked |= {"sessionId": session} if session else {}
        os.write(self.to, json.dumps(asked).encode() + b"\0")
        while (answer := self.message()).get("id") != self.last:
            self.events.append(answer)
        if "error" in answer:
            raise AssertionError(f"{method}: {answer['error']}")
        return answer["result"]

    @contextlib.contextmanager
    def shown(self, page, size, dark):
        """The session of a file, or of an address of this machine, that is loaded in a window of
        that size, without a network and without what other pages stored.
        """
        context = self.ask("Target.createBrowserContext")["browserContextId"]
        target = self.ask("Target.createTarget", url="about:blank", browserContextId=context)
        attached = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        session, (width, height) = attached["sessionId"], map(int, size.split(","))
        window = {"width": width, "height": height, "deviceScaleFactor": 1, "mobile": False}
        self.ask("Emulation.setDeviceMetricsOverride", session, **window)
        colors = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.ask("Emulation.setEmulatedMedia", session, features=[colors])
        self.ask("Page.enable", session)
        self.events = []
        self.ask(
            "Page.navigate", session, url=str(page) if "://" in str(page) else f"file://{page}"
        )
        while not any(e.get("method") == "Page.loadEventFired" for e in self.events):
            self.events.append(self.message())
        yield session
        self.ask("Target.disposeBrowserContext", browserContextId=context)

    def close(self):
        with contextlib.suppress(AssertionError, OSError):
            self.ask("Browser.close")
        self.process.wait(timeout=SECONDS)
        os.close(self.to)
        os.close(self.come_from)
        self.profile.cleanup()


@functools.cache
def browser():
    one = Browser()
    atexit.register(one.close)
    return one


def probed_by(page, size, dark=False):
    """What the page's script left; `page` is a file's path, perhaps with a fragment."""
    with browser().shown(page, size, dark) as session:
        asked = {"expression": LEFT, "awaitPromise": True, "returnByValue": True}
        left = browser().ask("Runtime.evaluate", session, **asked)["result"]["value"]
    if not left.startswith("{"):
        raise AssertionError(f"the script of {page} did not complete: {left}")
    return json.loads(left)


def pictured(page, size):
    """The bytes of a PNG of the page."""
    with browser().shown(page, size, dark=False) as session:
        return base64.b64decode(browser().ask("Page.captureScreenshot", session)["data"])
