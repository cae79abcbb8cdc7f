"""lab_site.py, by which a teacher puts the laboratory on a static site: what it writes, what it
refuses, and that it replaces nothing without being told.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import axe
from browser import CHROMIUM, browser

ROOT = Path(__file__).resolve().parents[2]
SOURCES = ROOT / "lab" / "wasm"
BUILT = Path(os.environ.get("UPSWEEP_LAB_SITE", ROOT / "build-lab-wasm" / "site"))
KERNEL = {
    "stem": "kogge_stone",
    "title": "Kogge–Stone <in> shared memory",
    "text": "One *buffer*, `a < b`.",
    "forms": "both",
    "order": "kept",
}

sys.path.insert(0, str(SOURCES / "site"))
from prose import html_of  # noqa: E402


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.program = self.path / "tool" / "lab_site.py"
        shutil.copytree(SOURCES / "site", self.program.parent)
        parts = self.program.parent / "parts"
        shutil.copytree(SOURCES / "editor", parts / "editor")
        (parts / "editor" / "examples.json").write_text("[]")
        shutil.copytree(ROOT / "docs" / "findings", parts / "findings")
        shutil.copytree(ROOT / "exercises", parts / "exercises")
        for name in ("_static/lab_panel.js", "_static/page.css", "compiler/clang.wasm.gz"):
            (parts / name).parent.mkdir(exist_ok=True)
            (parts / name).write_text(name)
        (parts / "kernels.json").write_text(json.dumps([KERNEL]))
        self.site = self.path / "public" / "lab"

    def run_it(self, *words, status=0):
        done = subprocess.run(
            [sys.executable, self.program, self.site, *words],
            capture_output=True,
            text=True,
            cwd=self.path,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def exercises(self):
        return json.loads((self.site / "editor" / "exercises.json").read_text())

    def files(self):
        return {p: p.read_bytes() for p in self.path.rglob("*") if p.is_file()}

    def test_every_link_leads_to_a_page_of_the_site(self):
        said = self.run_it("--with-compiler")
        pages = [*self.site.rglob("*.html")]
        self.assertIn(f"{len([f for f in self.site.rglob('*') if f.is_file()])} files", said)
        self.assertEqual(len(pages), 1 + 1 + 1 + len([*(ROOT / "docs" / "findings").glob("*.md")]))
        texts = [(page, page.read_text()) for page in pages]
        texts += [(self.site / "editor" / "index.html", e["task"]) for e in self.exercises()]
        links = 0
        for page, text in texts:
            for link in re.findall(r'(?:href|src)="([^"#]+)', text):
                if link.startswith(("https://", "data:")):
                    continue
                links += 1
                self.assertTrue((page.parent / link).resolve().is_file(), f"{page}: {link}")
        self.assertGreater(links, 100)

    def test_exercises_are_chosen_by_number_name_and_folder(self):
        mine = self.path / "mine"
        shutil.copytree(ROOT / "exercises" / "01-in-place-race", mine)
        (mine / "exercise.json").write_text(
            (mine / "exercise.json").read_text().replace("01-in-place-race", "31-own")
        )
        self.run_it("--with-compiler", "--exercises", "2,06-missing-fence,mine")
        names = [e["name"] for e in self.exercises()]
        self.assertEqual(names, ["02-missing-barrier", "06-missing-fence", "31-own"])
        first = self.exercises()[0]
        given = ROOT / "exercises" / "02-missing-barrier"
        self.assertEqual(first["text"], (given / "kernel.cu").read_text())
        self.assertEqual(first["checker"], (given / "check.cu").read_text())
        self.assertNotIn("upsweep grade", first["task"])
        self.assertIn("editor/index.html#exercise=31-own", (self.site / "index.html").read_text())

    def test_without_a_compiler_there_are_neither_editor_nor_exercises(self):
        self.run_it()
        self.assertFalse((self.site / "editor").exists())
        self.assertNotIn("editor/", (self.site / "index.html").read_text())
        said = self.run_it("--exercises", "02", status=2)
        self.assertIn("--exercises needs --with-compiler", said)

    def test_pages_of_findings_lead_to_their_exercises_and_programs(self):
        self.run_it("--with-compiler", "--exercises=02")
        text = (self.site / "findings" / "race_in_a_block.html").read_text()
        self.assertIn('href="../editor/index.html#exercise=02-missing-barrier"', text)
        self.assertIn('href="../editor/index.html#example=race_in_a_block"', text)
        self.assertNotIn("exercise=01", text)
        shutil.rmtree(self.site)
        self.run_it()
        self.assertNotIn("editor/", (self.site / "findings" / "race_in_a_block.html").read_text())

    def test_what_is_wrong_is_said_and_nothing_is_written(self):
        broken = self.path / "broken"
        broken.mkdir()
        (broken / "check.cu").write_text("int main() {}\n")
        (broken / "kernel.cu").write_text("")
        for word, said in (
            ("99", "there is no exercise '99': give a number, a folder, or one of 01-in-place"),
            ("broken", "the exercise 'broken' has no exercise.json"),
        ):
            self.assertIn(said, self.run_it("--with-compiler", "--exercises", word, status=2))
        (broken / "exercise.json").write_text("{")
        said = self.run_it("--with-compiler", "--exercises=broken", status=2)
        self.assertIn("exercise.json is not the rules of an exercise", said)
        (broken / "exercise.json").write_text('{"name": "1-a", "title": "t"}')
        said = self.run_it("--with-compiler", "--exercises=broken", status=2)
        self.assertIn('check.cu lacks the line #include "kernel.cu"', said)
        (self.program.parent / "parts" / "compiler" / "clang.wasm.gz").unlink()
        self.assertIn("make lab-editor", self.run_it("--with-compiler", status=2))
        self.assertFalse(self.site.exists())

    def test_a_file_is_replaced_only_by_force(self):
        self.run_it()
        self.assertIn("; 0 of them are new", self.run_it())
        page = self.site / "algorithms" / "kogge_stone.html"
        page.write_text("the teacher's")
        other = self.site / "notes.html"
        other.write_text("notes")
        before = self.files()
        said = self.run_it(status=2)
        self.assertIn("has 1 of the files with other contents, such as algorithms/kogge", said)
        self.assertIn("--force", said)
        self.assertEqual(self.files(), before)
        self.run_it("--force")
        self.assertIn("data-stem", page.read_text())
        self.assertEqual(other.read_text(), "notes")

    def test_the_offline_worker_knows_every_file_and_changes_with_each(self):
        def known():
            text = (self.site / "editor" / "sw.js").read_text()
            return json.loads(re.search(r"^const site = (.*);$", text, re.M)[1])

        self.run_it("--with-compiler", "--exercises=01")
        first = known()
        own = {p.name for p in (self.site / "editor").iterdir() if p.is_file()} - {"sw.js"}
        self.assertEqual({*first["files"]}, {"./", *own})
        self.run_it("--with-compiler", "--exercises=02", "--force")
        self.assertNotEqual(known()["page"], first["page"])
        self.assertEqual(known()["compiler"], first["compiler"])

    def test_help_has_examples(self):
        self.assertIn("lab_site.py public/lab --with-compiler", self.run_it("--help"))


class Prose(unittest.TestCase):
    def test_what_the_pages_use(self):
        text = """# A *b* `c<d>`

