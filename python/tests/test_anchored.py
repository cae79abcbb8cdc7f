"""Linear recurrences in the tree of anchored blocks: one bit pattern for any chunks, batches and
packed sequences."""

import os

import ml_dtypes
import numpy as np
import pytest
from reference import GOLDEN, cases, same_bits, tree

import upsweep

BF16 = np.dtype(ml_dtypes.bfloat16)
TYPES = ["float32", "float64", "float16", BF16, "complex64", "complex128"]
CASES = int(os.environ.get("UPSWEEP_RANDOM_CASES", "1000"))


def inputs(rng, shape, dtype):
    a, b = rng.uniform(0.8, 1.0, shape), rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        a = a * np.exp(1j * rng.uniform(-1, 1, shape))
        b = b + 1j * rng.standard_normal(shape)
    return a.astype(dtype), b.astype(dtype)


def product(x, y):
    """Of complex numbers as it is written, without NumPy's fused products."""
    if x.dtype.kind != "c":
        return x * y
    z = np.empty(np.broadcast_shapes(x.shape, y.shape), x.dtype)
    z.real = x.real * y.real - x.imag * y.imag
    z.imag = x.real * y.imag + x.imag * y.real
    return z


def definition(a, b, first=0):
    """docs/spec/blocks.md along axis 0, with arrays as numbers."""
    dtype = a.dtype
    state_type = np.float32 if dtype.itemsize == 2 else dtype
    a, b = a.astype(state_type), b.astype(state_type)
    state = np.broadcast_to(np.asarray(first, state_type), a.shape[1:]).copy()
    results = []
    for begin in range(0, len(a), 256):
        maps = list(zip(a[begin : begin + 256], b[begin : begin + 256]))
        join = lambda m, n: (product(n[0], m[0]), product(n[0], m[1]) + n[1])
        op = tree.Operator([], None, join, trait="initial is first")
        folds = tree.prefixes(op, maps, (np.zeros_like(state), state))
        results += [h for _, h in folds[1:]]
        state = results[-1]
    return np.array(results).reshape(a.shape).astype(dtype)


def in_chunks(a, b, sizes, axis=0, reverse=False, **first):
    pieces, at, state = [], 0, None
    n = a.shape[axis]
    for size in sizes:
        cut = slice(n - min(n, at + size), n - at) if reverse else slice(at, at + size)
        where = (slice(None),) * axis + (cut,)
        if state is not None:
            first = {"initial": state}
        y, state = upsweep.linear_recurrence(
            a[where],
            b[where],
            axis=axis,
            reverse=reverse,
            tree="blocks",
            return_state=True,
            **first,
        )
        pieces.append(y)
        at += size
    return np.concatenate(pieces[::-1] if reverse else pieces, axis), state


@pytest.mark.parametrize("dtype", TYPES, ids=str)
@pytest.mark.parametrize("n", [0, 1, 2, 255, 256, 257, 700])
def test_results_follow_the_definition(dtype, n):
    a, b = inputs(np.random.default_rng(n), (n, 3), dtype)
    assert same_bits(upsweep.linear_recurrence(a, b, axis=0, tree="blocks"), definition(a, b))
    y = upsweep.linear_recurrence(a, b, axis=0, tree="blocks", initial=[1, 2, 3])
    assert y.dtype == a.dtype and same_bits(y, definition(a, b, [1, 2, 3]))
    backwards = upsweep.linear_recurrence(a, b, axis=0, tree="blocks", reverse=True)
    assert same_bits(backwards, definition(a[::-1], b[::-1])[::-1].copy())


def test_results_are_the_golden_ones():
    wanted = "inclusive_scan op=affine type=map-f32 kind=near1/scattered n=300 initial=none"
    with open(GOLDEN / "blocks.txt", encoding="ascii") as file:
        (line,) = [text for text in file if text.startswith(wanted.replace("n=300", "n=257"))]
    case = dict(word.split("=") for word in line.split(" => ")[0].split()[1:])
    c = cases.Case("inclusive_scan", case)
    a, b = np.array(c.x, np.float32).T
    op, n = c.operator(), c.n
    y = upsweep.linear_recurrence(a, b, tree="blocks")
    state, maps = None, []
    for begin in range(0, n, 256):
        join = op._replace(trait="initial is first")
        maps += tree.prefixes(join, c.x[begin : begin + 256], state)[1:]
        state = maps[-1]
    assert line.split(" => ")[1].strip() == cases.array(maps, op.types)
    assert same_bits(y, np.array([h for _, h in maps], np.float32))


