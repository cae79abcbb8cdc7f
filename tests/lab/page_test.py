"""A trace page in a browser: stepping, links to steps, playing, tree and maps, export; skipped (77)
without Chromium.
"""

import json
import os
import re
import unittest
import xml.etree.ElementTree as tree

from browser import browser, probed_by, probing, skip_without_chromium
from support import ToolTest

skip_without_chromium()

# These scripts run in the browser once the page is drawn.
FIRST = """
const count = (selector) => document.querySelectorAll(selector).length;
const box = document.getElementById("picture");
const result = { state: document.body.dataset.state, start: text("position"), hash: location.hash };
"""
# Uses keys, links and buttons as a reader would.
USES = """
const lit = () => [...document.querySelectorAll("#code li.now")].map((li) => li.dataset.line);
const marked = (name) => count(`#picture .row.${name}, #picture .node.${name}`);
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
const drawn_width = () =>
  [...box.querySelectorAll("svg")].reduce((sum, svg) => sum + svg.getBoundingClientRect().width, 0);
result.fitted = drawn_width() / box.clientWidth;
const before = drawn_width();
document.getElementById("larger").click(); key("+");
result.larger = drawn_width() / before;
key("-"); key("-"); key("-");
result.smaller = drawn_width() / before;
box.dispatchEvent(new WheelEvent("wheel", { ctrlKey: true, deltaY: -100, cancelable: true }));
result.wheeled = drawn_width() / before / result.smaller;
key("0");
result.refitted = drawn_width() / before;
"""
# Counts arrows that pass through a cell other than those that they join; takes seconds.
FOLLOWS_ARROWS = """
document.getElementById("arrows").click();
const number = (node, name) => Number(node.getAttribute(name));
const rects = [...box.querySelectorAll(".cell rect")].map((r) => {
  const x = number(r, "x"), y = number(r, "y");
  return { x, y, right: x + number(r, "width"), bottom: y + number(r, "height") };
});
result.through = 0; result.followed = box.querySelectorAll(".arrow").length;
for (const arrow of box.querySelectorAll(".arrow")) {
  const length = arrow.getTotalLength(), start = arrow.getPointAtLength(0).y;
  const end = arrow.getPointAtLength(length).y;
  const { x, width } = arrow.getBBox();
  const between = rects.filter((r) =>
    r.y > start && r.bottom < end && r.right > x && r.x < x + width);
  for (let at = 0; between.length && at <= length; at += 2) {
    const p = arrow.getPointAtLength(at);
    if (between.some((r) => p.x > r.x && p.x < r.right && p.y > r.y && p.y < r.bottom)) {
      ++result.through;
      break;
    }
  }
}
"""
LAST = """
const code = document.getElementById("code");
result.cut = code.scrollWidth > code.clientWidth;
result.labels = [...box.querySelectorAll(".step, .label")].map((t) => t.textContent);
result.keys = text("keys");
const texts = (cells) => [...cells].map((c) =>
  [...c.querySelectorAll("text")].map((t) => t.textContent).join(""));
result.cells = texts(box.querySelectorAll(".cell"));
result.unwritten = texts(box.querySelectorAll(".cell.nothing"));
result.tree_button = document.querySelector('[data-view="tree"]').disabled;
result.no_tree = text("no-tree");
document.querySelector('[data-view="tree"]').click();
result.landing = [...box.querySelectorAll(".landing text:not(.small)")].map((t) => t.textContent);
result.title = document.title; result.facts = text("facts"); result.subtitle = text("sentence");
result.wide = document.documentElement.scrollWidth > window.innerWidth;
result.errors = window.errors;
leave(result);
"""

# On a phone. Contrast is WCAG's: the ratio of the luminances of the text and of the paper.
PHONE = """
const numbers = (color) => color.match(/[\\d.]+/g).map(Number);
const luminance = (color) => numbers(color).slice(0, 3).map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
const style = (node) => getComputedStyle(node);
const opacity = (node) => (node ? Number(style(node).opacity) * opacity(node.parentElement) : 1);
const paper = luminance(style(document.body).backgroundColor);
const contrast = (node) => {
  const ink = luminance(style(node).fill) * opacity(node) + paper * (1 - opacity(node));
  return (Math.max(ink, paper) + 0.05) / (Math.min(ink, paper) + 0.05);
};
const size = (node) => parseFloat(style(node).fontSize) *
  (node.ownerSVGElement ? node.getScreenCTM().a : 1);
const written = [...document.body.querySelectorAll("*")].filter((node) => node.checkVisibility() &&
  !["SCRIPT", "STYLE", "title"].includes(node.tagName) &&
  [...node.childNodes].some((n) => n.nodeType === 3 && n.data.trim()));
const reach = [...document.querySelectorAll("button")].filter((b) => b.checkVisibility())
  .map((b) => b.getBoundingClientRect());
leave({
  width: document.documentElement.scrollWidth, inner: innerWidth, dark: paper < 0.5,
  smallest: Math.min(...written.map(size)), texts: written.length,
  buttons: reach.map((r) => [r.left, r.right, r.top, r.bottom]),
  picture: document.getElementById("picture").getBoundingClientRect().height,
  brief: document.getElementById("brief").innerText,
  later: [...document.querySelectorAll("#picture .later text")].map(contrast) });
"""

