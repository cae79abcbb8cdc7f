"""The page of a run draws in a browser without errors and without a network. Skipped (77) if there
is no Chromium.
"""

import os
import struct
import unittest
import zlib

from browser import pictured, probed_by, probing, skip_without_chromium
from support import BenchTest

skip_without_chromium()

# Runs in the browser after the page has been drawn. It reads the canvas back to detect a missing
# chart.
PROBE = """
const canvas = document.getElementById("chart");
const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
const off = (i, [r, g, b]) =>
  Math.abs(pixels[i] - r) + Math.abs(pixels[i + 1] - g) + Math.abs(pixels[i + 2] - b);
let blue = 0, ink = 0;
for (let i = 0; i < pixels.length; i += 4) {
  blue += off(i, [0, 114, 178]) < 30 && pixels[i + 3] > 200;
  ink += pixels[i + 3] > 0;
}
const click = (kind, value) =>
  document.querySelector(`#controls [data-kind="${kind}"][data-value="${value}"]`).click();
const before = text("summary");
const views = [];
for (const measure of ["share", "gain", "time", "speed"]) {
  click("measure", measure);
  views.push(chart.data.datasets.length);
}
click("row", "Inclusive scan, sum");
const keys = document.querySelectorAll("#keys button");
const shown = () => chart.data.datasets.filter((d) => !d.hidden).length;
const first = shown();
keys[0].click();
const result = {
  state: document.body.dataset.state, errors: window.errors, blue, ink, before,
  after: text("summary"), views, hash: location.hash, hid: first - shown(),
  rows: document.querySelectorAll("#table tbody tr").length,
  wide: document.documentElement.scrollWidth > window.innerWidth };
leave(result);
"""


def png_colors(data):
    """The number of distinct pixel values in an 8-bit RGB or RGBA PNG."""
    width, height, depth, kind = struct.unpack(">IIBB", data[16:26])
    assert depth == 8 and kind in (2, 6), (depth, kind)
    body, at = b"", 8
    while at < len(data):
        size, name = struct.unpack(">I4s", data[at : at + 8])
        body += data[at + 8 : at + 8 + size] if name == b"IDAT" else b""
        at += size + 12
    raw, step = zlib.decompress(body), 3 if kind == 2 else 4
    stride, colors = width * step, set()
    above = bytearray(stride)
    for y in range(height):
        method, line = (
            raw[y * (stride + 1)],
            bytearray(raw[y * (stride + 1) + 1 : (y + 1) * (stride + 1)]),
        )
        for i in range(stride):
            left, up, corner = (
                (line[i - step] if i >= step else 0),
                above[i],
                (above[i - step] if i >= step else 0),
            )
            p = left + up - corner
            paeth = min((left, up, corner), key=lambda v: abs(p - v))
            line[i] = (line[i] + (0, left, up, (left + up) // 2, paeth)[method]) & 255
        colors.update(bytes(line[i : i + 3]) for i in range(0, stride, step))
        above = line
    return len(colors)


class Figure(BenchTest):
    def setUp(self):
        super().setUp()
        self.run_tool(
            "bench",
            "--type",
            "f32,f64",
            "--peers",
            "loop,tbb",
            "-n",
            "4..16:4",
            "--time",
            "0.5",
            "--html",
            "figure.html",
        )
        self.page = os.path.join(self.path, "figure.html")

    def probe(self, size):
        probed = os.path.join(self.path, "probed.html")
        with open(probed, "w", encoding="utf-8") as f:
            f.write(probing(self.content("figure.html"), PROBE))
        return probed_by(probed, size)

    def test_draws_lines_a_summary_and_a_table_and_its_buttons_work(self):
        seen = self.probe("1200,900")
        self.assertEqual(seen["errors"], [])
        self.assertEqual(seen["state"], "drawn")
        self.assertGreater(seen["blue"], 500, "Upsweep's line is on the canvas")
        self.assertGreater(seen["ink"], 5000)
        self.assertIn("Reduce, sum, 2¹⁶ elements of f32: Upsweep runs at", seen["before"])
        self.assertIn("Inclusive scan, sum", seen["after"])
        self.assertIn("times the plain loop", seen["after"])
        self.assertEqual(seen["hash"], "#Inclusive%20scan%2C%20sum/f32/speed")
        # Upsweep three times, the loop and TBB; and three more for the limit's band and line,
        # except for the gain over the loop
        five = 5
        self.assertEqual(seen["views"], [five + 3, five, five + 3, five + 3])
        self.assertEqual(seen["hid"], 1, "a key hides its line")
        self.assertEqual(seen["rows"], 4)

    def test_fits_a_phone(self):
        seen = self.probe("390,844")
        self.assertEqual(seen["errors"], [])
        self.assertFalse(seen["wide"], "nothing makes the page scroll sideways")

    def test_the_screenshot_shows_a_picture(self):
        self.assertGreater(png_colors(pictured(self.page, "800,700")), 100)


if __name__ == "__main__":
    unittest.main()
