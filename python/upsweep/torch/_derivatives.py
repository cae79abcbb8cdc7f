"""Derivatives of custom operators: backward, forward, and under the transforms of torch.func, which
do not see the gradient that an operator has registered."""

import torch  # type: ignore[import-not-found]
from torch.autograd import forward_ad  # type: ignore[import-not-found]

# Which transforms are active. Neither these nor the level of forward differentiation are public:
# without them, a version of PyTorch is taken to differentiate always.
_forward = getattr(torch._C, "_is_fwd_grad_enabled", lambda: True)
_functorch = getattr(torch._C, "_functorch", None)
_stack = getattr(_functorch, "get_interpreter_stack", None)
_VMAP = getattr(getattr(_functorch, "TransformType", None), "Vmap", None)


def differentiates():
    """Whether a call is differentiated forward, or by a transform that is not compiled."""
    if getattr(forward_ad, "_current_level", 0) >= 0 and _forward():
        return True
    if torch.compiler.is_compiling():
        return False
    return _stack is None or any(transform.key() != _VMAP for transform in _stack() or ())


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

    return lambda *args: (transformed.apply if differentiates() else operator)(*args)
