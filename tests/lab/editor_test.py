"""The page on which students write kernels (`make lab-editor`): it compiles in the tab, shows
findings at their lines, and ends programs that do not end.
"""

import base64
import functools
import http.server
import json
import os
import sys
import threading
import time
import unittest
from pathlib import Path

from browser import browser, skip_without_chromium

ROOT = Path(__file__).resolve().parents[2]
EDITOR = Path(os.environ.get("UPSWEEP_EDITOR", ROOT / "build-lab-wasm" / "editor"))
SECONDS = 600  # for the first compilation, which loads the compiler
ENDLESS = "__global__ void k() { for (;;) {} }\nint main() { for (;;) {} }\n"

STEPS = """
const at = (id) => document.getElementById(id);
const type = (text) => {
  at("source").value = text;
  at("source").dispatchEvent(new Event("input"));
};
const isFree = () => at("run").getAttribute("aria-disabled") != "true";
const marked = () => [...document.querySelectorAll("#lines .marked")].map((d) => d.textContent);
"""


class QuietHandler(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *words):
        pass


class Editor(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        handler = functools.partial(QuietHandler, directory=EDITOR)
        cls.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=cls.server.serve_forever, daemon=True).start()
        cls.address = f"http://127.0.0.1:{cls.server.server_port}/"
        cls.shown = browser().shown(cls.address, "1280,900", False)
        cls.session = cls.shown.__enter__()
        cls.until("document.documentElement.dataset.ready == 'yes'")

    @classmethod
    def tearDownClass(cls):
        cls.shown.__exit__(None, None, None)
        cls.server.shutdown()

    @classmethod
    def value(cls, expression, session=None):
        asked = {"expression": f"(() => {{ {STEPS} return {expression}; }})()"}
        answer = browser().ask(
            "Runtime.evaluate",
            session or cls.session,
            returnByValue=True,
            awaitPromise=True,
            **asked,
        )
        if "exceptionDetails" in answer:
            raise AssertionError(json.dumps(answer["exceptionDetails"])[:500])
        return answer["result"].get("value")

    @classmethod
    def until(cls, condition, session=None):
        end = time.monotonic() + SECONDS
        while not cls.value(condition, session):
            if time.monotonic() > end:
                raise AssertionError(f"{condition}: {cls.value('at(`status`).textContent')}")
            time.sleep(0.2)

    def run_text(self, text=None, button="run"):
        if text is not None:
            self.value(f"type({json.dumps(text)})")
        self.value(f"at('{button}').click()")
        self.until("isFree()")
        return self.value("at('status').textContent")

    def test_a_race_is_found_and_its_lines_are_marked(self):
        self.value(
            "type(''), at('example').selectedIndex = 0, "
            "at('example').dispatchEvent(new Event('change'))"
        )
        status = self.run_text()
        self.assertRegex(status, r"^2 findings, 1 launch\.")
        self.assertEqual(self.value("marked()"), ["7", "9"])
        result = self.value("at('result').textContent")
        self.assertIn("the shared array 'tile' at program.cu:", result)
        self.assertIn("sum: ", result)
        if pictures := os.environ.get("UPSWEEP_PICTURES"):
            for width in (1280, 390):
                window = {"width": width, "height": 1500, "deviceScaleFactor": 1, "mobile": False}
                browser().ask("Emulation.setDeviceMetricsOverride", self.session, **window)
                data = browser().ask("Page.captureScreenshot", self.session)["data"]
                (Path(pictures) / f"editor-{width}.png").write_bytes(base64.b64decode(data))

    def test_the_steps_are_shown(self):
        self.run_text(
            "__global__ void k(int* x) { x[threadIdx.x] += 1; }\nint main() { int* x; "
            "cudaMallocManaged(&x, 32); for (int i = 0; i < 8; ++i) x[i] = i; "
            "k<<<1, 8>>>(x); cudaDeviceSynchronize(); }\n",
            "steps",
        )
        self.assertEqual(
            self.value("document.querySelector('iframe').srcdoc.slice(0, 15)"), "<!doctype html>"
        )

    def test_errors_of_the_compiler_are_at_their_lines(self):
        status = self.run_text("__global__ void k(int* x) {\n  x[0] = y;\n}\nint main() {}\n")
        self.assertEqual(status, "The program does not compile.")
        self.assertIn("undeclared identifier 'y'", self.value("at('result').textContent"))
        self.assertEqual(self.value("marked()"), ["2"])

    def test_a_program_that_does_not_end_is_stopped_and_the_next_one_runs(self):
        self.value("at('limit').value = 2")
        status = self.run_text(ENDLESS)
        self.assertEqual(status, "The program was stopped after 2 s, its time limit.")
        self.value("at('limit').value = 60")
        status = self.run_text('#include <cstdio>\nint main() { std::puts("after"); }\n')
        self.assertRegex(status, r"^0 findings, 0 launches\.")
        self.assertIn("after", self.value("at('result').textContent"))

    def test_a_link_carries_the_program_and_another_tab_keeps_the_text(self):
        text = "int main() { return 3; }  // \u00fc\n"
        self.value(f"type({json.dumps(text)}), at('seed').value = 5, at('link').click()")
        self.until("location.hash.length > 20")
        link = self.value("location.href")
        with browser().shown(link, "390,800", False) as other:
            self.until("document.documentElement.dataset.ready == 'yes'", other)
            self.assertEqual(self.value("at('source').value", other), text)
            self.assertEqual(self.value("at('seed').value", other), "5")
        self.assertEqual(
            json.loads(self.value("localStorage.getItem('upsweep-program')"))["text"], text
        )

    def test_no_part_of_the_page_is_wider_than_a_phone(self):
        with browser().shown(self.address, "390,800", False) as phone:
            self.until("document.documentElement.dataset.ready == 'yes'", phone)
            self.assertLessEqual(self.value("document.documentElement.scrollWidth", phone), 390)


def main():
    skip_without_chromium()
    if not (EDITOR / "compiler" / "size.json").exists():
        print("skipped: no page of the laboratory with a compiler; run make lab-editor")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])


main()
