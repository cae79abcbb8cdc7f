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
        self.assertEqual(
            1, len(complaints(rooms.check_sizes, upsweep__core__a_dot_hpp="// x\n" * 41))
        )
        self.assertEqual([], complaints(rooms.check_sizes, upsweep__core__a_dot_hpp="// x\n" * 40))

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

    def test_finds_words_in_prose_alone(self):
        page = "Elements behind it.\n\n```sh\nbehind\n```\n`behind` [a](behind.md)\nof\nyours.\n"
        page += "<!-- x:begin -->\nbehind\n<!-- x:end -->\n<!-- table -->\nbehind\n<!-- end -->\n"
        check = lambda names, _: rooms.check_words.complaints(names, rooms.read)
        self.assertEqual(
            [
                "docs/a.md:1: 'behind': write after, past (docs/writing.md)",
                "docs/a.md:7: 'of yours': write user-defined, your (docs/writing.md)",
            ],
            complaints(check, docs__a_dot_md=page, docs__generated__b_dot_md="behind\n"),
        )

    def test_finds_words_in_comments_alone(self):
        def found(name, text):
            words = rooms.check_words.words_in_comments([name], {name: text}.get)
            return [(line, words) for _, line, words, _ in words]

        self.assertEqual(
            [(1, "mended"), (2, "mend")], found("a.hpp", "x;  // mended\n/* mend */\n")
        )
        self.assertEqual(
            [(2, "in front of")], found("a.cu", "int mended;\n/// It is in\n/// front of x.\n")
        )
        code = """char c = '"'; // behind\nauto s = "// behind"; int n = 1'000; // behind\n"""
        self.assertEqual([(1, "behind"), (2, "behind")], found("a.cpp", code))
        self.assertEqual([], found("a.cpp", 'R"(// behind)"; mend(x); // `behind` and behind_x\n'))
        self.assertEqual([], found("bench/vendor/a.h", "// behind\n"))
        code = '"""It is behind."""\nx = 1  # texts\n'
        self.assertEqual([(1, "behind"), (2, "texts")], found("a.py", code))
        self.assertEqual([(3, "mend")], found("a.py", 'def f():\n    """It\n    mend."""\n'))
        self.assertEqual([], found("a.py", 'x = "# behind"\ny = """\nbehind"""\n'))
        self.assertEqual([], found("a.md", "// behind\n"))
        self.assertEqual([(1, "Places")], found("a.h", "// Places in place, and in place of x\n"))

    def test_reports_british_spellings_in_code(self):
        check = lambda names, _: rooms.check_words.complaints_of_spelling(names, rooms.read)
        name, verb = "Neigh" + "bour", "initial" + "ise"
        self.assertEqual(
            [
                f"a.cpp:1: '{name}': American spelling (docs/writing.md)",
                f"a.cpp:2: '{verb}': American spelling (docs/writing.md)",
            ],
            complaints(check, a_dot_cpp=f"int first{name};\nvoid {verb}_all();\n"),
        )
        american = "colored = noise; // promised; aria-labelledby\n"
        self.assertEqual([], complaints(check, a_dot_cpp=american))

    def test_allows_words_in_comments_as_often_as_the_table_says(self):
        most = rooms.check_words.table()["comments"]["an order of"]
        instead = rooms.check_words.listed(True)["an order of"]
        check = lambda names, _: rooms.check_words.complaints(names, rooms.read)
        self.assertEqual([], complaints(check, a_dot_cpp="// an order of\n" * most))
        self.assertEqual(
            [
                f"comments have 'an order of' {most + 1} times, {most} are allowed: write "
                f"{instead} (docs/writing.md); tools/check_words.py --comments lists them, as "
                f"a.cpp:{most + 1}: 'an order of'"
            ],
            complaints(check, a_dot_cpp="// an order of\n" * (most + 1)),
        )
        self.assertNotIn("each by itself", rooms.check_words.table()["comments"])
        self.assertEqual(1, len(complaints(check, a_dot_cpp="// each by itself\n")))
        known = rooms.check_words.listed(True)
        self.assertEqual(
            [], [word for word in rooms.check_words.table()["comments"] if word not in known]
        )

    def test_wants_a_standard_header_for_each_standard_name(self):
        def missing(text, **others):
            files = {"a.cpp": text, **others}
            return list(
                rooms.standard_names.complaints(
                    files, files.get, lambda name: rooms.blank(files[name])
                )
            )

        used = "std::uint8_t x;  // std::string\n"
        fault = ["a.cpp: uses std::uint8_t without including <cstdint>"]
        self.assertEqual(fault, missing(used))
        self.assertEqual([], missing("#include <cstdint>\n" + used))
        self.assertEqual([], missing("#include <stdint.h>\n" + used))
        self.assertEqual([], missing(used, **{"a.hpp": "#include <cstdint>\n"}))
        self.assertEqual(fault, missing(used, **{"b.hpp": "#include <cstdint>\n"}))
        self.assertEqual([], missing("#include <cstring>\nstd::size_t n;\n"))
        self.assertEqual([], missing("#include <vector>\nauto i = std::begin(v);\n"))
        self.assertEqual(
            ["a.cpp: uses std::chrono:: without including <chrono>"],
            missing("std::chrono::seconds s;\n"),
        )

    def test_adds_a_standard_header_to_the_block_of_those(self):
        add = rooms.standard_names.with_headers
        self.assertEqual(
            '#include "a.hpp"\n\n#include <bit>\n#include <span>\n',
            add('#include "a.hpp"\n\n#include <span>\n', {"bit": "rotl"}),
        )
        self.assertEqual(
            "/// A.\n#pragma once\n\n#include <bit>\n\nint x;\n",
            add("/// A.\n#pragma once\n\nint x;\n", {"bit": "rotl"}),
        )


if __name__ == "__main__":
    unittest.main()
