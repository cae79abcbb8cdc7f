"""Calls of upsweep.torch that go to a kernel without PyTorch's dispatcher: they have the results of
the dispatcher, and nothing that may see an operator is passed over."""

import threading

import pytest
import torch
from gpu_calls import needs_gpu, on_gpu
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.autograd import forward_ad
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

import upsweep.torch as ut
from upsweep.torch import _derivatives, _lines
from upsweep.torch._states import DIGITS, LINK_ROWS

OPS = torch.ops.upsweep


def numbers(*shape, dtype=torch.float32, seed=0):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def recurrence(shape, dtype=torch.float32, reverse=False, rows=None, cut=None):
    """The arguments of the operator, with a link of so many rows."""
    lead = shape[0] if cut is None else len(cut) - 1
    kind = torch.float32 if dtype.itemsize == 2 else dtype
    a, b = numbers(*shape, dtype=dtype), numbers(*shape, dtype=dtype, seed=1)
    state = [numbers(lead, shape[2], dtype=kind), numbers(lead, DIGITS, 2, shape[2], dtype=kind)]
    state.append(torch.arange(lead) * 37 % 256)
    link = None if rows is None else numbers(lead, rows, shape[2], dtype=kind)
    return a, b, *state, None if cut is None else torch.tensor(cut), reverse, link, bool(rows)


def gradients(shape, dtype=torch.float32, cut=None):
    a, h, value, totals, position, cut, *_ = recurrence(shape, dtype, cut=cut)
    factor, grad = numbers(*value.shape, dtype=value.dtype), numbers(*shape, dtype=dtype, seed=2)
    state = value, totals, position
    return a, h, grad, factor, *state, *(x.clone() for x in state), cut, False


def turned(x):
    """A tensor of three dimensions in another layout, and everything else as it is."""
    return x.transpose(0, 1) if isinstance(x, torch.Tensor) and x.ndim == 3 else x


