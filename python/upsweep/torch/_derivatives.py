"""Derivatives of custom operators: backward, forward, and under the transforms of torch.func, which
do not see the gradient that an operator has registered."""

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]
from torch.autograd import forward_ad  # type: ignore[import-not-found]

# Which transforms are active. Neither these nor the level of forward differentiation are public:
# without them, a version of PyTorch is taken to differentiate always.
_forward = getattr(torch._C, "_is_fwd_grad_enabled", lambda: True)
_functorch = getattr(torch._C, "_functorch", None)
_stack = getattr(_functorch, "get_interpreter_stack", None)
_VMAP = getattr(getattr(_functorch, "TransformType", None), "Vmap", None)
# What else may see a call. Without these, a version of PyTorch is taken to dispatch always.
_function_modes = getattr(torch._C, "_len_torch_function_stack", lambda: 1)
_profiled = getattr(torch.autograd, "_profiler_enabled", lambda: True)
_included = getattr(torch._C, "_dispatch_tls_local_include_set", None)


def _sets_of_plain_calls():
    """The dispatch keys that are included where neither a transform nor a mode nor a trace is
    active, outside of the inference mode and in it."""
    try:
        sets, key = torch._C.DispatchKeySet, torch._C.DispatchKey
        inference = sets(key.BackendSelect)
        return {x.raw_repr() for x in (inference, inference | sets(key.ADInplaceOrView))}
    except AttributeError:
        return set()


_PLAIN = _sets_of_plain_calls() if _included else set()
# The types of tensors whose operators are PyTorch's own, and of arguments that are no tensors.
_TENSORS = frozenset((Tensor, torch.nn.Parameter))
_OTHERS = frozenset((bool, float, int, list, str, type(None)))


def _differentiates_forward():
    return getattr(forward_ad, "_current_level", 0) >= 0 and _forward()


def differentiates():
    """Whether a call is differentiated forward, or by a transform that is not compiled."""
    if _differentiates_forward():
        return True
    if torch.compiler.is_compiling():
        return False
    return _stack is None or any(transform.key() != _VMAP for transform in _stack() or ())


def _is_traced_now():
    return torch.compiler.is_compiling() or not _PLAIN or _included().raw_repr() not in _PLAIN


def is_traced(args):
    """Whether a call is compiled, traced, transformed or seen by a mode, or has tensors of other
    types than PyTorch's own."""
    others = (type(x) for x in args if type(x) not in _TENSORS)
    return _is_traced_now() or not _OTHERS.issuperset(others)


def is_dispatched(args):
    """Whether an operator needs PyTorch's dispatcher, which takes longer than all else that the
    host does for few elements: for a derivative, or because something else sees the call."""
    if _is_traced_now() or _function_modes() or _profiled() or _differentiates_forward():
        return True
    differentiated = torch.is_grad_enabled()
    for x in args:
        kind = type(x)
        if kind in _TENSORS:
            if differentiated and x.requires_grad:
                return True
            if x.is_neg() or x.is_conj() or x._is_zerotensor():  # the memory has other numbers
                return True
        elif kind not in _OTHERS:
            return True
    return False


# What the operators run, by their names and the types of devices.
_KERNELS: dict = {}


def operator(name, device_types="cpu"):
    """Registers a function as the operator of that name, which it computes on these devices."""

    def register(function):
        op = f"upsweep::{name}"
        made = torch.library.custom_op(op, function, mutates_args=(), device_types=device_types)
        types = (device_types,) if isinstance(device_types, str) else device_types
        _KERNELS[name] = dict.fromkeys(types, function)
        return made

    return register


def kernel(name, device_type):
    """Registers the function that computes an operator on another type of device."""

    def register(function):
        torch.library.register_kernel(f"upsweep::{name}", device_type, function)
        _KERNELS[name][device_type] = function
        return function

    return register


def keep(ctx, *tensors):
    """Saves what the derivatives need, for both directions."""
    ctx.save_for_backward(*tensors)
    ctx.save_for_forward(*tensors)


# How operators run under torch.vmap (_batches.py).
_RULES: dict = {}


def batched(name):
    """Registers how the operator of that name runs under torch.vmap."""

    def register(rule):
        torch.library.register_vmap(f"upsweep::{name}", rule)
        _RULES[name] = rule
        return rule

    return register


def kernel_of(name, args):
    """The function that computes an operator on the device of its first argument, or None where a
    call needs the dispatcher."""
    if is_dispatched(args):
        return None
    return _KERNELS[name].get("cpu" if args[0].is_cpu else args[0].device.type)


def called(name, dispatched):
    """The function that calls the kernel of an operator, or `dispatched` where that is needed."""
    return lambda *args: (kernel_of(name, args) or dispatched)(*args)


def _laid_out(tangents):
    """The tangents in the layout of the results, which PyTorch wants."""
    if isinstance(tangents, torch.Tensor):
        return tangents.contiguous()
    return tuple(None if t is None else t.contiguous() for t in tangents)


def differentiable(name, setup, backward, forward):
    """Registers the gradient of the operator of that name, and returns the function that calls it
    with all derivatives. `forward` returns the tangents of the results, of the context and the
    tangents of the arguments."""
    torch.library.register_autograd(f"upsweep::{name}", backward, setup_context=setup)
    operator = getattr(torch.ops.upsweep, name)
    functions = {
        "vmap": staticmethod(lambda info, dims, *args: _RULES[name](info, dims, *args)),
        "forward": staticmethod(operator),
        "setup_context": staticmethod(setup),
        "backward": staticmethod(backward),
        "jvp": staticmethod(lambda ctx, *tangents: _laid_out(forward(ctx, *tangents))),
    }
    transformed = type(name, (torch.autograd.Function,), functions)
    return called(name, lambda *args: (transformed.apply if differentiates() else operator)(*args))
