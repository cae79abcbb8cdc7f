"""tree="pairwise": reductions in the tree of ISO's P4016."""

import numpy as np
import pytest
import upsweep
from reference import layouts, same_bits, scattered


def pairwise(x):
    """Neighbors are paired level by level; an odd last one goes up."""
    while len(x) > 1:
        pairs = len(x) // 2
        x = np.concatenate([x[: 2 * pairs : 2] + x[1 : 2 * pairs : 2], x[2 * pairs :]])
    return x[0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_sums_are_those_of_the_definition(dtype):
    for n in (1, 6, 7, 11, 127, 1023, 5461):
        x = scattered(n, dtype)
        for layout, a in layouts(x):
            for threads in (1, 2, 7):
                total = upsweep.reduce(a, "sum", threads=threads, tree="pairwise")
                assert same_bits(total, pairwise(x)), (n, layout)
        backwards = upsweep.reduce(x, "sum", reverse=True, tree="pairwise")
        assert same_bits(backwards, pairwise(x[::-1]))
        initial = x.dtype.type(0.1)
        total = upsweep.reduce(x, "sum", initial=initial, tree="pairwise")
        assert same_bits(total, initial + pairwise(x))


def test_the_trees_differ_from_seven_elements_on():
    x = [1e16, 1, 1, 1, -1e16, 1, 1]
    assert upsweep.reduce(x) != upsweep.reduce(x, tree="pairwise")
    assert upsweep.reduce(x[:6]) == upsweep.reduce(x[:6], tree="pairwise")
    assert upsweep.reduce(range(7), tree="pairwise") == 21


def test_lines_along_any_axis():
    x = scattered(7 * 13 * 150, "float64").reshape(7, 13, 150)
    for axis in range(3):
        expected = np.apply_along_axis(pairwise, axis, x)
        assert same_bits(upsweep.reduce(x, "sum", axis, tree="pairwise"), expected), axis


def test_partials_have_results_in_both_trees():
    x = scattered(1000, "float64")
    whole = upsweep.Partial().push(x[:301]) + upsweep.Partial(begin=301).push(x[301:])
    assert same_bits(whole.result(tree="pairwise"), pairwise(x))
    assert same_bits(whole.result(), upsweep.sum(x))
    own = upsweep.monoid(lambda a, b: f"({a}{b})")
    letters = upsweep.Partial(own).push("abcdefg")
    assert letters.result(tree="pairwise") == "(((ab)(cd))((ef)g))"
    assert letters.result() == "((((ab)(cd))(ef))g)"


def test_complex_sums_have_the_tree_in_both_parts():
    x = scattered(7, "float64") + 1j * scattered(8, "float64")[1:]
    total = upsweep.reduce(x, "sum", tree="pairwise")
    assert same_bits(total.real, pairwise(x.real)) and same_bits(total.imag, pairwise(x.imag))


def test_what_it_is_not_offered_for_is_refused():
    with pytest.raises(ValueError, match="tree='other'; give 'prefix' or 'pairwise'"):
        upsweep.reduce([1.0], tree="other")
    with pytest.raises(ValueError, match="user-defined operators"):
        upsweep.reduce([1.0], lambda a, b: a + b, tree="pairwise")
    with pytest.raises(ValueError, match="complex products"):
        upsweep.reduce([1j], "product", tree="pairwise")
    with pytest.raises(TypeError):
        upsweep.cumulative_sum([1.0], tree="pairwise")
