"""The page on which students write kernels (`make lab-editor`): it compiles in the tab, shows
findings at their lines, grades exercises, and ends programs that do not end. The keyboard is enough
for it, axe-core finds nothing, and the second visit needs no network.
"""

import base64
import json
import os
import sys
import time
import unittest
from pathlib import Path

import axe
from browser import browser, skip_without_chromium
from solutions import solution
from static_server import Server

ROOT = Path(__file__).resolve().parents[2]
EDITOR = Path(os.environ.get("UPSWEEP_EDITOR", ROOT / "build-lab-wasm" / "site" / "editor"))
SECONDS = 600  # for the first compilation, which loads the compiler
ENDLESS = "__global__ void k() { for (;;) {} }\nint main() { for (;;) {} }\n"

READY = "document.documentElement.dataset.ready == 'yes'"
EXERCISE = "02-missing-barrier"
SOLUTION = solution(EXERCISE)

STEPS = """
const at = (id) => document.getElementById(id);
const type = (text) => {
  at("source").value = text;
  at("source").dispatchEvent(new Event("input"));
};
const isFree = () => at("run").getAttribute("aria-disabled") != "true";
const marked = () => [...document.querySelectorAll("#lines .marked")].map((d) => d.textContent);
"""


class EditorTest(unittest.TestCase):
    """A page that is ready."""

    @classmethod
    def setUpClass(cls):
        cls.server = Server(EDITOR.parent)
        cls.address = f"{cls.server.address}{EDITOR.name}/"
        cls.shown = browser().shown(cls.address, "1280,900", False)
        cls.session = cls.shown.__enter__()
        cls.until(READY)

    @classmethod
    def tearDownClass(cls):
        cls.shown.__exit__(None, None, None)
        cls.server.stop()

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

    def choose(self, value):
        self.value(
            f"at('example').value = '{value}', at('example').dispatchEvent(new Event('change'))"
        )

    def press(self, key, count=1):
        codes = {"Tab": 9, "Enter": 13, "Space": 32}
        text = {"Enter": "\r", "Space": " "}.get(key)
        words = {"key": " " if key == "Space" else key, "windowsVirtualKeyCode": codes[key]}
        down = {**words, "type": "keyDown", **({"text": text} if text else {})}
        for _ in range(count):
            for event in (down, {**words, "type": "keyUp"}):
                browser().ask("Input.dispatchKeyEvent", self.session, **event)


