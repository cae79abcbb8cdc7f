"""Products that overflow before they meet a zero: expected values from a loop over signs."""

import numpy as np
import pytest
import upsweep

ANYTHING, NUMBER = "anything", "no NaN"
HUGE = {np.float32: 1e30, np.float64: 1e200}


def expected(x):
    """The product of each prefix that contains a zero or NaN, and of others what is known."""
    negative = seen_zero = seen_infinity = seen_nan = False
    results = []
    for v in np.asarray(x, float):
        negative ^= bool(np.signbit(v))
        seen_zero |= v == 0
        seen_infinity |= bool(np.isinf(v))
        seen_nan |= bool(np.isnan(v))
        if seen_nan or (seen_zero and seen_infinity):
            results.append(np.nan)
        elif seen_zero:
            results.append(-0.0 if negative else 0.0)
        else:  # a product that vanishes is a zero, too, whose product with an infinity is NaN
            results.append(ANYTHING if seen_infinity else NUMBER)
    return results


def agrees(got, want):
    if want in (ANYTHING, NUMBER):
        return want == ANYTHING or not np.isnan(got)
    return np.isnan(got) if np.isnan(want) else got == 0 and np.signbit(got) == np.signbit(want)


def factors(seed, n, dtype, *special):
    """Numbers that overflow and vanish in turns, with the special ones among them."""
    random = np.random.default_rng(seed)
    huge = HUGE[dtype]
    x = random.choice([huge, -huge, 1 / huge, 2, -0.5, 1], n).astype(dtype)
    x[: len(special)] = special
    return random.permutation(x)


SPECIAL = [(0.0,), (-0.0,), (0.0, np.inf), (0.0, np.nan), (-np.inf,), (0.0, -0.0, 0.0)]
CASES = [
    (seed, n, dtype, special)
    for seed, n in enumerate([3, 16, 17, 255, 257, 1025, 5000])
    for dtype in HUGE
    for special in SPECIAL
]


@pytest.mark.parametrize(("seed", "n", "dtype", "special"), CASES)
def test_products_and_running_products(seed, n, dtype, special):
    x = factors(seed, n, dtype, *special)
    want = expected(x)
    assert agrees(upsweep.prod(x), want[-1])
    assert agrees(upsweep.multiply.reduce(x), want[-1])
    for threads in (1, 2):
        running = upsweep.cumulative_prod(x, threads=threads)
        assert all(map(agrees, running, want))
    in_place = x.copy()
    upsweep.cumulative_prod(in_place, out=in_place)
    np.testing.assert_array_equal(in_place, upsweep.cumulative_prod(x))
    backwards = upsweep.scan(x, "product", reverse=True)
    assert all(map(agrees, backwards[::-1], expected(x[::-1])))


@pytest.mark.parametrize(("seed", "n", "dtype", "special"), CASES[::3])
def test_products_of_parts(seed, n, dtype, special):
    x = factors(seed, n, dtype, *special)
    cuts = [0, 1, n // 3, n // 3, n // 2, n]
    parts = [x[a:b] for a, b in zip(cuts, cuts[1:])]
    products = [expected(part)[-1] if len(part) else NUMBER for part in parts]
    assert all(map(agrees, upsweep.segment_reduce(x, cuts, "product"), products))
    keys = np.repeat(np.arange(5), np.diff(cuts))
    groups = upsweep.group_reduce(keys, x, "product")
    of_group = [p for p, part in zip(products, parts) if len(part)]
    assert all(map(agrees, groups.values, of_group))
    windows = upsweep.windowed(x, 3, "product")
    assert all(agrees(w, expected(x[i : i + 3])[-1]) for i, w in enumerate(windows))
    columns = upsweep.prod(np.stack([x, x[::-1]], axis=1), axis=0)
    assert agrees(columns[0], expected(x)[-1])
    assert agrees(columns[1], expected(x[::-1])[-1])


@pytest.mark.parametrize(("seed", "n", "dtype", "special"), CASES[::3])
def test_products_of_chunks_and_pieces(seed, n, dtype, special):
    x = factors(seed, n, dtype, *special)
    want = expected(x)
    stream = upsweep.Stream("product", dtype)
    total = upsweep.Partial("product", dtype)
    running = []
    for begin in range(0, n, 37):
        chunk = x[begin : begin + 37]
        running.extend(stream.scan(chunk))
        piece = upsweep.Partial("product", dtype, begin=begin)
        piece.push(chunk)
        total.append(upsweep.Partial.from_bytes(bytes(piece)))
    assert all(map(agrees, running, want))
    assert agrees(total.result(), want[-1])
    assert agrees(upsweep.prod(x, initial=0.0), expected([0.0, *x])[-1])
    assert agrees(upsweep.prod(x, initial=np.inf), expected([np.inf, *x])[-1])


def test_numbers_that_a_loop_multiplies_in_range():
    x = np.arange(1320.0)
    assert upsweep.prod(x) == 0
    np.testing.assert_array_equal(upsweep.cumulative_prod(x), np.zeros(1320))
    assert upsweep.prod([0.0, 1.0, 1e200, 1e200]) == 0
    assert upsweep.prod([1e200, 1e200]) == np.inf
    assert np.isnan(upsweep.prod([np.inf, 0.0]))
