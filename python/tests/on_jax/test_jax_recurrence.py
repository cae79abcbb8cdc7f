"""upsweep.jax.linear_recurrence: one bit pattern, and its gradients."""

import os
import importlib.util
import re
from pathlib import Path

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.test_util import check_grads

import upsweep
import upsweep.jax as uj

TYPES = ["float16", "bfloat16", "float32", "float64", "complex64", "complex128"]
CASES = int(os.environ.get("UPSWEEP_RANDOM_CASES", "1000")) // 100


def inputs(shape, dtype, seed=0):
    rng = np.random.default_rng(seed)
    a, b = 0.8 + 0.2 * rng.random(shape), rng.standard_normal(shape)
    if dtype.startswith("complex"):
        a = a * np.exp(1j * rng.random(shape))
        b = b + 1j * rng.standard_normal(shape)
    return jnp.asarray(a).astype(dtype), jnp.asarray(b).astype(dtype)


def bits(x):
    x = np.asarray(x)
    return x.shape, str(x.dtype), x.tobytes()


def same(x, y):
    return jax.tree.map(bits, x) == jax.tree.map(bits, y)


def on_numpy(a, b, h0=0.0, reverse=False):
    """upsweep.linear_recurrence; JAX's 16-bit numbers are added in float32 there as well."""
    wide = np.float32 if a.dtype.itemsize == 2 else a.dtype
    a, b = (np.asarray(x.astype(wide)) for x in (a, b))
    h = upsweep.linear_recurrence(a, b, initial=h0, axis=-2, reverse=reverse, tree="blocks")
    return jnp.asarray(h)


def loop(a, b, h0=0.0):
    h, out = h0, []
    for t in range(a.shape[-2]):
        h = a[..., t, :] * h + b[..., t, :]
        out.append(h)
    return jnp.stack(out, -2)


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", TYPES)
def test_results_are_those_of_numpys_function(dtype, reverse):
    a, b = inputs((2, 600, 70), dtype)
    h = uj.linear_recurrence(a, b, reverse=reverse)
    assert same(h, on_numpy(a, b, reverse=reverse).astype(dtype))
    flip = (lambda x: x[:, ::-1]) if reverse else (lambda x: x)
    wide = [np.asarray(flip(x)).astype(np.complex128) for x in (a, b)]
    tolerance = {"bfloat16": 0.04, "float16": 4e-3}.get(dtype, 1e-4)
    assert np.abs(np.asarray(h).astype(np.complex128) - flip(loop(*wide))).max() < tolerance


def test_chunks_steps_and_batches_have_the_bits_of_one_call_with_and_without_jit():
    rng = np.random.default_rng(1)
    run = jax.jit(uj.linear_recurrence, static_argnames=("reverse", "return_state"))
    for case in range(CASES):
        dtype = TYPES[case % len(TYPES)]
        batch, n, lanes = int(rng.integers(1, 5)), int(rng.integers(1, 600)), 3
        a, b = inputs((batch, n, lanes), dtype, case)
        h0 = inputs((batch, lanes), dtype, case + 1)[1]
        whole = uj.linear_recurrence(a, b, h0)
        assert same(run(a, b, h0), whole)
        assert same(uj.linear_recurrence(a[:1], b[:1], h0[:1]), whole[:1])
        assert same(jax.vmap(uj.linear_recurrence)(a, b, h0), whole)
        cut = int(rng.integers(0, n + 1))
        h1, state = uj.linear_recurrence(a[:, :cut], b[:, :cut], h0, return_state=True)
        h2, after = uj.linear_recurrence(a[:, cut:], b[:, cut:], state=state, return_state=True)
        assert same(jnp.concatenate([h1, h2], 1), whole)
        assert same(after.position, jnp.full(batch, n % 256, jnp.int32))
        backward = uj.linear_recurrence(a[:, ::-1], b[:, ::-1], h0, reverse=True)
        assert same(backward[:, ::-1], whole)


