"""tools/check_rooms.py finds each kind of fault in small trees that have exactly one, and none in
a clean tree.
"""

import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))
import check_rooms as rooms  # noqa: E402

TABLE = {
    "stacks": {"library": {"below": [], "layers": [["core"], ["ops"], ["api"]]}},
    "rooms": {
        "core": {"files": ["upsweep/core/*"]},
        "ops": {"files": ["upsweep/ops/*"]},
        "api": {"files": ["upsweep/*.hpp"]},
    },
    "limits": {"file_lines": 40, "function_lines": 6, "columns": 100},
    "libraries": [{"headers": ["tbb/*"], "only_in": ["upsweep/ops/*.cpp"], "why": "private"}],
    "reach": [{"from": "upsweep/*.hpp", "not": ["iostream"], "why": "light"}],
    "stems": [
        {
            "each": "upsweep/ops/*.hpp",
            "needs": ["docs/{stem}.md"],
            "why": "every operator has a page",
        }
    ],
    "promises": {"pages": ["docs/contracts.md"], "cited": r"`(\w+\.\w+)`"},
}


class tree:
    """A temporary checkout for the duration of a `with`."""

    def __init__(self, **files):
        self.files = {
            name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()
        }

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.root, rooms.ROOT = rooms.ROOT, Path(self.folder.name)
        rooms.read.cache_clear()
        rooms.includes.cache_clear()
        for name, text in self.files.items():
            path = rooms.ROOT / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        return dict.fromkeys(self.files)

    def __exit__(self, *_):
        rooms.ROOT = self.root
        self.folder.cleanup()


def complaints(check, table=None, **files):
    with tree(**files) as names:
        return list(check(names, table or TABLE))


