"""A trace page for teaching: its memory, blocks and races, as data and, where Chromium is
installed, as a reader sees them.
"""

import json
import os
import unittest
from itertools import accumulate
from pathlib import Path

from browser import CHROMIUM, probed_by, probing
from support import ToolTest

FINDINGS = Path(__file__).resolve().parents[2] / "examples" / "findings"

# Runs in the browser once the page is drawn.
PROBE = """
const all = (selector) => [...document.querySelectorAll(selector)];
const texts = (selector) => all(selector).map((node) => node.textContent);
const result = { race: [], words: [] };
const middle = (point, node) => {
  const p = new DOMPoint(point.x, point.y).matrixTransform(node.getScreenCTM());
  const cells = all("#picture .cell.found rect").map((rect) => rect.getBoundingClientRect());
  return cells.findIndex((r) =>
    p.x > r.left && p.x < r.right && p.y > r.top - 8 && p.y < r.bottom + 8);
};
for (const arrow of all("#picture .race"))
  result.race.push([0, arrow.getTotalLength()]
    .map((at) => middle(arrow.getPointAtLength(at), arrow)));
// Nothing that follows has to be laid out, which would take most of the time.
document.getElementById("picture").style.display = "none";
const steps = Number(text("position").split(" of ")[1]);
key("Home");
for (let i = 0; i < steps; ++i) {
  result.words.push(text("explained"));
  key("ArrowRight");
}
const width = () =>
  all("#picture svg").reduce((sum, svg) => sum + svg.viewBox.baseVal.width, 0);
const before = width(), detail = document.getElementById("detail");
detail.value = "narrow low"; detail.dispatchEvent(new Event("change"));
result.narrowed = width() / before;
detail.value = ""; detail.dispatchEvent(new Event("change"));
key("2");
result.memory = location.hash;
result.arrays = texts("#picture .launch");
result.values = all("#picture .cell").map((cell) => cell.querySelector("text").textContent);
result.passes = [];
key("Home");
for (let i = 0; i < steps; ++i) {
  result.passes.push(texts("#picture .head.clash").join(" "));
  key("ArrowRight");
}
key("3");
result.entries = texts("#picture .entry text");
result.waits = texts("#picture .wait text");
result.heads = texts("#picture svg > text:not(.small)");
const paper = () => getComputedStyle(document.body).backgroundColor;
const papers = new Set([paper()]);
key("t"); papers.add(paper()); key("t"); papers.add(paper()); key("t");
result.papers = papers.size; result.theme = text("theme");
key("?"); result.help = document.getElementById("help-text").open;
leave(result);
"""

COUNTER = """
__global__ void count(int* total) { atomicAdd(total, 1); }
int main() {
  int* total;
  cudaMalloc(&total, 4);
  cudaMemset(total, 0, 4);
  count<<<1, 32>>>(total);
}
"""


class Traced(ToolTest):
    def trace(self, *args, status=0):
        """The data of the page."""
        self.text("trace", *args, "-o", "page.html", "--force", status=status)
        page = self.content("page.html").decode()
        return json.loads(page.split('type="application/json">')[1].split("</script>")[0])


