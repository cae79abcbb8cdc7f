"""`upsweep lab-site`, by which a teacher puts the laboratory on a static site: what it writes, what
it refuses, and that it replaces nothing without being told.
"""

import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import axe
from browser import CHROMIUM, browser
from support import TOOL

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


class Site(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = Path(self.folder.name)
        self.parts = self.path / "parts"
        shutil.copytree(SOURCES / "editor", self.parts / "editor")
        (self.parts / "editor" / "examples.json").write_text("[]")
        shutil.copytree(ROOT / "docs" / "findings", self.parts / "findings")
        shutil.copytree(ROOT / "exercises", self.parts / "exercises")
        for name in ("_static/lab_panel.js", "_static/page.css", "compiler/clang.wasm.gz"):
            (self.parts / name).parent.mkdir(exist_ok=True)
            (self.parts / name).write_text(name)
        (self.parts / "kernels.json").write_text(json.dumps([KERNEL]))
        self.site = self.path / "public" / "lab"

    def run_it(self, *words, status=0, tool=TOOL, source="parts"):
        done = subprocess.run(
            [tool, "lab-site", self.site, *(["--from", source] if source else []), *words],
            capture_output=True,
            text=True,
            cwd=self.path,
            check=False,
        )
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def own_exercise(self, name):
        folder = self.path / "mine"
        shutil.copytree(ROOT / "exercises" / "01-in-place-race", folder)
        rules = (folder / "exercise.json").read_text().replace("01-in-place-race", name)
        (folder / "exercise.json").write_text(rules)
        return folder

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
        self.own_exercise("31-own")
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
            ("99", "there is no exercise '99'; give numbers or names"),
            ("01-in-place-rase", "did you mean '01-in-place-race'"),
            ("1,01", "--exercises has '01-in-place-race' twice"),
            ("broken", "the exercise 'broken' has no exercise.json"),
        ):
            self.assertIn(said, self.run_it("--with-compiler", "--exercises", word, status=2))
        (broken / "exercise.json").write_text("{")
        self.assertIn(
            "exercise.json", self.run_it("--with-compiler", "--exercises=broken", status=3)
        )
        shutil.copy(ROOT / "exercises" / "01-in-place-race" / "exercise.json", broken)
        said = self.run_it("--with-compiler", "--exercises=broken", status=3)
        self.assertIn('check.cu\' lacks the line #include "kernel.cu"', said)
        mine = self.own_exercise("31-own")
        (mine / "kernel.cu").write_bytes(b"// \xff\n")
        said = self.run_it("--with-compiler", "--exercises=mine", status=3)
        self.assertIn("not UTF-8", said)
        (self.parts / "compiler" / "clang.wasm.gz").unlink()
        self.assertIn("make lab-editor", self.run_it("--with-compiler", status=5))
        self.assertFalse(self.site.exists())

    def test_without_the_packed_laboratory_it_says_how_to_get_it(self):
        alone = self.path / "alone" / "upsweep"
        alone.parent.mkdir()
        shutil.copy(TOOL, alone)
        said = self.run_it(tool=alone, source=None, status=5)
        for way in ("make lab-editor", "of the release", "--from"):
            self.assertIn(way, said)
        self.assertIn("has no kernels.json", self.run_it(source="alone", status=2))
        self.assertFalse(self.site.exists())

    def test_the_installed_laboratory_is_found_beside_the_tool(self):
        tool = self.path / "usr" / "bin" / "upsweep"
        tool.parent.mkdir(parents=True)
        shutil.copy(TOOL, tool)
        shutil.copytree(self.parts, self.path / "usr" / "share" / "upsweep" / "lab-site")
        self.assertIn("files", self.run_it(tool=tool, source=None))

    def test_what_fails_leaves_no_part_of_a_site(self):
        # The first 100 kB can be written, as on a disk that is full then.
        limited = self.path / "limited"
        limited.write_text(f'#!/bin/bash\nulimit -f 100\ntrap "" XFSZ\nexec {TOOL} "$@"\n')
        limited.chmod(0o755)
        (self.parts / "_static" / "lab_module.js").write_bytes(bytes(200_000))
        said = self.run_it(tool=limited, status=4)
        self.assertRegex(said, "Cannot write '.*_static/lab_module.js': File too large")
        self.assertFalse(self.site.exists())
        self.site.mkdir(parents=True)
        (self.site / "index.html").write_text("the teacher's")
        self.run_it("--force", tool=limited, status=4)
        self.assertEqual([p.name for p in self.site.iterdir()], ["index.html"])
        self.assertEqual((self.site / "index.html").read_text(), "the teacher's")

    def test_a_folder_that_cannot_be_written_is_named(self):
        self.site.parent.mkdir()
        self.site.write_text("a file")
        self.assertIn("is a file; name a folder", self.run_it(status=2))
        self.site = self.site / "below"
        said = self.run_it(status=4)
        self.assertRegex(said, "Cannot create the folder '.*/lab/below': Not a directory")
        self.site = Path("/proc/self/fdinfo")  # a folder in which nobody can write, not even root
        self.assertIn("Cannot write into the folder", self.run_it(status=4))

    def test_a_file_is_replaced_only_by_force(self):
        self.run_it()
        self.assertIn("; 0 of them are new", self.run_it())
        page = self.site / "algorithms" / "kogge_stone.html"
        page.write_text("the teacher's")
        other = self.site / "notes.html"
        other.write_text("notes")
        before = self.files()
        said = self.run_it(status=4)
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

    def test_tasks_are_shown_as_pages(self):
        text = """# A *b* `c<d>`

One
[page](../../docs/findings/trap.md) and [none](y.md), **`**`**, 2 * 3.

    upsweep grade exercises/x

- first
- second
  line

```cuda
a < b

c
```

    indented

<details>
<summary>Hint</summary>

Inner [address](https://a.example/?b&c).

</details>

[not a link](javascript:alert) <script>
"""
        expected = """<h2>A <em>b</em> <code>c&lt;d&gt;</code></h2>
<p>One <a href="../findings/trap.html">page</a> and none, \
<strong><code>**</code></strong>, 2 * 3.</p>
<ul><li>first</li><li>second line</li></ul>
<pre tabindex="0" role="group" aria-label="cuda">a &lt; b

c
</pre>
<pre tabindex="0" role="group" aria-label="Code">indented</pre>
<details><summary>Hint</summary>\
<p>Inner <a href="https://a.example/?b&amp;c">address</a>.</p></details>
<p>not a link &lt;script&gt;</p>"""
        (self.own_exercise("31-own") / "README.md").write_text(text)
        self.run_it("--with-compiler", "--exercises=mine")
        self.assertEqual(self.exercises()[0]["task"], expected)


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
