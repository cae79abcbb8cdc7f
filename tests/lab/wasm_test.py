"""The laboratory in a browser (`make lab-wasm`): the module's answers are the tool's, and the panel
of a kernel's page works with the keyboard, from a file.

wasm_test.py full compares every kernel in all cases.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from browser import CHROMIUM, probed_by, probing

ROOT = Path(__file__).resolve().parents[2]
WASM = ROOT / "lab" / "wasm"
MODULE = Path(os.environ.get("UPSWEEP_LAB_MODULE", ROOT / "build-lab-wasm" / "upsweep_lab.wasm"))
TOOL = os.environ["UPSWEEP_TOOL"]
FULL = "full" in sys.argv
QUICK = ("kogge_stone", "shuffle_reduce", "decoupled_lookback")

sys.path[:0] = [str(WASM), str(ROOT / "tools" / "site")]
import panel  # noqa: E402
from asking import Lab  # noqa: E402

# Runs in the page: presses Enter in a field, waits until the panel has settled, and so on.
STEPS = """
const find = (selector) => document.querySelector(selector);
const named = (name) => find("form").elements.namedItem(name);
const status = () => find(".lab-status").textContent;
const button = (name) =>
  [...document.querySelectorAll("button")].find((b) => b.textContent == name);
const settled = () => new Promise((done) => {
  const look = () => button("Run").getAttribute("aria-disabled") == "false" ? done() :
    setTimeout(look, 5);
  look();
});
const seen = () => ({
  status: status(),
  rows: Object.fromEntries([...document.querySelectorAll(".lab-result tr")].map((row) =>
    [row.cells[0].textContent, row.cells[1].textContent])),
  findings: find(".lab-result ul, .lab-result p")?.textContent ?? "",
  command: find(".lab-result code")?.textContent ?? "",
});
const run = async (values, name = "Run") => {
  for (const [field, value] of Object.entries(values)) {
    named(field).value = value;
    named(field).dispatchEvent(new Event("change", { bubbles: true }));
  }
  button(name).click();
  await settled();
  return seen();
};
"""


class Comparison(unittest.TestCase):
    def test_the_module_answers_as_the_tool_does(self):
        words = [] if FULL else ["--quick", *(f"--stem={s}" for s in QUICK)]
        done = subprocess.run(
            [sys.executable, WASM / "compare.py", MODULE, "--tool", TOOL, *words],
            capture_output=True,
            text=True,
            check=False,
        )
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_request_that_the_tool_refuses_gets_its_sentence(self):
        requests = (
            {"stem": "kogge_stone", "op": "bit-and", "dtype": "f32"},
            {"stem": "kogge_stone", "block": 96},
            {"stem": "nothing"},
            {"stem": "kogge_stone", "values": "1,x"},
            {"stem": "kogge_stone", "n": 1 << 30},
        )
        with Lab("ask.mjs", MODULE) as lab:
            answers = [lab.ask(**request) for request in requests]
        for asked, answer in zip(requests, answers, strict=True):
            stem = asked.pop("stem")
            words = [
                f"--{name}={value}" if name != "n" else f"-n{value}"
                for name, value in asked.items()
            ]
            tool = subprocess.run(
                [TOOL, "run", stem, *words], capture_output=True, text=True, check=False
            )
            self.assertEqual(tool.returncode, 2, stem)
            self.assertIn(answer["error"], tool.stderr)


@unittest.skipUnless(CHROMIUM, "needs chromium")
class Panel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        static = Path(cls.folder.name) / "_static"
        static.mkdir()
        (static / "lab_module.js").write_text(panel.script(MODULE.read_bytes()))
        shutil.copy(ROOT / "docs" / "site" / "static" / "lab_panel.js", static)
        (Path(cls.folder.name) / "algorithms").mkdir()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def left_by(self, script, stem="kogge_stone", forms="both", order="kept"):
        page = Path(self.folder.name) / "algorithms" / f"{self.id()}.html"
        row = {
            "stem": stem,
            "inclusive": True,
            "exclusive": forms == "both",
            "keeps_order": order == "kept",
        }
        html = panel.html(row)
        text = f'<!doctype html><html lang="en"><head><title>T</title></head><body>{html}</body>'
        page.write_text(probing(text, f"(async () => {{ {STEPS} {script} }})();"))
        return probed_by(page, "1280,900")

    def test_a_run_shows_the_counters_of_the_tool(self):
        left = self.left_by("leave(await run({n: 600, block: 64}));")
        tool = subprocess.run(
            [TOOL, *left["command"].split()[1:], "--json"],
            capture_output=True,
            text=True,
            check=True,
        )
        total = json.loads(tool.stdout)["total"]
        self.assertEqual(left["rows"]["barriers"], f"{total['barriers']:,}")
        self.assertTrue(left["status"].startswith("All "), left["status"])
        self.assertTrue(left["findings"].startswith("No findings"))

    def test_options_of_the_kernel_are_those_that_it_has(self):
        script = "leave({form: Boolean(named('form')), op: named('op').options.length});"
        self.assertEqual(self.left_by(script), {"form": True, "op": 8})
        left = self.left_by(script, "crossbar_reduce", forms="one", order="any")
        self.assertEqual(left, {"form": False, "op": 7})

    def test_every_choice_of_the_panel_is_one_that_the_laboratory_takes(self):
        left = self.left_by("""
          const all = {};
          for (const name of ["op", "dtype", "form", "schedule", "block"])
            for (const value of [...named(name).options].map((option) => option.value)) {
              all[value] = (await run({n: 40, [name]: value})).status;
              named(name).selectedIndex = name == "block" ? 5 : 0;
              named(name).dispatchEvent(new Event("change", { bubbles: true }));
            }
          leave(all);
        """)
        self.assertEqual(len(left), 25)
        for value, status in left.items():
            self.assertTrue(status.startswith("All 40 results agree"), f"{value}: {status}")

    def test_maps_choose_their_type_and_a_scan_its_form(self):
        left = self.left_by('leave(await run({op: "affine", form: "exclusive", n: 100}));')
        self.assertIn("--op affine", left["command"])
        self.assertIn("--exclusive", left["command"])
        self.assertTrue(left["status"].startswith("All "), left["status"])

    def test_a_refusal_is_a_sentence_and_the_next_run_works(self):
        left = self.left_by("""
          const refused = await run({op: "bit-and", dtype: "f32"});
          leave({refused: refused.status, then: (await run({op: "sum"})).status});
        """)
        self.assertIn("bits combine only in", left["refused"])
        self.assertTrue(left["then"].startswith("All "), left["then"])

    def test_the_steps_are_the_page_of_upsweep_trace(self):
        left = self.left_by("""
          await run({n: 8, block: 8}, "Show the steps");
          const frame = find("iframe");
          const page = frame.srcdoc.slice(0, 15);
          leave({title: frame.title, page, sandbox: String(frame.sandbox)});
        """)
        expected = {
            "title": "Steps of kogge_stone",
            "page": "<!doctype html>",
            "sandbox": "allow-scripts",
        }
        self.assertEqual(left, expected)

    def test_stop_ends_a_run_and_the_next_one_works(self):
        left = self.left_by("""
          named("n").value = 4096;
          button("Run").click();
          button("Stop").click();
          const stopped = status();
          leave({stopped, then: (await run({n: 64})).status});
        """)
        self.assertEqual(left["stopped"], "Stopped.")
        self.assertTrue(left["then"].startswith("All "), left["then"])


def main():
    if not MODULE.exists() or not shutil.which("node"):
        print("skipped: no module of the laboratory, or no Node; run make lab-wasm")
        sys.exit(77)
    unittest.main(argv=[sys.argv[0]])


main()