def test_steps_inside_of_a_loop_of_jax_have_the_bits_of_one_call():
    a, b = inputs((3, 520, 5), "float32")
    _, state = uj.linear_recurrence(a[:, :0], b[:, :0], return_state=True)

    def step(state, x):
        h, state = uj.linear_recurrence_step(state, *x)
        return state, h

    state, h = jax.lax.scan(step, state, (a.swapaxes(0, 1), b.swapaxes(0, 1)))
    assert same(h.swapaxes(0, 1), uj.linear_recurrence(a, b))
    assert same(state.position, jnp.full(3, 520 % 256, jnp.int32))


def test_a_state_of_numpys_function_continues_in_jax():
    a, b = inputs((300, 4), "float32")
    wide = [np.asarray(x) for x in (a, b)]
    _, state = upsweep.linear_recurrence(
        *(x[:270] for x in wide), axis=0, tree="blocks", return_state=True
    )
    assert same(uj.linear_recurrence(a[270:], b[270:], state=state), on_numpy(a, b)[270:])


def test_subnormal_numbers_are_kept():
    """XLA's threads flush them, and so do its own operators."""
    a = np.full((3, 2), 0.5, np.float32)
    b = np.full((3, 2), 1e-40, np.float32)
    h = np.asarray(jax.jit(uj.linear_recurrence)(a, b))
    expected = upsweep.linear_recurrence(a, b, axis=0, tree="blocks")
    assert expected[0, 0] > 0 and h.tobytes() == expected.tobytes()


def test_numbers_of_16_bits_are_rounded_between_xlas_operators():
    """XLA leaves out conversions to 16 bits and back around its own operators."""
    a, b = inputs((1, 50, 3), "float32")
    f = lambda a, b: uj.linear_recurrence(
        a.astype(jnp.bfloat16), b.astype(jnp.bfloat16)
    ).astype(jnp.float32)  # fmt: skip
    assert same(jax.jit(f)(a, b), f(a, b))


@pytest.mark.parametrize("reverse", [False, True])
@pytest.mark.parametrize("dtype", ["float64", "complex128"])
def test_derivatives_are_those_of_the_definition(dtype, reverse):
    a, b = inputs((2, 5, 3), dtype)
    h0 = inputs((2, 3), dtype, 1)[1]
    f = lambda a, b, h0: uj.linear_recurrence(a, b, h0, reverse=reverse)
    check_grads(f, (a, b, h0), order=2, modes=("fwd", "rev"))
    flip = (lambda x: x[:, ::-1]) if reverse else (lambda x: x)
    _, pull = jax.vjp(f, a, b, h0)
    _, expected = jax.vjp(lambda a, b, h0: flip(loop(flip(a), flip(b), h0)), a, b, h0)
    for x, y in zip(pull(b), expected(b)):
        assert jnp.allclose(x, y)


def test_the_gradient_is_the_recurrence_in_the_other_direction_bit_by_bit():
    a, b = inputs((2, 300, 3), "float32")
    weights, h0 = inputs((2, 300, 3), "float32", 7)[1], inputs((2, 3), "float32", 8)[1]
    loss = lambda a, b, h0: (uj.linear_recurrence(a, b, h0) * weights).sum()
    da, db, dh0 = jax.grad(loss, (0, 1, 2))(a, b, h0)
    h = np.asarray(on_numpy(a, b, np.asarray(h0)))
    following = np.concatenate([np.asarray(a)[:, 1:], np.zeros((2, 1, 3), np.float32)], 1)
    g = upsweep.linear_recurrence(
        following, np.asarray(weights), axis=1, reverse=True, tree="blocks"
    )
    before = np.concatenate([np.asarray(h0)[:, None], h[:, :-1]], 1)
    assert same(db, jnp.asarray(g))
    assert same(da, jnp.asarray(g * before))
    assert same(dh0, jnp.asarray(np.asarray(a)[:, 0] * g[:, 0]))
    assert same(jax.jit(jax.grad(loss, (0, 1, 2)))(a, b, h0), (da, db, dh0))


