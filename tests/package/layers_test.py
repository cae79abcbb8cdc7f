"""tools/check_rooms.py finds includes and imports that docs/rooms.toml does not allow."""

import tomllib
import unittest

from check_rooms_test import complaints as complaints_of
from check_rooms_test import rooms

TABLE = {
    "stacks": {
        "library": {"below": [], "layers": [["core"], ["ops", "words"], ["api"]]},
        "package": {"below": ["library:ops"], "layers": [["base"], ["lab"]]},
    },
    "rooms": {
        "core": {"files": ["upsweep/core/*"]},
        "ops": {"files": ["upsweep/ops/*"]},
        "words": {"files": ["upsweep/words/*"]},
        "api": {"files": ["upsweep/*.hpp"], "only": ["ops"]},
        "base": {"files": ["python/upsweep/_settings.py"]},
        "lab": {"files": ["python/*"]},
    },
}


def complaints(check, **files):
    return complaints_of(check, TABLE, **files)


class layers(unittest.TestCase):
    def test_finds_arrows_within_a_layer_between_stacks_and_beside_the_only_rooms(self):
        for name, text, message in (
            ("upsweep/words/a.hpp", "#include <upsweep/ops/b.hpp>\n", "'words' may not include"),
            ("upsweep/ops/a.hpp", "#include <upsweep/words/b.hpp>\n", "'ops' may not include"),
            ("upsweep/a.hpp", "#include <upsweep/core/b.hpp>\n", "'api' may not include"),
            ("upsweep/a.hpp", "#include <upsweep/ops/b.hpp>\n", None),
            ("python/a.cpp", "#include <upsweep/b.hpp>\n", "'lab' may not include"),
            ("python/a.cpp", "#include <upsweep/words/b.hpp>\n", None),
        ):
            with self.subTest(name):
                others = ("upsweep/ops/b.hpp", "upsweep/words/b.hpp", "upsweep/core/b.hpp")
                files = {name: text, "upsweep/b.hpp": ""} | dict.fromkeys(others, "")
                found = complaints(rooms.check_arrows, **files)
                self.assertEqual(bool(message), len(found))
                self.assertTrue(not message or message in found[0])

    def test_finds_arrows_of_python_but_not_those_for_type_checkers(self):
        checked = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import upsweep.lab\n"
        for text, many in (
            ("import upsweep.lab\n", 1),
            ("def f():\n    from upsweep import lab\n", 1),
            ("from upsweep.lab import run\n", 1),
            ("from upsweep import _core\nimport numpy as np\n", 0),
            (checked, 0),
        ):
            with self.subTest(text):
                files = {"python/upsweep/_settings.py": text, "python/upsweep/lab.py": text}
                found = complaints(rooms.check_arrows, **files)
                self.assertEqual(many, len(found))

    def test_finds_rooms_in_no_layer_in_two_or_of_no_files(self):
        def found(layers, **names):
            table = {"stacks": {"one": {"below": [], "layers": layers}}, "rooms": names}
            return [text.split(": ", 1)[1] for text in rooms.check_layers({}, table)]

        room = {"files": []}
        self.assertEqual([], found([["low"], ["high"]], low=room, high=room | {"only": ["low"]}))
        self.assertEqual(
            ["room 'high' must be in one layer, not 0"], found([["low"]], low=room, high=room)
        )
        self.assertEqual(["room 'low' must be in one layer, not 2"], found([["low"]] * 2, low=room))
        self.assertEqual(
            ["'gone' is in a layer, but there is no room of that name"], found([["gone"]])
        )
        for there in ("high", "beside", "gone"):
            layers = [["low"], ["middle", "beside"], ["high"]]
            names = dict.fromkeys(["low", "beside", "high"], room)
            self.assertEqual(
                [f"room 'middle' lists '{there}', which is no lower room"],
                found(layers, middle=room | {"only": [there]}, **names),
            )

    def test_finds_planted_faults_in_this_tree(self):
        table = tomllib.loads((rooms.ROOT / "docs/rooms.toml").read_text(encoding="utf-8"))
        for name, text in (
            ("cli/output/help.hpp", "#include <cli/aggregation/groups.hpp>"),
            ("upsweep/windowed.hpp", "#include <upsweep/ranks/scan.hpp>"),
            ("upsweep/host/threads.hpp", "#include <upsweep/host/tree_engine.hpp>"),
            ("python/upsweep/_settings.py", "from upsweep import lab"),
            ("upsweep/scan.hpp", "#include <upsweep/scan_stream.hpp>"),
            ("upsweep/cuda/reduce/reduce.hpp", "#include <upsweep/cuda/scan/scan.cuh>"),
            ("io/input.hpp", "#include <upsweep/reduce.hpp>"),
        ):
            target = text.split("<")[-1].rstrip(">") if "<" in text else "python/upsweep/lab.py"
            with self.subTest(name):
                found = complaints_of(rooms.check_arrows, table, **{name: text, target: ""})
                self.assertEqual([f"{name}:1"], [":".join(f.split(":")[:2]) for f in found])


if __name__ == "__main__":
    unittest.main()