X = numbers(3, 5, 4)
LAYOUTS = [X, X.transpose(0, 2), X[:, ::2], X[:1, :1].expand(3, 5, 4), X[:0], X[:, :0], X[0, 0, 0]]
ELEMENTS = [*LAYOUTS, X.half(), X.bfloat16(), X.double()]
OFFSETS, INDEX = torch.tensor([0, 1, 1, 3]), torch.tensor([2, 0, 2])
RUNS = torch.tensor([[0, 0, 2, 2], [1, 1, 1, 3], [0, 1, 2, 3]])
TYPES = [torch.float16, torch.bfloat16, torch.float64, torch.complex64, torch.complex128]
# Arguments of each operator that has kernels on the CPU.
CALLS = {
    "elementwise": [(x, f) for x in ELEMENTS for f in ("exp", "log", "sqrt", "softplus")],
    "scan": [
        (x, op, x.ndim // 2, back)
        for x in ELEMENTS
        for op in ("sum", "product", "log_sum_exp")
        for back in (False, True)
    ],
    "cummax": [(x, x.ndim // 2) for x in ELEMENTS],
    "reduce": [
        (x, op, list(range(x.ndim))[first:], keep)
        for x in ELEMENTS
        for op in ("sum", "log_sum_exp")
        for first in (0, 1)
        for keep in (False, True)
    ],
    "segment_sum": [(x, OFFSETS) for x in ELEMENTS if x.ndim and len(x) == 3],
    "take_rows": [(x, INDEX) for x in ELEMENTS if x.ndim and len(x) == 3],
    "index_sums": [(x, INDEX, 4) for x in ELEMENTS if x.ndim and len(x) == 3],
    "run_sums": [(X[:, 0], RUNS), (X[:, 0].double(), RUNS), (X[:, :, 0].T[:3, :3], RUNS[:, :3])],
    "line_function": [
        (x, f, 4.0, None)
        for x in ELEMENTS
        if x.ndim and x.numel()
        for f in ("softmax", "log_softmax", "rms_norm", "variance")
    ],
    "linear_recurrence": [
        recurrence((2, 5, 3)),
        recurrence((2, 1, 3), rows=0),
        recurrence((2, 5, 3), rows=LINK_ROWS, reverse=True),
        recurrence((1, 5, 3), cut=[0, 2, 2, 5], rows=0),
        *(recurrence(s) for s in ((0, 5, 3), (2, 0, 3), (2, 5, 0))),
        *(recurrence((2, 5, 3), dtype) for dtype in TYPES),
        tuple(map(turned, recurrence((2, 2, 3)))),
    ],
    "linear_recurrence_gradients": [
        gradients((2, 5, 3)),
        gradients((1, 5, 3), cut=[0, 2, 2, 5]),
        tuple(map(turned, gradients((2, 2, 3)))),
        *(gradients((2, 5, 3), dtype) for dtype in TYPES),
    ],
}


def as_tuple(results):
    return results if isinstance(results, tuple) else (results,)


def bits(x):
    x = x.cpu().resolve_conj().contiguous()
    return (x.view(torch.int16) if x.dtype == torch.bfloat16 else x).numpy().tobytes()


def test_every_operator_with_a_kernel_has_calls():
    on_cpu = {name for name, kernels in _derivatives._KERNELS.items() if "cpu" in kernels}
    assert on_cpu == set(CALLS)


def compared(name, results):
    """The results that are compared. On a GPU, totals have no meaning where they are not set."""
    on_cpu = all(x.is_cpu for x in results)
    return [x for x in results if on_cpu or "recurrence" not in name or x.ndim != 4]


@pytest.mark.parametrize("device", ["cpu", pytest.param("cuda", marks=needs_gpu)])
@pytest.mark.parametrize("name", CALLS)
def test_kernels_return_what_the_dispatcher_returns(name, device):
    for args in CALLS[name]:
        args = args if device == "cpu" else tuple(map(on_gpu, args))
        kernel = _derivatives.kernel_of(name, args)
        assert kernel is not None
        direct, dispatched = as_tuple(kernel(*args)), as_tuple(getattr(OPS, name)(*args))
        assert len(direct) == len(dispatched)
        for x, y in zip(direct, dispatched):
            assert (x.dtype, x.shape, x.stride()) == (y.dtype, y.shape, y.stride()), args
            assert x.is_contiguous()
            assert not x.requires_grad and not x.is_inference() and type(x) is torch.Tensor
        expected = [bits(y) for y in compared(name, dispatched)]
        assert [bits(x) for x in compared(name, direct)] == expected, args
        memory = [x.untyped_storage().data_ptr() for x in direct if x.numel()]
        given = {x.untyped_storage().data_ptr() for x in args if isinstance(x, torch.Tensor)}
        assert len(set(memory)) == len(memory) and not given & set(memory), args
        for x in direct:  # which nothing else has
            x.zero_()
        whole = [x.contiguous() if isinstance(x, torch.Tensor) else x for x in args]
        again = as_tuple(kernel(*whole))
        assert [bits(x) for x in compared(name, again)] == expected, args


@pytest.fixture
def kernel_calls(monkeypatch):
    """The numbers of elements of the calls that go to the kernel of scans."""
    kernels, seen = _derivatives._KERNELS["scan"], []

    def counting(x, *args, kernel=kernels["cpu"]):
        seen.append(x.numel())
        return kernel(x, *args)

    monkeypatch.setitem(kernels, "cpu", counting)
    return seen


class Subclass(torch.Tensor):
    pass


class Functions(TorchFunctionMode):
    def __init__(self):
        self.seen = []

    def __torch_function__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


class Dispatched(TorchDispatchMode):
    def __init__(self):
        self.seen = []

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.seen.append(str(function))
        return function(*args, **(kwargs or {}))


def cumsum(x):
    return ut.cumsum(x, 0)


def of_leaf(x):
    return cumsum(x.clone().requires_grad_()).detach()


def in_dual_level(x):
    with forward_ad.dual_level():
        return cumsum(x)


def in_function_mode(x):
    with Functions() as mode:
        y = cumsum(x)
    assert any("upsweep.scan" in name for name in mode.seen)
    return y


def in_dispatch_mode(x):
    with Dispatched() as mode:
        y = cumsum(x)
    assert "upsweep.scan.default" in mode.seen
    return y


def of_subclass(x):
    y = cumsum(x.as_subclass(Subclass))
    assert type(y) is Subclass
    return y.as_subclass(torch.Tensor)


def with_default_device(x):
    with torch.device("meta"):  # of what is made without a device
        maxima, indices = ut.cummax(x, 0)
        assert maxima.device == indices.device == ut.linear_recurrence(x[None, None], x).device
        return cumsum(x)


def of_fake(x):
    with FakeTensorMode() as mode:
        assert cumsum(mode.from_tensor(x)).shape == x.shape
    assert cumsum(mode.from_tensor(x)).shape == x.shape  # the type alone tells
    return OPS.scan(x, "sum", 0, False)


def of_meta(x):
    assert cumsum(x.to("meta")).is_meta
    return OPS.scan(x, "sum", 0, False)


def profiled(x):
    with torch.profiler.profile() as profiler:
        y = cumsum(x)
    assert any(e.key == "upsweep::scan" for e in profiler.key_averages())
    return y


def traced(x):
    module = torch.jit.trace(cumsum, (torch.zeros_like(x),), check_trace=False)
    assert "upsweep::scan" in str(module.graph)
    return module(x)


def grads_batched(x):
    leaf = x.clone().requires_grad_()
    y, seeds = cumsum(leaf), torch.eye(len(x))
    (found,) = torch.autograd.grad(y, leaf, seeds, is_grads_batched=True)
    assert torch.equal(found, torch.ones(len(x), len(x)).tril())
    return y.detach()


def negated(x):
    y = torch.complex(torch.zeros_like(x), -x).conj().imag
    assert y.is_neg()
    return cumsum(y)


def of_zeros(x):
    assert not cumsum(torch._efficientzerotensor(len(x))).any()
    return OPS.scan(x, "sum", 0, False)


# What needs the dispatcher, as functions of a tensor [n] that return its running sums.
LISTENERS = {
    "a leaf": of_leaf,
    "a level of tangents": in_dual_level,
    "vmap": lambda x: torch.vmap(cumsum)(x[None])[0],
    "grad": lambda x: torch.func.vjp(cumsum, x)[0],
    "jvp": lambda x: torch.func.jvp(cumsum, (x,), (x,))[1],
    "compile": lambda x: torch.compile(cumsum, fullgraph=True, backend="eager")(x),
    "a mode of functions": in_function_mode,
    "a mode of the dispatcher": in_dispatch_mode,
    "a default device": with_default_device,
    "a subclass": of_subclass,
    "a fake tensor": of_fake,
    "the device meta": of_meta,
    "a profiler": profiled,
    "a trace": traced,
    "batched gradients": grads_batched,
    "a negated tensor": negated,
    "zeros without memory": of_zeros,
}


@pytest.mark.parametrize("name", LISTENERS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::FutureWarning")
def test_calls_are_dispatched_where_something_sees_them(name, kernel_calls):
    x = numbers(7)
    expected = OPS.scan(x, "sum", 0, False)
    assert torch.equal(LISTENERS[name](x), expected)
    assert not kernel_calls
    assert torch.equal(cumsum(x), expected) and kernel_calls == [7]  # nothing is left of it


def test_calls_go_to_the_kernel_where_nothing_sees_them(kernel_calls):
    x = numbers(7)
    leaf = x.clone().requires_grad_()
    expected = OPS.scan(x, "sum", 0, False)
    with torch.no_grad():
        for of in (leaf, torch.nn.Parameter(x)):
            y = cumsum(of)
            assert torch.equal(y, expected) and not y.requires_grad and type(y) is torch.Tensor
    torch.use_deterministic_algorithms(True)
    try:
        assert torch.equal(cumsum(x), expected)
    finally:
        torch.use_deterministic_algorithms(False)
    with torch.autocast("cpu"):
        assert torch.equal(cumsum(x), expected)
    thread = threading.Thread(target=lambda: kernel_calls.append(cumsum(x).numel()))
    thread.start()
    thread.join()
    assert kernel_calls == [7] * 6


def test_inference_mode_has_the_same_results(kernel_calls):
    x, (a, b) = numbers(7), (numbers(2, 5, 3).abs(), numbers(2, 5, 3, seed=1))
    h, state = ut.linear_recurrence(a, b, return_state=True)
    step = ut.linear_recurrence_step(state, a[:, 0], b[:, 0])
    with torch.inference_mode():
        y = cumsum(x)
        there, after = ut.linear_recurrence(a, b, return_state=True)
        further = ut.linear_recurrence_step(after, a[:, 0], b[:, 0])
        assert all(t.is_inference() for t in (y, there, *after, further[0], *further[1]))
    assert kernel_calls == [7]
    assert torch.equal(y, cumsum(x)) and torch.equal(h, there)
    mixed = ut.linear_recurrence_step(after, a[:, 0], b[:, 0])  # outside, of inference tensors
    for one in (further, mixed):
        assert torch.equal(step[0], one[0])
        assert all(torch.equal(s, t) for s, t in zip(step[1], one[1]))
    assert cumsum(y).shape == y.shape and not cumsum(y).is_inference()


def test_conjugated_and_negated_tensors_are_read_as_they_are():
    a, b = (torch.complex(numbers(2, 4, 3, seed=k), numbers(2, 4, 3)) for k in (1, 2))
    resolved = ut.linear_recurrence(a.conj().resolve_conj(), b, return_state=True)
    found = ut.linear_recurrence(a.conj(), b, return_state=True)
    assert torch.equal(found[0], resolved[0])
    totals = found[1].totals
    for t in (totals.conj(), totals.conj().resolve_conj()):
        step = ut.linear_recurrence_step(found[1]._replace(totals=t), a[:, 0], b[:, 0])[0]
        expected = step if t.is_conj() else expected
        assert torch.equal(step, expected)
    negated = a.conj().imag
    assert negated.is_neg()
    h = ut.linear_recurrence(negated, b.real)
    assert torch.equal(h, ut.linear_recurrence(negated.resolve_neg(), b.real))


def test_states_on_other_devices_or_in_other_layouts_are_refused():
    a = numbers(2, 3)
    state = ut.linear_recurrence(a[:, None], a[:, None], return_state=True)[1]
    for k, name in enumerate(state._fields[:3]):
        for make, words in (
            (lambda x: x.to("meta"), f"state.{name} is on meta; give it on cpu"),
            (lambda x: x.to_sparse(), f"state.{name} has the layout torch.sparse_coo"),
        ):
            parts = [make(x) if j == k else x for j, x in enumerate(state[:3])]
            with pytest.raises((ValueError, TypeError), match=words):
                ut.linear_recurrence_step(tuple(parts), a, a)


def test_a_version_of_pytorch_without_these_functions_always_dispatches(monkeypatch, kernel_calls):
    monkeypatch.setattr(_derivatives, "_PLAIN", set())
    x = numbers(7)
    assert torch.equal(cumsum(x), OPS.scan(x, "sum", 0, False)) and not kernel_calls
    assert _derivatives.is_traced((x,))
