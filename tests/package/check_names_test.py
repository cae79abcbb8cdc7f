"""tools/check_rooms.py finds ambiguous stems, types and operators, and standard names without their
header, in small trees that have exactly one fault, and none in a clean tree.
"""

import unittest

from check_rooms_test import complaints, rooms


class the_check_of_names(unittest.TestCase):
    def test_wants_files_to_be_named_after_a_family_of_operators(self):
        rule = {"each": "i/*.cpp", "family_of": "ops/catalog.hpp", "why": "one stem"}
        catalog = {"ops__catalog_dot_hpp": "#include <ops/min_max.hpp>\n#include <core/sum.hpp>\n"}
        for name, said in (
            ("i__min_max_dot_cpp", 0),
            ("i__min_max_floats_dot_cpp", 0),
            ("i__minima_dot_cpp", 1),
            ("i__min_dot_cpp", 1),
            ("i__min_maxima_dot_cpp", 1),
            ("i__sum_dot_cpp", 1),  # of another folder than the catalog's
        ):
            with self.subTest(name):
                found = complaints(rooms.check_stems, {"stems": [rule]}, **catalog, **{name: ""})
                self.assertEqual(said, len(found))
                self.assertTrue(all("is neither a family of" in f for f in found))
                self.assertTrue(all("docs/rooms.toml, under [stems.except]" in f for f in found))

    def test_asks_for_names_that_a_pattern_finds_in_a_file(self):
        rule = {"each": "a.hpp", "names": r"using (\w+) =", "mentioned_in": ["b.txt"], "why": "x"}
        table = {"stems": [rule]}
        two = "using one = int;\nusing two = int;\n"
        found = complaints(rooms.check_stems, table, a_dot_hpp=two, b_dot_txt="two\n")
        self.assertEqual(["a.hpp: nothing in b.txt mentions 'one': x"], found)
        found = complaints(rooms.check_stems, table, a_dot_hpp="\n", b_dot_txt="two\n")
        self.assertIn("has nothing like", found[0])

    def test_wants_rules_and_exceptions_of_stems_to_be_about_something(self):
        rule = {"each": "i/*.cpp", "needs": ["{stem}.md"], "why": "x"}
        excused = {"stems": [rule | {"except": {"i/a.cpp": "a reason"}}]}
        self.assertEqual([], complaints(rooms.check_stems, excused, i__a_dot_cpp="\n"))
        for files in (
            {"a_dot_md": "\n", "i__a_dot_cpp": "\n"},
            {"i__b_dot_cpp": "", "b_dot_md": ""},
        ):
            self.assertIn("no longer needed", complaints(rooms.check_stems, excused, **files)[0])
        self.assertIn(
            "no file is", complaints(rooms.check_stems, {"stems": [rule]}, a_dot_hpp="")[0]
        )

    def test_finds_stems_that_differ_by_an_underscore_only(self):
        table = {"stems": []}
        found = complaints(
            rooms.check_stems,
            table,
            a__min_max_dot_hpp="",
            b__minmax_dot_hpp="",
            c__minmax_dot_hpp="",
        )
        self.assertEqual(1, len(found))
        self.assertIn("only an underscore", found[0])
        self.assertEqual(
            [], complaints(rooms.check_stems, table, a__min_max_dot_hpp="", b__m_dot_hpp="")
        )

    def test_finds_a_type_that_two_files_define(self):
        table = {"unique_names": [{"files": ["lib/*"]}]}
        for text in (
            "struct work {};",
            "namespace a::b {\nclass API work final : public base {};\n}",
            "template <class T, class = A<T>>\n  requires(is<T>)\nstruct work {};",
            "enum class work : std::uint8_t { one };",
            "template <class T>\nconcept work = true;",
            "using work = int;",
            "typedef enum work { one } work;",
        ):
            with self.subTest(text):
                both = {"lib__a_dot_hpp": text, "lib__b_dot_hpp": "struct work { int a; };"}
                found = complaints(rooms.check_names, table, **both)
                self.assertEqual(
                    ["lib/a.hpp: 'work' is also a type of lib/b.hpp; rename one"], found
                )
                elsewhere = {"lib__a_dot_hpp": text, "tests__b_dot_hpp": text}
                self.assertEqual([], complaints(rooms.check_names, table, **elsewhere))

    def test_lets_a_type_be_declared_specialized_used_and_kept_private_elsewhere(self):
        table = {"unique_names": [{"files": ["lib/*"]}]}
        for text in (
            "struct work;",
            "template <>\nstruct work<int> {};",
            "template <>\nstruct outer::work<int> {};",
            "struct work::part {};",
            "struct other {\n  struct work {};\n};",
            "void f() {\n  struct work {};\n}",
            "work make(struct work const&) { return {}; }",
            "namespace n {\nnamespace {\nstruct work {};\n}\n}",
        ):
            with self.subTest(text):
                both = {"lib__a_dot_cpp": text, "lib__b_dot_hpp": "struct work { int a; };"}
                self.assertEqual([], complaints(rooms.check_names, table, **both))

    def test_wants_exceptions_of_names_to_be_needed(self):
        table = {"unique_names": [{"files": ["lib/*"], "except": {"work": "a reason"}}]}
        text = "struct work {};"
        both = {"lib__a_dot_hpp": text, "lib__b_dot_hpp": text}
        self.assertEqual([], complaints(rooms.check_names, table, **both))
        found = complaints(rooms.check_names, table, lib__a_dot_hpp=text)
        self.assertIn("'work' is no longer needed", found[0])

    def test_wants_an_operator_to_be_spelled_alike_everywhere(self):
        catalog = (
            'for_each_row_in_c(F) {\n  f(row<plus>{id::sum, "sum"});\n'
            '  f(row<bit_and<>>{\nid::bit_and, "bit-and"});\n}\n'
            'constexpr void for_each_row(F) {\n  f(row<last>{id::last, "last"});\n}\n'
            'derived_entry{id::sample_var, "sample-var", id::last},\n'
        )
        header = (
            "typedef enum upsweep_operator INT {\n  UPSWEEP_SUM = 1, /**< a } */\n"
            "  UPSWEEP_BIT_AND = 2 /**< b */\n} upsweep_operator;\n"
        )
        right = {"catalog_dot_hpp": catalog, "upsweep_dot_h": header}
        operators = {"catalog": "catalog.hpp", "c": "upsweep.h", "types": {"sum": "plus"}}
        self.assertEqual([], complaints(rooms.check_names, {"operators": operators}, **right))
        for file, old, new, says in (
            ("catalog_dot_hpp", '"bit-and"', '"bit_and"', "the shell's name of 'bit_and'"),
            ("catalog_dot_hpp", '"sample-var"', '"variance"', "the shell's name of 'sample_var'"),
            ("catalog_dot_hpp", "row<last>", "row<latest>", "the type of 'last' is 'latest'"),
            ("catalog_dot_hpp", "row<plus>", "row<sum>", "the type of 'sum' is 'sum', not 'plus'"),
            ("catalog_dot_hpp", "id::sum", "id::total", "no operator 'sum'"),
            ("upsweep_dot_h", "BIT_AND", "AND", "has UPSWEEP_BIT_AND"),
            ("upsweep_dot_h", "BIT_AND = 2", "BIT_AND = 3", "has UPSWEEP_BIT_AND"),
            (
                "upsweep_dot_h",
                "  UPSWEEP_BIT_AND = 2",
                "",
                "is nothing; the catalog has UPSWEEP_BIT",
            ),
            ("upsweep_dot_h", "} upsweep", "  UPSWEEP_LAST = 3\n} upsweep", "has 3 enumerators"),
        ):
            with self.subTest(says):
                wrong = right | {file: right[file].replace(old, new)}
                self.assertNotEqual(right, wrong)
                found = complaints(rooms.check_names, {"operators": operators}, **wrong)
                self.assertTrue(any(says in f for f in found), found)

    def test_wants_a_standard_header_for_each_standard_name(self):
        def missing(text, **others):
            files = {"a.cpp": text, **others}
            return list(
                rooms.standard_names.complaints(
                    files, files.get, lambda name: rooms.cpp_text.blank(files[name])
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
