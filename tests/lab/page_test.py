"""A trace page in a browser: stepping, links to steps, playing, tree and maps, export; skipped (77)
without Chromium.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as tree

from support import ToolTest

CHROMIUM = (
    shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
)
if not CHROMIUM:
    print(
        "skipped: no chromium on this machine; install it to test the page (apt install chromium)"
    )
    sys.exit(77)

WATCH = (
    '<script>window.errors = []; window.addEventListener("error", (e) => '
    "window.errors.push(e.message));</script>"
)
# Runs in the browser once the page is drawn: uses keys, links and buttons as a reader would.
PROBE = """
<script type="module">
const text = (id) => document.getElementById(id).textContent;
const key = (k) =>
  document.dispatchEvent(
    new KeyboardEvent("keydown", { key: k, bubbles: true, cancelable: true }));
const lit = () => [...document.querySelectorAll("#code li.now")].map((li) => li.dataset.line);
const count = (selector) => document.querySelectorAll(selector).length;
const marked = (name) => count(`#picture .row.${name}, #picture .node.${name}`);
const result = { state: document.body.dataset.state, start: text("position"), hash: location.hash };
key("ArrowRight"); key("ArrowRight"); key("ArrowLeft");
result.stepped = text("position");
key("End"); result.end = text("position");
result.later = marked("later"); result.counters = text("counters");
key("Home"); result.home = text("position");
history.replaceState(null, "", "#step=4");
dispatchEvent(new HashChangeEvent("hashchange"));
result.jumped = text("position"); result.line = lit(); result.sentence = text("sentence-now");
result.maps = count("#map svg"); result.bank = text("map");
key(" "); result.playing = document.getElementById("play").getAttribute("aria-label"); key(" ");
const slider = document.getElementById("slider");
slider.value = 6; slider.dispatchEvent(new Event("input"));
result.slid = text("position");
let saved = null;  // what would be downloaded
window.Blob = class { constructor(parts) { saved = parts[0]; } };
URL.createObjectURL = () => "about:blank";
URL.revokeObjectURL = () => {};
HTMLAnchorElement.prototype.click = () => {};
document.getElementById("export").click();
result.svg = saved;
document.querySelector('[data-view="tree"]').click();
key("End");
result.nodes = count("#picture .node"); result.results = count("#picture .node.result");
document.getElementById("export").click();
result.tree = saved;
document.querySelector('[data-view="steps"]').click();
result.arrows = count("#picture .arrow:not(.own)");
result.wide = document.documentElement.scrollWidth > window.innerWidth;
result.errors = window.errors;
const out = document.createElement("pre");
out.id = "probe"; out.textContent = JSON.stringify(result);
document.body.append(out);
</script>
"""


class Page(ToolTest):
    def browse(self, page, *args):
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
                    *args,
                    f"file://{page}",
                ],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def probe(self, size, *args):
        self.text("trace", *args, "-o", "page.html", "--force")
        probed = self.file(
            "probed.html",
            self.content("page.html").decode().replace("<head>", "<head>" + WATCH, 1) + PROBE,
        )
        found = re.search(
            r'<pre id="probe">(.*?)</pre>',
            self.browse(os.path.join(self.path, probed), f"--window-size={size}", "--dump-dom"),
            re.S,
        )
        self.assertIsNotNone(found, "the page's script did not complete")
        seen = json.loads(html.unescape(found[1]))
        self.assertEqual((seen["errors"], seen["state"], seen["wide"]), ([], "drawn", False))
        return seen

    def test_steps_jumps_plays_and_exports(self):
        seen = self.probe("1280,900", "kogge_stone", "-n", "16", "--block", "32")
        count = seen["start"].split(" of ")[1]
        self.assertEqual(
            [seen[k] for k in ("start", "stepped", "home", "jumped", "slid", "end")],
            [f"{k} of {count}" for k in (1, 2, 1, 4, 7, count)],
        )
        self.assertEqual(seen["later"], 0, "at the last step no later step is left")
        self.assertEqual(seen["playing"], "Pause")
        self.assertEqual(len(seen["line"]), 1)
        self.assertIn("lanes", seen["sentence"])
        self.assertEqual(seen["maps"], 1)
        self.assertGreater(seen["arrows"], 40)
        self.assertRegex(seen["counters"], r"Applications\d+")
        picture = tree.fromstring(seen["svg"])
        self.assertEqual(picture.tag, "{http://www.w3.org/2000/svg}svg")
        self.assertIn("later", seen["svg"])
        tree.fromstring(seen["tree"])
        self.assertEqual((seen["nodes"], seen["results"]), (16 + 16 * 4 - 15, 16))

    def test_fits_a_phone(self):
        self.probe("390,844", "brent_kung", "-n", "16")

    def test_draws_kernels_of_many_blocks_and_launches(self):
        for stem in (
            "decoupled_lookback",
            "scan_scan_add",
            "two_pass",
            "tasklet_rss",
            "cluster_scan",
            "crossbar_reduce",
        ):
            seen = self.probe("1280,900", stem, "-n", "40", "--op", "max")
            self.assertGreater(int(seen["start"].split(" of ")[1]), 5, stem)

    def test_values_with_angle_brackets_cannot_end_the_data(self):
        self.text("trace", "kogge_stone", "-n", "4", "-o", "page.html")
        page = self.content("page.html").decode()
        data = page[page.index('<script id="trace"') :]
        self.assertNotIn(
            "<T>", data[: data.index("</script>")], "the source in the data is escaped"
        )


if __name__ == "__main__":
    unittest.main()