def test_a_gradient_has_the_same_bits_where_xla_adds_to_it():
    """XLA fuses a product with the sum after it, under jit only."""
    a, b = inputs((1, 300, 3), "float32")
    loss = lambda a: uj.linear_recurrence(a, b).sum()
    f = lambda a: jax.grad(loss)(a) + b
    assert same(jax.jit(f)(a), f(a))


def test_a_gradient_in_a_batch_is_that_of_each_sequence():
    a, b = inputs((4, 300, 3), "float32")
    loss = lambda a, b: uj.linear_recurrence(a, b).sum()
    in_batch = jax.vmap(jax.grad(loss, (0, 1)))(a, b)
    for k in range(4):
        assert same(tuple(x[k] for x in in_batch), jax.grad(loss, (0, 1))(a[k], b[k]))
    one = jax.vmap(uj.linear_recurrence, (None, 0))(a[0], b)
    assert same(one[3], uj.linear_recurrence(a[0], b[3]))
    last = jax.vmap(uj.linear_recurrence, (2, 2), 2)(a[:, :, :, None], b[:, :, :, None])
    assert same(last[:, :, 1], uj.linear_recurrence(a[:, :, 1, None], b[:, :, 1, None]))


@pytest.mark.parametrize("cut", [1, 255, 256, 299])
def test_the_tokens_of_a_call_that_continues_have_gradients(cut):
    a, b = inputs((2, 300, 3), "float64")
    state = uj.linear_recurrence(a[:, :cut], b[:, :cut], return_state=True)[1]
    part = lambda a1, b1: uj.linear_recurrence(a1, b1, state=state)
    whole = lambda a1, b1: uj.linear_recurrence(
        jnp.concatenate([a[:, :cut], a1], 1), jnp.concatenate([b[:, :cut], b1], 1)
    )[:, cut:]
    tail = (a[:, cut:], b[:, cut:])
    for f in (lambda f: jax.vjp(f, *tail)[1](tail[1]), lambda f: jax.jvp(f, tail, tail)[1]):
        for x, y in zip(f(part), f(whole)):
            assert jnp.allclose(x, y)


@pytest.mark.parametrize("shape", [(0, 4, 3), (2, 0, 3), (2, 4, 0)])
def test_empty_arrays(shape):
    a = jnp.zeros(shape)
    h0 = jnp.ones((shape[0], shape[2]))
    f = lambda a, b, h0: uj.linear_recurrence(a, b, h0, return_state=True)
    h, state = f(a, a, h0)
    assert h.shape == shape and state.value.shape == h0.shape
    if shape[1] == 0:
        assert same(state.value, h0)
    grads = jax.grad(lambda *x: uj.linear_recurrence(*x).sum(), (0, 1, 2))(a, a, h0)
    assert [g.shape for g in grads] == [shape, shape, h0.shape]


def test_a_broadcast_coefficient_has_the_gradient_of_its_shape():
    _, b = inputs((2, 5, 3), "float64")
    a = jnp.asarray([0.5, 0.25, 0.125])
    grad = jax.grad(lambda a: uj.linear_recurrence(a, b).sum())(a)
    assert grad.shape == (3,)
    assert jnp.allclose(grad, jax.grad(lambda a: loop(jnp.broadcast_to(a, b.shape), b).sum())(a))