SWAPS = """
__global__ void add(int* total) {
  int old = 0, expected;
  do {
    expected = old;
    __syncwarp(__activemask());
    old = atomicCAS(total, expected, expected + 1);
  } while (old != expected);
}
int main() {
  int* total;
  cudaMalloc(&total, 4);
  cudaMemset(total, 0, 4);
  add<<<1, 4>>>(total);
}
"""
UNWRITTEN = """
__global__ void shifted(int* out, int const* in) {
  __shared__ int tile[4];
  tile[threadIdx.x] = in[threadIdx.x];
  out[threadIdx.x] = tile[(threadIdx.x + 1) % 4] - 1;
}
int main() {
  int *in, *out;
  cudaMalloc(&in, 16);
  cudaMalloc(&out, 16);
  cudaMemset(in, 0xff, 8);
  shifted<<<1, 4>>>(out, in);
}
"""


class Page(ToolTest):
    def probe(self, size, *args, status=0, uses=""):
        """What the page shows, after the script `uses`."""
        self.text("trace", *args, "-o", "page.html", "--force", status=status)
        page = self.content("page.html").decode()
        probed = self.file("probed.html", probing(page, FIRST + uses + LAST))
        seen = probed_by(os.path.join(self.path, probed), size)
        self.assertEqual((seen["errors"], seen["state"], seen["wide"]), ([], "drawn", False))
        return seen

    def test_steps_jumps_plays_and_exports(self):
        seen = self.probe("1280,900", "kogge_stone", "-n", "16", "--block", "32", uses=USES)
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
        self.assertFalse(self.probe("390,844", "brent_kung", "-n", "16")["cut"])
        self.text("trace", "kogge_stone", "-n", "32", "-o", "page.html", "--force")
        page = self.file("phone.html", probing(self.content("page.html").decode(), PHONE))
        for dark in (False, True):
            seen = probed_by(os.path.join(self.path, page + "#step=5"), "390,844", dark)
            self.assertEqual((seen["inner"], seen["width"], seen["dark"]), (390, 390, dark))
            self.assertGreater(seen["texts"], 500)
            self.assertGreaterEqual(round(seen["smallest"], 1), 12, "pixels")
            self.assertEqual(len(seen["buttons"]), 10)
            for left, right, top, bottom in seen["buttons"]:
                self.assertTrue(0 <= left and right <= 390 and 0 <= top and bottom <= 844)
                self.assertTrue(right - left >= 40 and bottom - top >= 40, "for a finger")
            self.assertGreater(seen["picture"], 300)
            self.assertRegex(seen["brief"], r"(?s)read tile.*\n *\d+: if \(t >= stride\)")
            self.assertGreater(len(seen["later"]), 100)
            self.assertGreaterEqual(min(seen["later"]), 4.5, "contrast of later steps")

    def test_a_slide_embeds_a_step(self):
        """As docs/courses/prefix_sums.md does."""
        self.text("trace", "kogge_stone", "-n", "8", "-o", "page.html", "--force")
        frame = '<iframe src="page.html#step=3&view=memory" width="960" height="540"></iframe>'
        slide = os.path.join(self.path, self.file("slide.html", f"<!doctype html>{frame}"))
        seen = """JSON.stringify([text("position"), innerWidth, document.body.scrollWidth,
          document.querySelector("[data-view=memory]").getAttribute("aria-pressed")])"""
        with browser().shown(slide, "1280,720", False) as session:
            tree_of_frames = browser().ask("Page.getFrameTree", session)["frameTree"]
            embedded = tree_of_frames["childFrames"][0]["frame"]["id"]
            world = browser().ask("Page.createIsolatedWorld", session, frameId=embedded)
            words = "const text = (id) => document.getElementById(id).textContent;"
            asked = {"expression": words + seen, "contextId": world["executionContextId"]}
            answer = browser().ask("Runtime.evaluate", session, **asked)["result"]["value"]
        position, inner, wide, pressed = json.loads(answer)
        self.assertRegex(position, r"^3 of ")
        self.assertEqual((inner, wide, pressed), (960, 960, "true"))

    def test_failed_swaps_are_attempts_and_are_counted(self):
        seen = self.probe("1280,900", self.file("swaps.cu", SWAPS), uses=USES)
        cells = [re.sub(r"\[0\]$", "", cell) for cell in seen["cells"]]
        # In every round one lane swaps; the others find the value that it has written.
        rounds = [["✗ 1"] * 3 + ["1"], ["✗ 2"] * 2 + ["2"], ["✗ 3", "3"], ["4"]]
        self.assertEqual(sorted(cells), sorted(sum(rounds, [])))
        self.assertIn("✱ swap total (3 failed)", seen["labels"])
        self.assertRegex(seen["counters"], r"Failed swaps6(?!\d)")
        self.assertIn("compare-and-swap that failed", seen["keys"])

    def test_what_was_never_written_does_not_look_like_data(self):
        program = self.file("unwritten.cu", UNWRITTEN)
        seen = self.probe("1280,900", program, status=1)
        # Two elements of `in` hold -1, which the fill also is; two were never written. Thread i
        # reads element i + 1 of the tile before thread i + 1 writes it, but for the last thread.
        read = [cell for cell in seen["cells"] if cell in ("-1[0]", "-1[1]", "?[2]", "?[3]")]
        self.assertEqual(read[:4], ["-1[0]", "-1[1]", "?[2]", "?[3]"])
        self.assertEqual(seen["unwritten"], ["?[2]", "?[3]", "?[1]", "?[2]", "?[3]"])
        self.assertIn("read before anything was written there", seen["keys"])

    def test_fills_the_window_and_zooms_by_buttons_keys_and_the_wheel(self):
        seen = self.probe("1900,1000", "kogge_stone", "-n", "16", uses=USES)
        self.assertTrue(0.97 < seen["fitted"] <= 1, seen["fitted"])
        self.assertAlmostEqual(seen["larger"], 1.25**2, delta=0.01)
        self.assertAlmostEqual(seen["smaller"], 0.8, delta=0.01)
        self.assertGreater(seen["wheeled"], 1.2)
        self.assertAlmostEqual(seen["refitted"], 1, delta=0.01)

    def test_arrows_pass_beside_the_numbers_and_source_lines_are_whole(self):
        for stem in ("kogge_stone", "blelloch", "chained_scan"):
            seen = self.probe("1280,900", stem, "-n", "24", uses=FOLLOWS_ARROWS)
            self.assertGreater(seen["followed"], 10, stem)
            self.assertEqual((seen["through"], seen["cut"]), (0, False), stem)

    def test_the_title_and_the_facts_stand_alone(self):
        seen = self.probe("1280,900", "kogge_stone", "-n", "8", "--exclusive")
        self.assertEqual(seen["title"], "kogge_stone: exclusive scan of 8 elements, step by step")
        self.assertIn("exclusive scan of 8 elements", seen["facts"])
        for what in ("reduce", "scan"):
            for row in json.loads(self.text("list", what, "--json")):
                self.assertNotRegex(row["sentence"], r"[Tt]he same (in|with|tree|core)")

    def test_results_of_an_exclusive_scan_are_where_they_land(self):
        seen = self.probe("1280,900", "blelloch", "-n", "8", "--ones")
        self.assertEqual(seen["landing"], ["id", "1", "2", "3", "4", "5", "6", "7"])

    def test_the_button_of_the_tree_says_why_it_is_off(self):
        seen = self.probe("1280,900", "kogge_stone", "-n", "64", "--block", "64")
        self.assertTrue(seen["tree_button"])
        self.assertIn("at most 59 elements", seen["no_tree"])
        seen = self.probe("1280,900", "kogge_stone", "-n", "59", "--block", "64")
        self.assertEqual((seen["tree_button"], seen["no_tree"]), (False, ""))

    def test_waiting_lanes_and_the_flags_that_they_read_are_shown(self):
        for seed in range(8):  # on some of these schedules a lane waits
            args = ("-n", "64", "--schedule", "random", "--seed", str(seed))
            self.text("trace", "chained_scan", *args, "-o", "page.html", "--force")
            if '"times"' in self.content("page.html").decode():
                break
        labels = " ".join(self.probe("1280,900", "chained_scan", *args)["labels"])
        self.assertRegex(labels, r"◎ wait for flags \(\d+ reads\)")
        self.assertRegex(labels, r"◎ atomic read flags")
        self.assertRegex(labels, r"↓ read in · \d+", "steps of one warp have names and lines")

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
