"""upsweep.torch under torch.vmap, its scans by functions of the user, and few long lines."""

import itertools
import operator
import re

import numpy as np
import pytest
import torch

import upsweep
import upsweep.torch as ut


def normal(*shape, seed=0, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=dtype)


def equal(x, y):
    xs, ys = list(x), list(y)
    return len(xs) == len(ys) and all(torch.equal(u, v) for u, v in zip(xs, ys))


OFFSETS = torch.tensor([0, 3, 3, 7])
INDEX = torch.tensor([2, 0, 2, 1, 0, 2, 2])
# Functions of a tensor [7, 4].
MAPPED = {
    "exp": ut.exp,
    "softplus": ut.softplus,
    "cumsum": lambda x: ut.cumsum(x, 0),
    "cumprod": lambda x: ut.cumprod(x, -1, reverse=True),
    "logcumsumexp": lambda x: ut.logcumsumexp(x, 1),
    "cummax": lambda x: ut.cummax(x, 0)[0],
    "sum": lambda x: ut.sum(x, 0),
    "sum of all": ut.sum,
    "sums kept": lambda x: ut.sum(x, (1,), keepdim=True),
    "logsumexp": lambda x: ut.logsumexp(x, 1),
    "softmax": lambda x: ut.softmax(x, 1),
    "scalars": lambda x: ut.cumsum(x[0, 0], 0) + ut.sum(x[0, 0]) + ut.cummax(x[0, 0], 0)[0],
    "segment_sum": lambda x: ut.segment_sum(x, OFFSETS),
    "index_add": lambda x: ut.index_add(x[:3], INDEX, x),
    "recurrence": lambda x: ut.linear_recurrence(x[None].abs(), x[None], x[:1]),
    "recurrence with a constant": lambda x: ut.linear_recurrence(torch.ones(1, 7, 4), x[None]),
    "packs": lambda x: ut.linear_recurrence(x[None].abs(), x[None], cu_seqlens=OFFSETS),
}


@pytest.mark.parametrize("name", MAPPED)
def test_vmap_has_the_bits_of_each_call_and_so_have_gradients(name):
    f = MAPPED[name]
    x = normal(7, 3, 4)
    each = [f(x[:, k]) for k in range(3)]
    assert torch.equal(torch.vmap(f, 1)(x), torch.stack(each))
    twice = torch.vmap(torch.vmap(f, -1), 1)(torch.stack([x, -x], -1))
    assert torch.equal(twice[:, 0], torch.stack(each))
    weight, y = normal(*each[0].shape, seed=1), x.clone().requires_grad_()
    (torch.vmap(f, 1)(y) * weight).sum().backward()
    for k in range(3):
        one = x[:, k].clone().requires_grad_()
        (f(one) * weight).sum().backward()
        assert torch.equal(y.grad[:, k], one.grad)


def test_vmap_of_offsets_and_indices():
    x, offsets = normal(2, 7, 4), torch.tensor([[0, 3, 7], [0, 0, 7]])
    sums = torch.vmap(ut.segment_sum)(x, offsets)
    assert equal(sums, [ut.segment_sum(x[k], offsets[k]) for k in range(2)])
    index = torch.stack([INDEX, INDEX.flip(0)])
    added = torch.vmap(ut.index_add, (None, 0, 0))(x[0, :3], index, x)
    assert equal(added, [ut.index_add(x[0, :3], index[k], x[k]) for k in range(2)])
    same_rows = torch.vmap(ut.index_add, (None, 0, None))(x[0, :3], index, x[0])
    assert equal(same_rows, [ut.index_add(x[0, :3], index[k], x[0]) for k in range(2)])


def test_vmap_of_states_and_indices_of_maxima():
    a, b = normal(3, 2, 300, 4).abs(), normal(3, 2, 300, 4, seed=1)
    run = lambda a, b: ut.linear_recurrence(a, b, return_state=True)
    h, state = torch.vmap(run)(a, b)
    for k in range(3):
        one, after = run(a[k], b[k])
        assert torch.equal(h[k], one) and torch.equal(state.position[k], after.position)
        assert torch.equal(state.value[k], after.value)
    step = torch.vmap(ut.linear_recurrence_step)
    after_step = step(ut.RecurrenceState(*state), a[:, :, 0], b[:, :, 0])[0]
    _, second = run(a[1], b[1])
    assert torch.equal(after_step[1], ut.linear_recurrence_step(second, a[1, :, 0], b[1, :, 0])[0])
    where = torch.vmap(lambda x: ut.cummax(x, 0)[1])(b[:, 0])
    assert torch.equal(where[2], ut.cummax(b[2, 0], 0)[1])
    assert torch.equal(
        torch.vmap(lambda x: ut.cummax(x, 0)[1])(b[0, 0, 0]), torch.zeros(4, dtype=torch.int64)
    )