X = jnp.zeros((2, 4, 3))
S = uj.linear_recurrence(X, X, return_state=True)[1]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: uj.linear_recurrence([0.5], X), TypeError, "a is a list"),
        (lambda: uj.linear_recurrence(X, X > 0), TypeError, "b has elements of bool"),
        (lambda: uj.linear_recurrence(X.astype("float32"), X), TypeError, "a has elements of fl"),
        (lambda: uj.linear_recurrence(X, X[:, :3]), ValueError, "a has the shape [2, 4, 3]"),
        (lambda: uj.linear_recurrence(X[0, 0], X[0, 0]), ValueError, "b has 1 dimensions"),
        (lambda: uj.linear_recurrence(X, X, X[0]), ValueError, "h0 has the shape [4, 3]"),
        (lambda: uj.linear_recurrence(X, X, X[:, 0] > 0), TypeError, "h0 has elements of bool"),
        (lambda: uj.linear_recurrence(X, X, X[:, 0] + 1j), TypeError, "h0 is complex"),
        (lambda: uj.linear_recurrence(X, X, X[:, 0], state=S), ValueError, "h0 and state"),
        (lambda: uj.linear_recurrence(X, X, state=X), TypeError, "give a RecurrenceState"),
        (
            lambda: uj.linear_recurrence(X[:1], X[:1], state=S),
            ValueError,
            "state.value has the shape [2, 3]; give [1, 3]",
        ),
        (
            lambda: uj.linear_recurrence(X, X, state=S._replace(value=S.value.astype("float32"))),
            TypeError,
            "state.value has elements of float32",
        ),
        (
            lambda: uj.linear_recurrence(X, X, state=S._replace(position=S.position + 252)),
            (ValueError, jax.errors.JaxRuntimeError),
            "state.position has 256; give numbers from 0 to 255",
        ),
        (
            lambda: uj.linear_recurrence(X, X, state=S._replace(position=S.position - 5)),
            (ValueError, jax.errors.JaxRuntimeError),
            "state.position has -1",
        ),
        (lambda: uj.linear_recurrence_step(S, X, X), ValueError, "state.value has the shape"),
        (lambda: uj.linear_recurrence_step(S, X[0, 0, 0], X[0, 0, 0]), ValueError, "no dimension"),
        (
            lambda: jax.linear_transpose(
                lambda b: uj.linear_recurrence(X, b, return_state=True)[1].value, X
            )(S.value),
            NotImplementedError,
            "a state has no gradient",
        ),
    ],
)
def test_refusals_name_the_argument(call, error, message):
    if "state.position has" in message and jax.default_backend() == "gpu":
        pytest.skip("nobody waits for a GPU to look at its numbers")
    with pytest.raises(error, match=re.escape(message)):
        jax.block_until_ready(call())


def test_other_devices_are_refused():
    lowered = jax.jit(uj.linear_recurrence).trace(X, X)
    platform = "rocm" if importlib.util.find_spec("upsweep_cuda13") else "cuda"
    with pytest.raises(NotImplementedError, match="has no kernels for this device"):
        lowered.lower(lowering_platforms=(platform,))


@pytest.mark.skipif(jax.default_backend() != "gpu", reason="needs a GPU and upsweep-cuda13")
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_a_gpu_has_the_bits_of_the_cpu(dtype):
    cpu = jax.devices("cpu")[0]
    for shape in ((700, 3), (2, 3, 257, 40), (1, 70000, 1)):
        x, y = (jax.random.normal(jax.random.key(k), shape).astype(dtype) for k in range(2))
        calls = [lambda x, y: jax.vjp(uj.linear_recurrence, x, y)[1](y)]
        if dtype != "complex64":
            cuts = np.array([0, 0, shape[0] // 3, shape[0]], np.int32)
            calls += [lambda x, y: uj.segment_sum(x, cuts)]
            calls += [lambda x, y, axis=axis: uj.cumsum(x, axis) for axis in range(len(shape))]
        for call in calls:
            there = jax.tree.leaves(call(x, y))
            here = jax.tree.leaves(call(*jax.device_put((x, y), cpu)))
            for a, b in zip(there, here, strict=True):
                assert a.devices() == x.devices()
                assert np.asarray(a).tobytes() == np.asarray(b).tobytes()


def test_the_page_runs():
    page = Path(__file__).parents[3] / "docs" / "jax.md"
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.S)
    assert blocks
    for block in blocks:
        exec(block, {})