def one_case(rng):
    """A call in random chunks, in a batch, packed and step by step beside one call."""
    dtype = TYPES[rng.integers(len(TYPES))]
    batch, n, lanes = (int(rng.integers(low, high)) for low, high in ((1, 5), (0, 600), (1, 9)))
    reverse = bool(rng.integers(2))
    a, b = inputs(rng, (batch, n, lanes), dtype)
    first = np.asarray(rng.standard_normal((batch, lanes)), np.float32).astype(dtype)
    how = {"reverse": reverse, "initial": first}
    whole, after = upsweep.linear_recurrence(
        a, b, axis=1, tree="blocks", return_state=True, threads=int(rng.integers(1, 4)), **how
    )
    sizes = []
    while sum(sizes) < n or not sizes:
        sizes.append(int(rng.integers(0, rng.choice([2, 10, 300, 700]))) or 1)
    pieces, state = in_chunks(a, b, sizes, 1, **how)
    assert same_bits(pieces, whole), sizes
    assert same_bits(state.value, after.value) and (state.position == after.position).all()
    one = int(rng.integers(batch))
    alone = upsweep.linear_recurrence(
        a[one], b[one], axis=0, tree="blocks", reverse=reverse, initial=first[one]
    )
    assert same_bits(alone, np.ascontiguousarray(whole[one]))
    lane = int(rng.integers(lanes))
    strided = upsweep.linear_recurrence(
        a[:, :, lane], b[:, :, lane], axis=1, tree="blocks", reverse=reverse, initial=first[:, lane]
    )
    assert same_bits(strided, np.ascontiguousarray(whole[:, :, lane]))
    packed(rng, a, b, dtype)


def packed(rng, a, b, dtype):
    """Sequences of other lengths, packed one after another."""
    a, b = (x.reshape(1, -1, x.shape[2]) for x in (a, b))
    n, lanes = a.shape[1:]
    offsets = [0, *sorted(rng.integers(0, n + 1, int(rng.integers(0, 5)))), n]
    first = np.asarray(rng.standard_normal((len(offsets) - 1, lanes)), np.float32).astype(dtype)
    together, state = upsweep.linear_recurrence(
        a, b, axis=1, tree="blocks", cu_seqlens=offsets, return_state=True, initial=first
    )
    for s, (begin, end) in enumerate(zip(offsets, offsets[1:])):
        y, after = upsweep.linear_recurrence(
            a[0, begin:end], b[0, begin:end], axis=0, tree="blocks", return_state=True,
            initial=first[s],
        )  # fmt: skip
        assert same_bits(together[0, begin:end], y), offsets
        assert same_bits(state.value[s], after.value) and state.position[s] == after.position


def test_chunks_batches_and_packed_sequences_have_the_bits_of_one_call():
    rng = np.random.default_rng(66)
    for _ in range(CASES):
        one_case(rng)


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_steps_have_the_bits_of_one_call(dtype):
    a, b = inputs(np.random.default_rng(5), (2, 600, 4), dtype)
    whole, after = upsweep.linear_recurrence(a, b, axis=1, tree="blocks", return_state=True)
    y, state = upsweep.linear_recurrence(
        a[:, :3], b[:, :3], axis=1, tree="blocks", return_state=True
    )
    kept = [x.copy() for x in state]
    for t in range(3, 600):
        before = state
        h, state = upsweep.linear_recurrence_step(state, a[:, t], b[:, t])
        assert h.dtype == a.dtype and same_bits(h, np.ascontiguousarray(whole[:, t])), t
        if t == 3:  # a state is not changed by what continues from it
            assert all(same_bits(x, y) for x, y in zip(before, kept))
    assert same_bits(state.value, after.value) and state.position.tolist() == [600 % 256] * 2


