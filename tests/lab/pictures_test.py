"""SVG pictures of runs show every value, and define and style only what they draw."""

import json
import re
import unittest
import xml.etree.ElementTree as tree
from collections import Counter

from support import ToolTest

SVG = "{http://www.w3.org/2000/svg}"


def drawn(element, named, classes=()):
    """(classes, element) for all that an element draws, with the elements that it uses."""
    classes = (*classes, *element.get("class", "").split())
    if element.tag == SVG + "use":
        yield from drawn(named[element.get("href")[1:]], named, classes)
    elif element.tag == SVG + "g":
        for child in element:
            yield from drawn(child, named, classes)
    else:
        yield classes, element


class Pictures(ToolTest):
    def stems(self):
        for what in ("reduce", "scan"):
            yield from (row["stem"] for row in json.loads(self.text("list", what, "--json")))

    def picture(self, stem, *more):
        self.run_tool("trace", stem, "-n", "8", *more, "-o", "picture.svg", "--force")
        root = tree.fromstring(self.content("picture.svg"))
        named = {e.get("id"): e for e in root.iter() if e.get("id")}
        return root, [part for child in root for part in drawn(child, named)]

    def cells(self, stem):
        """(kind, value) of each cell of the run's page."""
        self.text("trace", stem, "-n", "8", "-o", "page.html", "--force")
        page = self.content("page.html").decode()
        rows = json.loads(page.split('type="application/json">')[1].split("</script>")[0])["rows"]
        return [(s["kind"], cell[2]) for row in rows for s in row for cell in s.get("cells", ())]

    def test_show_each_value_of_a_run_in_a_box_of_its_kind(self):
        for stem in self.stems():
            with self.subTest(stem):
                root, parts = self.picture(stem, "--view", "steps")
                self.assertEqual(root.tag, SVG + "svg")
                kinds, values = zip(*self.cells(stem))
                boxes = Counter(c[0] for c, e in parts if e.tag == SVG + "rect" and c)
                self.assertEqual(boxes, Counter(kinds))
                texts = [e.text for c, e in parts if e.tag == SVG + "text" and not c]
                self.assertEqual(Counter(t.removeprefix("✗ ") for t in texts), Counter(values))

    def test_define_equal_groups_once_and_style_only_the_classes_that_they_have(self):
        for stem in self.stems():
            with self.subTest(stem):
                root, parts = self.picture(stem)
                groups = Counter(b"".join(map(tree.tostring, e)) for e in root.iter(SVG + "g"))
                self.assertEqual([g for g, times in groups.items() if times > 1], [])
                style = root.find(SVG + "style").text
                styled = set(re.findall(r"\.([a-z_]+)[^{]*{", style))
                self.assertLessEqual(styled, {word for classes, _ in parts for word in classes})


if __name__ == "__main__":
    unittest.main()
