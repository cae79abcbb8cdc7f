"""Numbers with thousands separators and decimal commas."""

import random
import unittest

from support import SEED, ToolTest

GERMAN = 'ort;preis;menge\nBonn;1.234,50;-1\nKiel;0,25;"2.000.000"\n'


def grouped(number, thousands, decimal):
    return f"{number:,}".translate(str.maketrans({",": thousands, ".": decimal}))


class Spelling(ToolTest):
    def test_thousands_separators_in_quoted_and_bare_fields(self):
        table = 'x,y\n"1,234.50",2\n"-12","1,000,000"\n'
        self.assertEqual(
            self.text("reduce", "-c", "x,y", "--thousands", stdin=table),
            "sum(x),sum(y)\n1222.5,1000002\n",
        )
        self.assertEqual(
            self.text("reduce", "-c", "1", "--from", "text", "--thousands", stdin="1,234 x\n"),
            "1234\n",
        )

    def test_decimal_commas_and_points_for_thousands(self):
        self.file("g.csv", GERMAN)
        args = ["reduce", "-c", "preis,menge", "--decimal", ",", "--thousands", "g.csv"]
        self.assertEqual(self.text(*args), "sum(preis);sum(menge)\n1234.75;1999999\n")
        self.assertEqual(
            self.text("reduce", "--json", "-c", "menge", "--decimal=,", "--thousands=.", "g.csv")
            .split('"dtype":"')[1]
            .split('"')[0],
            "i64",
        )

    def test_a_decimal_comma_does_not_make_a_csv(self):
        self.assertEqual(self.text("reduce", "--decimal", ",", stdin="1,5\n2,5\n-,5e1\n"), "-1\n")
        self.assertEqual(
            self.text("reduce", "--decimal", ",", "-c", "1-2", stdin="1,5 3\n2,5 4\n"), "4\t7\n"
        )
        self.assertEqual(
            self.text("reduce", "--decimal", ",", "-c", "1-2", stdin="1,5\t3\n2,5\t4\n"), "4\t7\n"
        )
        self.assertEqual(
            self.text("reduce", "--decimal", ",", "--list", stdin="1,5 2,5\n3\n"), "7\n"
        )
        self.assertEqual(
            self.text(
                "reduce", "--decimal=,", "--delimiter=,", "-c", "b", stdin='a,b\n"1,5","2,5"\n'
            ),
            "2.5\n",
        )

    def test_other_separators(self):
        for thousands in ["'", " ", "_", "\u00a0", "\u202f", "\u2019"]:
            table = f"x;y\n1{thousands}234;{thousands}\n5;6\n"
            self.assertEqual(
                self.text("reduce", "-c", "x", f"--thousands={thousands}", stdin=table), "1239\n"
            )
        self.fails(
            2, "reduce", "--thousands= ", stdin="1 234\n", says="--thousands: a blank separates"
        )

    def test_random_numbers_have_the_sum_of_their_plain_forms(self):
        source = random.Random(SEED)
        values = [source.randint(-(10**15), 10**15) / 4 for _ in range(2000)]
        plain = self.text("reduce", "--op", "exact-sum", stdin="".join(f"{v!r}\n" for v in values))
        for thousands, decimal in [(",", "."), (".", ","), (" ", ","), ("'", ".")]:
            table = "x;y\n" + "".join(f"{grouped(v, thousands, decimal)};0\n" for v in values)
            for extra in [[], ["--threads", "1"]]:
                self.assertEqual(
                    self.text(
                        "reduce",
                        "--op",
                        "exact-sum",
                        "-c",
                        "x",
                        "--delimiter=;",
                        f"--thousands={thousands}",
                        f"--decimal={decimal}",
                        *extra,
                        stdin=table,
                    ),
                    plain,
                    (thousands, decimal),
                )

    def test_separators_stand_at_groups_of_three(self):
        for wrong in [
            "12,34",
            "1,2345",
            "1234,567",
            ",123",
            "1,,234",
            "1,234,",
            "1.5,000",
            "1,23.5",
        ]:
            self.fails(
                3,
                "reduce",
                "-c",
                "x",
                "--thousands",
                stdin=f'x,y\n1,2\n"{wrong}",3\n',
                says=f"standard input:3:2: '{wrong}' in column 'x' is not a number.",
            )
        for wrong in ["1.5", "1,5,5", ".5", "1,5.5", "1.234,5"]:
            self.fails(
                3,
                "reduce",
                "-c",
                "x",
                "--decimal",
                ",",
                stdin=f"x;y\n1,5;2\n{wrong};3\n",
                says=f"standard input:3:1: '{wrong}' in column 'x' is not a number",
            )
        self.fails(
            3,
            "reduce",
            "-c",
            "x",
            "--decimal=,",
            stdin="x;y\n1.5;2\n",
            says="is not a number as --decimal and --thousands describe it.",
        )

    def test_errors_name_the_option_that_would_help(self):
        for number, says in [
            ("1,5", "; for decimal commas use --decimal ,."),
            ("1,234.5", "; for thousands separators use --thousands."),
            ("1,234", "--decimal , and for thousands separators --thousands."),
            ("1.234,5", "; for decimal commas use --decimal , --thousands=.."),
            ("1'234", '--thousands="\'"'),
            ("1 234", "--thousands=' '"),
            ("1\u202f234,5", "--decimal , --thousands=$'\\u202f'"),
            ("1,23,4", "is not a number."),
            ("5kg", "is not a number; a number with a sign or a unit: remove that first"),
            ("-", "if it is a missing value, give --skip-missing --missing='-'."),
            ("\\N", "--missing='\\N'."),
        ]:
            stdin = f'x;y\n"{number}";2\n'
            self.fails(3, "reduce", "-c", "x", stdin=stdin, says=["2:2: '", says])
        self.fails(3, "reduce", "--from", "text", stdin="1,5\n", says=["1:1:", "use --decimal ,"])

    def test_missing_values_words_and_late_decimals(self):
        table = "x;y\n1.000;a\nNA;b\nnan;c\ninf;d\n;e\n"
        self.assertEqual(
            self.text(
                "reduce",
                "-c",
                "x",
                "--decimal=,",
                "--thousands",
                "--skip-missing",
                "--op",
                "first,count",
                stdin=table,
            ),
            "first(x);count(x)\n1000;3\n",
        )
        late = "1,000\n" * 300000 + "0.5\n"
        self.assertEqual(
            self.text("reduce", "--from", "text", "--thousands", stdin=late), "300000000.5\n"
        )
        self.fails(
            3,
            "reduce",
            "--dtype=i8",
            "--thousands",
            "--from=text",
            stdin="1,000\n",
            says="1,000 does not fit i8",
        )

    def test_headers_are_found_with_these_numbers(self):
        self.assertEqual(self.text("reduce", "--decimal", ",", stdin="rain\n1,5\n"), "1.5\n")
        self.assertEqual(
            self.text("reduce", "--decimal", ",", "-c", "2", stdin="a;b\n1,5;2,5\n"), "2.5\n"
        )
        self.assertEqual(
            self.text("reduce", "--decimal", ",", "-c", "2", stdin="1,5;2,5\n0,5;0,5\n"), "3\n"
        )

    def test_wrong_separators_are_usage_errors(self):
        for args, says in [
            (["--thousands=ab"], "'ab' cannot separate digits"),
            (["--thousands=5"], "'5' cannot separate digits"),
            (["--decimal=-"], "'-' cannot separate digits"),
            (["--decimal=e"], "'e' cannot separate digits"),
            (["--decimal=\u00b7"], "single character"),
            (["--thousands=."], "the decimal separator too"),
            (["--decimal=,", "--thousands=,"], "the decimal separator too"),
        ]:
            self.fails(2, "reduce", *args, stdin="1\n", says=says)

    def test_a_file_after_the_option_is_a_file(self):
        name = self.file("n.txt", "1,234\n")
        self.assertEqual(self.text("reduce", "--from", "text", "--thousands", name), "1234\n")


if __name__ == "__main__":
    unittest.main()