def test_sequences_of_a_batch_may_be_at_different_elements():
    a, b = inputs(np.random.default_rng(6), (2, 300, 1), "float32")
    whole = upsweep.linear_recurrence(a, b, axis=1, tree="blocks")
    states = [
        upsweep.linear_recurrence(a[i, :n], b[i, :n], axis=0, tree="blocks", return_state=True)[1]
        for i, n in enumerate((100, 290))
    ]
    state = upsweep.RecurrenceState(*map(np.stack, zip(*states)))
    for t in range(10):
        at = [100 + t, 290 + t]
        h, state = upsweep.linear_recurrence_step(state, a[[0, 1], at], b[[0, 1], at])
        assert same_bits(h, whole[[0, 1], at])


def test_constant_coefficients_and_types_are_broadcast():
    b = np.random.default_rng(7).standard_normal((4, 300)).astype(np.float32)
    y = upsweep.linear_recurrence(np.float32(0.5), b, axis=1, tree="blocks")
    assert same_bits(y, upsweep.linear_recurrence(np.full_like(b, 0.5), b, axis=1, tree="blocks"))
    assert upsweep.linear_recurrence(0.5, b, axis=1, tree="blocks").dtype == np.float64
    mixed = upsweep.linear_recurrence(b.astype(BF16), b.astype("f2"), axis=1, tree="blocks")
    assert mixed.dtype == np.float32
    ones = upsweep.linear_recurrence(1, [1, 2, 3], tree="blocks")
    assert ones.tolist() == [1, 3, 6]


def test_wrong_calls_are_refused_by_the_name_of_the_argument():
    x = np.ones((2, 5))
    blocks = {"axis": 1, "tree": "blocks"}

    def refused(error, words, *given, **how):
        with pytest.raises(error, match=words):
            upsweep.linear_recurrence(*given, **how)

    refused(ValueError, "tree='other'; give 'prefix' or 'blocks'", x, x, tree="other")
    refused(ValueError, "return_state=True needs tree='blocks'", x, x, axis=1, return_state=True)
    refused(ValueError, "cu_seqlens needs tree='blocks'", x, x, axis=1, cu_seqlens=[0, 5])
    refused(
        ValueError, r"cu_seqlens divides the elements of one batch", x, x, cu_seqlens=[0], **blocks
    )
    row = x[:1]
    refused(ValueError, "goes from 0 to 4", row, row, cu_seqlens=[0, 4], **blocks)
    refused(
        ValueError,
        r"cu_seqlens\[2\]=2 is less than the 3",
        row,
        row,
        cu_seqlens=[0, 3, 2, 5],
        **blocks,
    )
    refused(TypeError, "cu_seqlens must be integers", row, row, cu_seqlens=[0.0, 5.0], **blocks)
    refused(ValueError, r"initial has the shape \(3,\)", x, x, initial=np.ones(3), **blocks)
    refused(TypeError, "initial has the type complex128", x, x, initial=1j, **blocks)
    refused(TypeError, "b has elements of type datetime64", x, x.astype("M8[s]"), **blocks)
    refused(ValueError, "axis 2 is out of bounds", x, x, axis=2, tree="blocks")
    _, state = upsweep.linear_recurrence(x, x, return_state=True, **blocks)
    refused(
        ValueError, r"initial is a state of the shape \(2,\)", x.T, x.T, initial=state, **blocks
    )
    narrow = state._replace(totals=state.totals.astype("f4"))
    refused(
        TypeError,
        "initial.totals has the type float32; give float64",
        x,
        x,
        initial=narrow,
        **blocks,
    )
    far = state._replace(position=state.position + 300)
    refused(
        ValueError, "state.position must be integers from 0 to 255", x, x, initial=far, **blocks
    )
    short = state._replace(totals=state.totals[:, 1:])
    with pytest.raises(ValueError, match="state.totals has the shape"):
        upsweep.linear_recurrence_step(short, 1.0, 1.0)
    with pytest.raises(TypeError, match="state is a int; give a RecurrenceState"):
        upsweep.linear_recurrence_step(3, 1.0, 1.0)
    with pytest.raises(ValueError, match=r"a has the shape \(3,\), but the state has \(2,\)"):
        upsweep.linear_recurrence_step(state, np.ones(3), 1.0)