class the_room_check(unittest.TestCase):
    def test_lets_arrows_point_down(self):
        self.assertEqual(
            [],
            complaints(
                rooms.check_arrows,
                upsweep__ops__a_dot_hpp="#include <upsweep/core/b.hpp>\n",
                upsweep__core__b_dot_hpp="\n",
            ),
        )

    def test_finds_an_arrow_that_points_up(self):
        found = complaints(
            rooms.check_arrows,
            upsweep__core__a_dot_hpp="\n#include <upsweep/ops/b.hpp>\n",
            upsweep__ops__b_dot_hpp="\n",
        )
        self.assertEqual(1, len(found))
        self.assertIn("upsweep/core/a.hpp:2: room 'core' may not include", found[0])

    def test_finds_a_relative_arrow_a_missing_header_and_a_file_without_a_room(self):
        self.assertEqual(
            1,
            len(
                complaints(
                    rooms.check_arrows,
                    upsweep__core__a_dot_hpp='#include "../ops/b.hpp"\n',
                    upsweep__ops__b_dot_hpp="\n",
                )
            ),
        )
        self.assertIn(
            "there is no",
            complaints(
                rooms.check_arrows, upsweep__core__a_dot_hpp="#include <upsweep/core/gone.hpp>\n"
            )[0],
        )
        self.assertIn(
            "belongs to no room", complaints(rooms.check_arrows, elsewhere__a_dot_cpp="\n")[0]
        )

    def test_finds_a_pattern_of_a_room_that_matches_no_file(self):
        files = {"upsweep__core__a_dot_hpp": "", "upsweep__reduce_dot_hpp": ""}
        self.assertEqual(
            ["docs/rooms.toml: 'upsweep/ops/*' of room 'ops' matches no file; remove it"],
            complaints(rooms.check_patterns, **files),
        )
        self.assertEqual([], complaints(rooms.check_patterns, **files, upsweep__ops__b_dot_hpp=""))

    def test_gives_a_file_to_the_room_that_names_the_most_of_its_path(self):
        table = {
            "api": {"files": ["upsweep/*.hpp"]},
            "sim": {"files": ["upsweep/sim/*"]},
            "face": {"files": ["upsweep/sim/machine.hpp"]},
        }
        self.assertEqual("api", rooms.room_of("upsweep/reduce.hpp", table))
        self.assertEqual("sim", rooms.room_of("upsweep/sim/runner.hpp", table))
        self.assertEqual("face", rooms.room_of("upsweep/sim/machine.hpp", table))
        table = {"a": {"files": ["x/*"]}, "b": {"files": ["x/*.hpp"]}}
        stacks = {"one": {"below": [], "layers": [["a"], ["b"]]}}
        found = complaints(
            rooms.check_arrows, {"rooms": table, "stacks": stacks}, x__a_dot_hpp="\n"
        )
        self.assertEqual(["x/a.hpp: belongs to a and b; name it in one of them only"], found)

    def test_keeps_libraries_where_they_are_allowed(self):
        self.assertEqual(
            [],
            complaints(
                rooms.check_libraries, upsweep__ops__a_dot_cpp="#include <tbb/parallel_for.h>\n"
            ),
        )
        self.assertEqual(
            1,
            len(
                complaints(
                    rooms.check_libraries,
                    upsweep__core__a_dot_cpp="#include <tbb/parallel_for.h>\n",
                )
            ),
        )

    def test_finds_a_header_that_is_reached_indirectly(self):
        found = complaints(
            rooms.check_reach,
            upsweep__a_dot_hpp="#include <upsweep/core/b.hpp>\n",
            upsweep__core__b_dot_hpp="#include <iostream>\n",
        )
        self.assertIn("upsweep/a.hpp -> upsweep/core/b.hpp -> iostream: light", found)

    def test_finds_long_files(self):
        for name, line in (("a_dot_hpp", "// x\n"), ("a_dot_py", "# x\n")):
            with self.subTest(name):
                self.assertEqual(1, len(complaints(rooms.check_sizes, **{name: line * 41})))
                self.assertEqual([], complaints(rooms.check_sizes, **{name: line * 40}))

    def test_does_not_count_docstrings_of_python(self):
        text = '"""' + "File.\n" * 50 + '"""\n\n\ndef f():\n    """' + "    F.\n" * 50 + '    """\n'
        self.assertEqual([], complaints(rooms.check_sizes, upsweep__core__a_dot_py=text))
        long = complaints(rooms.check_sizes, upsweep__core__a_dot_py=text + "    g()\n" * 6)
        self.assertEqual(1, len(long))
        self.assertIn("function 'f' has 7 lines, more than 6", long[0])

    def test_lines_have_at_most_as_many_columns_as_granted(self):
        wide = "# " + "x" * TABLE["limits"]["columns"]
        for name in ("a_dot_py", "a_dot_sh", "CMakeLists_dot_txt", "Makefile", "a_dot_cmake"):
            with self.subTest(name):
                self.assertEqual(1, len(complaints(rooms.check_sizes, **{name: wide})))
                self.assertEqual([], complaints(rooms.check_sizes, **{name: wide[:-2]}))

    def test_measures_functions_and_not_the_scopes_around_them(self):
        body = "{\n" + "  f();\n" * 5 + "}\n"  # 7 lines
        for head in (
            "void f() ",
            "template <class T = A<1>>\nauto g(T x) -> int ",
            "TEST(suite, name) ",
            "bool operator==(A a) const ",
            "S::S(int a) : a_{a}, b_(a) ",
        ):
            with self.subTest(head):
                self.assertEqual(
                    1, len(complaints(rooms.check_sizes, upsweep__core__a_dot_hpp=head + body))
                )
        for head in (
            "namespace n ",
            "struct s ",
            "template <class T>\nclass c : public base<T> ",
            "inline constexpr int table[] = ",
            "enum class e ",
        ):
            with self.subTest(head):
                self.assertEqual(
                    [],
                    complaints(
                        rooms.check_sizes,
                        upsweep__core__a_dot_hpp=head + body.replace("f();", "//"),
                    ),
                )

    def test_ignores_braces_in_comments_and_literals(self):
        self.assertEqual(
            [],
            complaints(
                rooms.check_sizes,
                upsweep__core__a_dot_cpp='void f() {\n  g("{", \'{\', R"({)");  // {\n}\n' * 10,
            ),
        )

    def test_wants_exceptions_to_be_needed(self):
        table = TABLE | {"exceptions": [{"where": "upsweep/core/a.hpp:f", "why": "a table"}]}
        long = "void f() {\n" + "  g();\n" * 6 + "}\n"
        self.assertEqual([], complaints(rooms.check_sizes, table, upsweep__core__a_dot_hpp=long))
        self.assertIn(
            "no longer needed",
            complaints(rooms.check_sizes, table, upsweep__core__a_dot_hpp="void f() {}\n")[0],
        )

    def test_wants_an_opening_sentence_and_no_unfinished_marks(self):
        self.assertEqual(
            1, len(complaints(rooms.check_manners, upsweep__core__a_dot_hpp="#pragma once\n"))
        )
        self.assertEqual(
            1,
            len(complaints(rooms.check_manners, upsweep__core__a_dot_hpp="/// A.\n// TO" + "DO\n")),
        )

    def test_wants_the_companions_of_a_stem(self):
        self.assertIn(
            "needs docs/plus.md", complaints(rooms.check_stems, upsweep__ops__plus_dot_hpp="\n")[0]
        )

    def test_wants_promises_to_name_real_tests(self):
        page = {
            "docs__contracts_dot_md": "Same bits: `suite.kept`, `suite.broken`.\n",
            "tests__a_dot_cpp": "TEST(suite, kept) {}\n",
        }
        self.assertEqual(
            [
                (
                    "docs/contracts.md:1: there is no test 'suite.broken'; write it, or name the "
                    "test that covers the promise"
                )
            ],
            complaints(rooms.check_promises, **page),
        )

    def test_wants_the_hops_of_the_map_to_call_each_other(self):
        page = (
            "| 0 | `first` | `a.hpp` |\n| 1 | `x::second` | `b.hpp` |\n| 2 | `third` | `b.hpp` |\n"
        )
        a, b = "void first(int o = {}) { second<1>(o); }\n", "void second(int) {}\nint third();\n"
        found = complaints(rooms.check_hops, docs__map_dot_md=page, a_dot_hpp=a, b_dot_hpp=b)
        self.assertEqual(
            [
                "docs/map.md:2: 'second' in b.hpp does not call 'third'",
                "docs/map.md:3: b.hpp has no function 'third'",
            ],
            found,
        )
        self.assertEqual(1, len(complaints(rooms.check_hops, docs__map_dot_md="no list\n")))

    def test_wants_at_most_five_hops(self):
        rows = [f"| {i} | `f{i}` | `a.hpp` |\n" for i in range(7)]
        calls = "".join(f"void f{i}() {{ f{i + 1}(); }}\n" for i in range(7))
        found = complaints(rooms.check_hops, docs__map_dot_md="".join(rows), a_dot_hpp=calls)
        self.assertEqual(["docs/map.md:1: 6 hops, more than 5"], found)

    def test_wants_a_sign_in_each_room_whose_paths_exist(self):
        table = {"signs": {"folders": ["a", "b", "c"], "lines": 3}}
        found = complaints(
            rooms.check_signs,
            table,
            a__README_dot_md="Begin with `x.hpp`, `sub/`, `docs/y.md`, `f()`.\n",
            a__x_dot_hpp="",
            a__sub__z_dot_hpp="",
            b__README_dot_md="1\n2\n`gone.py` `docs/`\n4\n",
            docs__y_dot_md="",
        )
        self.assertEqual(
            [
                "b/README.md: has more than 3 lines",
                "b/README.md: there is no 'gone.py'",
                "c/README.md: is missing; say in 20 lines what is here, where to begin, "
                "what tests it",
            ],
            found,
        )

    def test_finds_results_that_a_newer_table_replaced(self):
        old, new = (f"bench/results/{name}.json" for name in ("gpu/2026-11-20-h", "2026-11-21-x"))
        with tree(**{"x.cpp": f'"{old}" "{new}"', new: "{}"}) as names:
            self.assertEqual(
                [f"x.cpp: there is no '{old}'; a newer one has taken its place"],
                list(rooms.check_signs(names, {})),
            )


if __name__ == "__main__":
    unittest.main()