def test_vmap_refuses_offsets_that_are_mapped_by_name():
    x = normal(2, 1, 7, 4)
    f = lambda x, c: ut.linear_recurrence(x, x, cu_seqlens=c)
    with pytest.raises(NotImplementedError, match="cu_seqlens is mapped"):
        torch.vmap(f)(x, torch.stack([OFFSETS, OFFSETS]))
    h, state = ut.linear_recurrence(x[0], x[0], cu_seqlens=OFFSETS, return_state=True)
    go_on = lambda x, p: ut.linear_recurrence(
        x, x, state=state._replace(position=p), cu_seqlens=OFFSETS
    )
    with pytest.raises(NotImplementedError, match="state.position is mapped"):
        torch.vmap(go_on)(x, torch.stack([state.position, state.position]))


# ---- Scans by functions of the user

EXISTING = {
    "torch.add": (torch.add, lambda x, r: ut.cumsum(x, 1, reverse=r)),
    "operator.add": (operator.add, lambda x, r: ut.cumsum(x, 1, reverse=r)),
    "lambda": (lambda l, r: r + l, lambda x, r: ut.cumsum(x, 1, reverse=r)),
    "method": (lambda l, r: l.add(r), lambda x, r: ut.cumsum(x, 1, reverse=r)),
    "torch.mul": (torch.mul, lambda x, r: ut.cumprod(x, 1, reverse=r)),
    "product": (lambda l, r: l * r, lambda x, r: ut.cumprod(x, 1, reverse=r)),
    "logaddexp": (torch.logaddexp, lambda x, r: ut.logcumsumexp(x, 1, reverse=r)),
}


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("name", EXISTING)
def test_a_function_of_the_user_has_the_compiled_scan(name, reverse):
    f, expected = EXISTING[name]
    for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.float16):
        x = normal(2, 300, 3).to(dtype)
        assert torch.equal(ut.associative_scan(f, x, 1, reverse=reverse), expected(x, reverse))


@pytest.mark.parametrize("reverse", [False, True])
def test_maxima_and_minima_are_pytorchs(reverse):
    x = normal(2, 300, 3)
    x[0, 100, 1] = torch.nan
    flip = (lambda y: y.flip(1)) if reverse else (lambda y: y)
    for f, expected in (
        (torch.maximum, torch.cummax), (torch.max, torch.cummax),
        (lambda l, r: l.minimum(r), torch.cummin), (torch.min, torch.cummin),
    ):  # fmt: skip
        y = ut.associative_scan(f, x, -2, reverse=reverse)
        assert torch.equal(y.nan_to_num(9), flip(expected(flip(x), 1)[0]).nan_to_num(9))


def maps(l, r):
    return l[0] * r[0], r[0] * l[1] + r[1]


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize(
    "f",
    [
        maps,
        lambda l, r: [r[0] * l[0], r[1] + l[1] * r[0]],
        lambda l, r: (l[0].mul(r[0]), torch.addcmul(r[1], r[0], l[1])),
    ],
)
def test_pairs_are_affine_maps(f, reverse):
    a, b = normal(2, 40, 3, dtype=torch.float64).abs(), normal(2, 40, 3, dtype=torch.float64)
    products, h = ut.associative_scan(f, (a, b), 1, reverse=reverse)
    assert torch.equal(products, ut.cumprod(a, 1, reverse=reverse))
    assert torch.equal(h, ut.linear_recurrence(a, b, reverse=reverse))
    order = range(39, -1, -1) if reverse else range(40)
    last = None
    for t in order:
        here = (a[:, t], b[:, t])
        last = here if last is None else f(last, here)
        assert torch.allclose(products[:, t], last[0]) and torch.allclose(h[:, t], last[1])


def test_tuples_have_a_function_for_each_tensor():
    x, y = normal(2, 50), normal(2, 50, seed=1)
    f = lambda l, r: (torch.maximum(l[0], r[0]), l[1] + r[1])
    assert equal(ut.associative_scan(f, (x, y), 1), (x.cummax(1)[0], ut.cumsum(y, 1)))
    (one,) = ut.associative_scan(lambda l, r: (l[0] + r[0],), [x], 1)
    assert torch.equal(one, ut.cumsum(x, 1))


