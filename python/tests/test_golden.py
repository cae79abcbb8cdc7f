"""The golden bits of arrays larger than those of the golden set, through NumPy arrays."""

import numpy as np
import pytest
import upsweep
from reference import GOLDEN, cases, layouts, tree
from upsweep import golden

DTYPES = {"f32": np.float32, "f64": np.float64}
LINES = (GOLDEN / "large.txt").read_text("ascii").splitlines()
RECIPE = (GOLDEN / "large_recipe.txt").read_text("ascii")


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_large_arrays_have_the_golden_bits(threads, capsys):
    assert not golden.check(RECIPE, LINES, threads)  # these are not the set's cases
    out = capsys.readouterr().out
    assert "s: no result differs, but these" in out
    assert int(out.split(" of ")[0]) > 280


def cases_with(word):
    """The cases whose line has that word, and the text of their results."""
    for text, verb, words in cases.cases_of_recipe("large_recipe.txt"):
        if word in text.split():
            line = next(line for line in LINES if line.startswith(text + " => "))
            yield cases.Case(verb, words), line.partition(" => ")[2]


@pytest.mark.parametrize("real", DTYPES)
def test_sums_have_the_golden_bits_in_every_layout(real):
    verbs = {
        "reduce": upsweep.sum,
        "inclusive_scan": upsweep.scan,
        "exclusive_scan": lambda x, **how: upsweep.scan(x, exclusive=True, **how),
    }
    seen = 0
    for case, expected in cases_with("op=sum"):
        if case.verb not in verbs or case["type"] != real or case["reverse"] == "yes":
            continue
        options = {"initial": case.extra[0]} if case["initial"] == "next" else {}
        for layout, x in layouts(np.array(case.x, DTYPES[real])):
            if case.n <= 4096 or case.verb == "reduce" or layout == "contiguous":
                results = np.ravel(verbs[case.verb](x, **options)).tolist()
                assert cases.array(results, [case.t]) == expected, (case.verb, case.n, layout)
        seen += 1
    assert seen > 40


def test_recurrences_have_the_golden_bits_of_affine_maps():
    """From x[-1] = 0 a recurrence is the second part of the composed maps."""
    for real, dtype in DTYPES.items():
        for case, _ in cases_with(f"type=map-{real}"):
            if case.verb == "inclusive_scan" and case["initial"] == "none":
                maps = np.array(case.x, dtype)
                rows = tree.prefixes(case.operator(), case.x)[1:]
                expected = np.array([b for _, b in rows], dtype)
                results = upsweep.linear_recurrence(maps[:, 0], maps[:, 1])
                assert results.tobytes() == expected.tobytes(), (real, case.n)