One
[page](x.md) and [none](y.md), **bold**.

- first
- second
  line

```cuda
a < b

c
```

<details>
<summary>Hint</summary>

Inner.

</details>
"""
        made = html_of(text, {"x.md": "x.html"}.get, level=2)
        expected = """<h2>A <em>b</em> <code>c&lt;d&gt;</code></h2>
<p>One <a href="x.html">page</a> and none, <strong>bold</strong>.</p>
<ul><li>first</li><li>second line</li></ul>
<pre tabindex="0" role="group" aria-label="cuda">a &lt; b

c
</pre>
<details><summary>Hint</summary><p>Inner.</p></details>"""
        self.assertEqual(made, expected)


@unittest.skipUnless(CHROMIUM and (BUILT / "_static").exists(), "needs make lab-editor, chromium")
class Built(unittest.TestCase):
    def test_a_kernel_runs_on_a_page_that_is_opened_as_a_file(self):
        script = """new Promise((done) => {
          const find = (text) => [...document.querySelectorAll("button")]
            .find((b) => b.textContent == text);
          const look = () => find("Run").getAttribute("aria-disabled") == "false" ?
            done(document.querySelector(".lab-status").textContent) : setTimeout(look, 10);
          find("Run").click();
          look();
        })"""
        with browser().shown(BUILT / "algorithms" / "kogge_stone.html", "390,844", False) as page:
            asked = {"expression": script, "awaitPromise": True, "returnByValue": True}
            left = browser().ask("Runtime.evaluate", page, **asked)
        self.assertRegex(left["result"]["value"], r"^All 1024 results agree")

    def test_pages_fit_phones_and_axe_finds_nothing(self):
        pages = ("index", "algorithms/kogge_stone", "findings/race_in_a_block", "findings/index")
        for page, width, dark in itertools.product(pages, (1280, 390), (False, True)):
            with (
                self.subTest(page=page, width=width, dark=dark),
                browser().shown(BUILT / f"{page}.html", f"{width},900", dark) as shown,
            ):
                asked = {"expression": "document.documentElement.scrollWidth"}
                wide = browser().ask("Runtime.evaluate", shown, **asked)["result"]["value"]
                self.assertLessEqual(wide, width)
                if axe.script() is not None:
                    self.assertEqual(axe.violations(shown), [])

    def test_sizes_are_within_their_limits(self):
        with_compiler = sum(p.stat().st_size for p in BUILT.rglob("*") if p.is_file())
        compiler = sum(p.stat().st_size for p in BUILT.glob("editor/compiler/*"))
        self.assertLessEqual(with_compiler - compiler, 16e6)
        module = (BUILT / "_static" / "lab_module.js").stat().st_size  # base64 of gzip
        self.assertLessEqual(module * 3 / 4, 4e6)


if __name__ == "__main__":
    unittest.main()