def test_scans_by_functions_have_gradients():
    x = normal(2, 6, dtype=torch.float64).requires_grad_()
    a = normal(2, 6, dtype=torch.float64, seed=1).abs().requires_grad_()
    for f in (torch.add, torch.mul, torch.maximum, torch.minimum, torch.logaddexp):
        assert torch.autograd.gradcheck(lambda x: ut.associative_scan(f, x, 1), x)
    assert torch.autograd.gradcheck(lambda a, x: ut.associative_scan(maps, (a, x), 1), (a, x))


X = normal(2, 5)
KNOWN = "torch.add, torch.mul, torch.maximum, torch.minimum and torch.logaddexp"


@pytest.mark.parametrize(
    "f",
    [
        torch.sub,
        lambda l, r: l + 2 * r,
        lambda l, r: l + l,
        lambda l, r: r,
        lambda l, r: 1.0,
        lambda l, r: l + r + 0,
        lambda l, r: torch.add(l, r, alpha=2),
        lambda l, r: l if l > r else r,
        lambda l, r: (l, r),
        max,
        np.hypot,
        torch.addcmul,
    ],
)
def test_other_functions_are_refused_and_the_sentence_says_what_exists(f):
    with pytest.raises(NotImplementedError, match=re.escape(KNOWN)):
        ut.associative_scan(f, X, 1)


@pytest.mark.parametrize(
    "f",
    [
        lambda l, r: (l[0] * r[0], l[0] * r[1] + l[1]),  # the maps in the other order
        lambda l, r: (l[0] * r[0], r[0] * l[1] + r[1], l[0]),
        lambda l, r: (l[0] * r[0],),
        lambda l, r: (l[1] + r[1], l[0] + r[0]),
        lambda l, r: l[0] * r[0],
        lambda l, r: (l[0] * r[0], torch.addcmul(r[1], r[0], l[1], value=2)),
        lambda l, r: (l[0] * r[0], torch.addcmul(r[0], r[1], l[1])),
    ],
)
def test_other_functions_of_pairs_are_refused(f):
    with pytest.raises(NotImplementedError, match=re.escape("affine maps (al * ar, ar * bl + br)")):
        ut.associative_scan(f, (X, X), 1)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ut.associative_scan(torch.add, [], 0), ValueError, "xs has no tensor"),
        (lambda: ut.associative_scan(torch.add, 1.0, 0), TypeError, "xs is a float"),
        (lambda: ut.associative_scan(maps, (X, X.int()), 0), TypeError, "xs[1] has elements of"),
        (lambda: ut.associative_scan(maps, (X, X[0]), 0), ValueError, "xs[1] has the shape [5]"),
        (lambda: ut.associative_scan(maps, (X, X.double()), 0), TypeError, "xs[0] has elements"),
        (lambda: ut.associative_scan("add", X, 0), TypeError, "fn is a str"),
        (lambda: ut.associative_scan(torch.add, X, 2), IndexError, "dim=2"),
    ],
)
def test_wrong_arguments_are_refused_by_name(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()


@pytest.mark.parametrize("f", [torch.add, lambda l, r: l * r])
def test_scans_by_functions_compile_without_a_break(f):
    compiled = torch.compile(
        lambda x: ut.associative_scan(f, x, 1) + 1, fullgraph=True, backend="aot_eager"
    )
    assert torch.equal(compiled(X), ut.associative_scan(f, X, 1) + 1)


# ---- Few long lines

LONG = {
    "cumsum": lambda x: ut.cumsum(x, 1),
    "cumprod": lambda x: ut.cumprod(1 + x / 4096, 1),
    "cummax": lambda x: ut.cummax(x, 1)[0],
    "sum": lambda x: ut.sum(x, 1),
    "logsumexp": lambda x: ut.logsumexp(x, 1),
    "recurrence": lambda x: ut.linear_recurrence(x[..., None].abs().clamp(max=1), x[..., None]),
}


@pytest.mark.parametrize("name", LONG)
def test_few_long_lines_have_the_bits_of_each_line(name):
    f = LONG[name]
    for lines, size in itertools.product((1, 2, 31), (16384, 16385, 20011)):
        x = normal(lines, size, seed=size)
        y = f(x)
        for k in {0, lines // 2, lines - 1}:
            assert torch.equal(f(x[k : k + 1])[0], y[k])
        assert torch.equal(f(x.T.contiguous().T), y)


def test_few_long_lines_are_those_of_numpys_functions():
    x = normal(3, 20011)
    sums = np.stack([upsweep.cumulative_sum(line) for line in x.numpy()])
    assert torch.equal(ut.cumsum(x, 1), torch.from_numpy(sums))
    assert torch.equal(ut.sum(x, 1), torch.from_numpy(sums[:, -1]))