class Editor(EditorTest):
    def test_a_race_is_found_and_its_lines_are_marked(self):
        self.choose("example 0")
        status = self.run_text()
        self.assertRegex(status, r"^2 findings, 1 launch\.")
        self.assertEqual(self.value("marked()"), ["7", "9"])
        first = "document.querySelector('.findings li')"
        self.assertRegex(self.value(f"{first}.textContent"), "^thread 1 .* writes .* thread 0 ")
        seen = f"{first}.getBoundingClientRect()"
        self.assertTrue(self.value(f"{seen}.top >= 0 && {seen}.bottom <= innerHeight"))
        result = self.value("at('result').textContent")
        self.assertIn("the shared array 'tile' at program.cu:", result)
        self.assertIn("sum: ", result)
        self.looks_right("race")

    def looks_right(self, what):
        """Nothing is cut off, and axe-core finds nothing; UPSWEEP_PICTURES is for pictures."""
        pictures = os.environ.get("UPSWEEP_PICTURES")
        for width, scheme in ((1280, "light"), (1280, "dark"), (390, "light"), (390, "dark")):
            window = {"width": width, "height": 1500, "deviceScaleFactor": 1, "mobile": False}
            browser().ask("Emulation.setDeviceMetricsOverride", self.session, **window)
            colors = [{"name": "prefers-color-scheme", "value": scheme}]
            browser().ask("Emulation.setEmulatedMedia", self.session, features=colors)
            self.assertLessEqual(self.value("document.documentElement.scrollWidth"), width)
            if pictures:
                data = browser().ask("Page.captureScreenshot", self.session)["data"]
                name = f"editor-{what}-{width}-{scheme}.png"
                (Path(pictures) / name).write_bytes(base64.b64decode(data))
            if axe.script() is not None:
                self.assertEqual(axe.violations(self.session), [], f"{width} {scheme}")

    def test_an_exercise_is_graded(self):
        number = self.value(
            "[...at('example').options].find((o) => o.textContent.startsWith('02 ')).value"
        )
        self.choose(number)
        self.assertEqual(self.value("at('run').textContent"), "Grade")
        self.assertIn("missing", self.value("at('task-text').textContent"))
        self.assertEqual(self.run_text(), "0 of 15 points: failed.")
        self.assertIn("uninitialized read", self.value("at('result').textContent"))
        self.assertEqual(len(self.value("marked()")), 1)
        self.looks_right("grade")
        self.assertEqual(self.run_text(SOLUTION), "15 of 15 points: passed.")
        self.choose("example 0")
        self.assertEqual(self.value("at('run').textContent"), "Run")
        self.choose(number)
        self.assertEqual(self.value("at('source').value"), SOLUTION)
        self.run_text(button="steps")
        self.assertEqual(
            self.value("document.querySelector('iframe').srcdoc.slice(0, 15)"), "<!doctype html>"
        )
        self.value("at('given').click()")
        self.assertNotEqual(self.value("at('source').value"), SOLUTION)
        self.choose("example 0")

    def test_the_keyboard_is_enough(self):
        self.choose("example 0")
        self.value("document.activeElement.blur(), scrollTo(0, 0)")
        seen = []
        for _ in range(12):
            self.press("Tab")
            seen.append(self.value("document.activeElement.id"))
        fields = ["schedule", "seed", "resident", "limit", "arguments"]
        buttons = ["run", "steps", "stop", "link"]
        self.assertEqual(seen, ["home", "example", "source", *fields, *buttons])
        self.value("at('run').focus()")
        self.press("Enter")
        self.until("isFree() && marked().length > 0")
        self.press("Tab", 4)
        self.assertRegex(self.value("document.activeElement.textContent"), r"^line \d+$")
        line = int(self.value("document.activeElement.textContent").split()[1])
        self.press("Enter")
        self.assertEqual(self.value("document.activeElement.id"), "source")
        before = "at('source').value.slice(0, at('source').selectionStart)"
        self.assertEqual(self.value(f"{before}.split('\\n').length"), line)

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
            self.until(READY, other)
            self.assertEqual(self.value("at('source').value", other), text)
            self.assertEqual(self.value("at('seed').value", other), "5")
        self.assertEqual(
            json.loads(self.value("localStorage.getItem('upsweep-program')"))["text"], text
        )

    def test_words_of_the_language_have_colors_below_the_same_text(self):
        text = (
            '__global__ void k() {}  // <b>\n#include <x>\nchar const* s = "if \\" 1";\n'
            + "x;\n" * 80
            + "x;"
        )
        self.value(f"type({json.dumps(text)})")
        self.assertEqual(self.value("at('colors').textContent"), text)
        of = "[...document.querySelectorAll('#colors .{}')].map((e) => e.textContent)"
        self.assertEqual(self.value(of.format("comment")), ["// <b>"])
        self.assertEqual(self.value(of.format("string")), ['"if \\" 1"'])
        words = ["__global__", "void", "#include", "char", "const"]
        self.assertEqual(self.value(of.format("word")), words)
        # Both scroll, and their lines have one height.
        self.value("at('source').scrollTop = 300")
        self.until("at('colors').style.transform.endsWith('-300px)')")
        self.assertEqual(
            self.value("at('colors').offsetHeight"), self.value("at('source').scrollHeight")
        )

    def test_a_link_opens_an_example(self):
        link = f"{self.address}#example=race_in_a_block"
        with browser().shown(link, "390,800", False) as other:
            self.until(READY, other)
            shown = "at('example').selectedOptions[0].textContent"
            self.assertEqual(self.value(shown, other), "Finding: race in a block")

    def test_memory_is_bounded(self):
        status = self.run_text(
            "#include <cstdlib>\n#include <cstdio>\n#include <cstring>\nint main() {\n"
            "  int parts = 0;\n  while (void* p = std::malloc(64 << 20)) {\n"
            '    std::memset(p, 1, 4096);\n    ++parts;\n  }\n  std::printf("%d\\n", parts);\n}\n'
        )
        self.assertRegex(status, r"^0 findings, 0 launches\.")
        parts = int(self.value("document.querySelector('pre[aria-label=Printed]').textContent"))
        self.assertLess(parts * 64, 2048)
        self.assertGreater(parts * 64, 256)

    def test_an_example_does_not_lose_the_own_program(self):
        text = "int main() { return 4; }\n"
        self.value(f"type({json.dumps(text)})")
        self.assertEqual(self.value("at('example').value"), "own")
        self.choose("example 1")
        self.assertNotEqual(self.value("at('source').value"), text)
        self.choose("own")
        self.assertEqual(self.value("at('source').value"), text)

    def test_no_part_of_the_page_is_wider_than_a_phone(self):
        with browser().shown(self.address, "390,800", False) as phone:
            self.until(READY, phone)
            self.assertLessEqual(self.value("document.documentElement.scrollWidth", phone), 390)


class SecondVisit(EditorTest):
    def test_it_needs_no_network(self):
        text = '#include <cstdio>\nint main() { std::puts("again"); }\n'
        self.assertRegex(self.run_text(text), r"^0 findings, 0 launches\.")
        self.until("caches.keys().then((names) => names.length == 2)")
        self.server.stop()
        browser().ask("Page.reload", self.session)
        time.sleep(1)
        self.until(READY)
        self.assertEqual(self.value("at('source').value"), text)
        self.assertRegex(self.run_text(), r"^0 findings, 0 launches\.")
        self.assertIn("again", self.value("at('result').textContent"))


def main():
    skip_without_chromium()
    if not (EDITOR / "compiler" / "size.json").exists():
        print("skipped: no page of the laboratory with a compiler; run make lab-editor")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])


main()