class Data(Traced):
    def test_a_race_has_both_accesses_of_its_element(self):
        trace = self.trace(str(FINDINGS / "race_in_a_block.cu"), status=1)
        (pair,) = trace["pairs"]
        self.assertEqual(pair["what"], "race in a block")
        accesses = {
            (step["kind"], cell[0], trace["buffers"][cell[3]]["name"], cell[1])
            for row, column in (pair["from"], pair["to"])
            for step in trace["rows"][row]
            for cell in step["cells"]
            if step["warp"] * 32 + cell[0] == column
        }
        self.assertEqual(accesses, {("store", 1, "tile", 1), ("load", 0, "tile", 1)})
        (pair,) = self.trace(str(FINDINGS / "race_between_blocks.cu"), status=1)["pairs"]
        self.assertEqual(pair["what"], "race between blocks")
        self.assertNotIn("pairs", self.trace("kogge_stone", "-n", "8"))

    def test_cells_are_in_the_order_of_their_accesses(self):
        program = self.file("counter.cu", COUNTER)
        for seed in ("1", "2"):
            trace = self.trace(program, "--schedule", "random", "--seed", seed)
            values = [cell[2] for row in trace["rows"] for step in row for cell in step["cells"]]
            self.assertEqual(values, [str(i + 1) for i in range(32)])

    def test_a_row_reads_what_a_row_above_it_has_written(self):
        reads = 0
        for kernel, n in (("chained_scan", 128), ("decoupled_lookback", 128), ("blelloch", 64)):
            for seed in (["--seed", "2"], ["--seed", "5"]):
                trace = self.trace(kernel, "-n", str(n), "--schedule", "random", *seed)
                reads += self.agreeing_reads(trace)
        self.assertGreater(reads, 500)

    def agreeing_reads(self, trace):
        """How many reads name the row above that wrote their value; the others must agree too."""
        written, named = {}, 0
        for r, row in enumerate(trace["rows"]):
            now = {}
            for step in row:
                for lane, index, value, buffer, *origin in step["cells"]:
                    if buffer < 0:
                        continue
                    is_shared = trace["buffers"][buffer]["space"] == "shared"
                    element = (buffer, index, step["block"] if is_shared else -1)
                    if step["kind"] in ("store", "atomic"):
                        now[element] = (r, value)
                    elif step["kind"] in ("load", "atomic_read") and element in written:
                        self.assertEqual(value, written[element][1], (r, lane, element))
                        if origin:
                            named += 1
                            self.assertEqual(origin[0], written[element][0], (r, lane, element))
            written.update(now)
        return named


@unittest.skipUnless(CHROMIUM, "no chromium on this machine")
class Views(Traced):
    def seen(self, *args, status=0):
        self.data = self.trace(*args, status=status)
        page = self.file("probed.html", probing(self.content("page.html").decode(), PROBE))
        seen = probed_by(os.path.join(self.path, page), "1280,900")
        self.assertTrue(all(seen["words"]), "every step is explained")
        self.assertNotIn("undefined", " ".join(seen["words"]))
        self.assertEqual((seen["papers"], seen["theme"], seen["help"]), (2, "auto", True))
        self.assertLess(seen["narrowed"], 0.8)
        return seen

    def test_memory_holds_the_results_after_the_last_step(self):
        values = [3, 1, 4, 1, 5, 9, 2, 6]
        seen = self.seen("blelloch", "--values", ",".join(map(str, values)))
        self.assertEqual(seen["memory"].split("&")[1], "view=memory")
        self.assertEqual(seen["arrays"], ["in", "out", "tile"])
        shown = [int(value) for value in seen["values"]]
        self.assertEqual(shown[:8], values)
        self.assertEqual(shown[8:16], [0, *accumulate(values)][:8])

    def test_banks_with_conflicts_are_named_with_their_passes(self):
        seen = self.seen("blelloch", "-n", "64")
        # 32 lanes with a stride of two words: words b and b + 32 of the even or the odd banks.
        self.assertTrue(any(step.count("×2") == 16 for step in seen["passes"]), seen["passes"])
        self.assertFalse(any(self.seen("blelloch_padded", "-n", "64")["passes"]))

    def test_a_look_back_shows_what_tiles_publish_and_who_waits(self):
        seen = self.seen("chained_scan", "-n", "128", "--schedule", "random", "--seed", "2")
        self.assertEqual(
            [head.split(" (")[0] for head in seen["heads"]],
            ["tile 0", "tile 1", "tile 2", "tile 3"],
        )
        self.assertTrue(seen["waits"])
        for entry in seen["waits"]:
            self.assertRegex(entry, r"flags\[\d\] is 0 \(\d+ r")
        for tile in range(4):
            self.assertIn(f"flags[{tile}] ← 1", seen["entries"])
        self.assertEqual(self.seen("two_pass", "-n", "64")["entries"], [])

    def test_an_arrow_joins_the_accesses_of_a_race(self):
        seen = self.seen(str(FINDINGS / "race_in_a_block.cu"), status=1)
        self.assertEqual([sorted(ends) for ends in seen["race"]], [[0, 1]])
        wrong = [words for words in seen["words"] if "nothing orders the two accesses" in words]
        self.assertEqual(len(wrong), 2, "said at both steps")


if __name__ == "__main__":
    unittest.main()
