"""Scans by functions of the user for which the package has a compiled one."""

import torch  # type: ignore[import-not-found]

from upsweep.torch._scans import along, cummax, cumprod, cumsum, logcumsumexp
from upsweep.torch._tensors import check, check_dim, check_same

_NAMES = {
    torch.add: "add",
    torch.mul: "mul",
    torch.multiply: "mul",
    torch.max: "max",
    torch.maximum: "max",
    torch.min: "min",
    torch.minimum: "min",
    torch.logaddexp: "logaddexp",
    torch.addcmul: "addcmul",
}
_SCANS = {
    "add": lambda x, dim, reverse: cumsum(x, dim, reverse=reverse),
    "mul": lambda x, dim, reverse: cumprod(x, dim, reverse=reverse),
    "max": lambda x, dim, reverse: _maxima(x, dim, reverse),
    "min": lambda x, dim, reverse: -_maxima(-x, dim, reverse),
    "logaddexp": lambda x, dim, reverse: logcumsumexp(x, dim, reverse=reverse),
}
_AFFINE = ["mul(l0,r0)", "add(mul(l1,r0),r1)"]


def _maxima(x, dim, reverse):
    return cummax(x.flip(dim), dim)[0].flip(dim) if reverse else cummax(x, dim)[0]


class _Term:
    """What a function computes, as text with the operands in alphabetical order: all commute."""

    def __init__(self, text):
        self.text = text

    @classmethod
    def __torch_function__(cls, function, types, args=(), kwargs=None):
        return cls("?") if kwargs else cls.joined(_NAMES.get(function), *args)

    @classmethod
    def joined(cls, name, *operands):
        if name is None or not all(isinstance(x, _Term) for x in operands):
            return cls("?")
        texts = [x.text for x in operands]
        if name == "addcmul" and len(texts) == 3:
            name, texts = "add", [texts[0], cls.joined("mul", *operands[1:]).text]
        return cls(f"{name}({','.join(sorted(texts))})")

    def __add__(self, other):
        return self.joined("add", self, other)

    def __mul__(self, other):
        return self.joined("mul", self, other)

    def max(self, other):
        return self.joined("max", self, other)

    def min(self, other):
        return self.joined("min", self, other)

    def logaddexp(self, other):
        return self.joined("logaddexp", self, other)

    add, maximum, minimum = __add__, max, min
    mul = multiply = __mul__


def _computed(fn, count, as_tuple):
    """The results of `fn` as text, of tensors l0, l1, ... and r0, r1, ... on its two sides."""
    left, right = (tuple(_Term(f"{side}{k}") for k in range(count)) for side in "lr")
    try:
        results = fn(left, right) if as_tuple else fn(left[0], right[0])
    except Exception:  # a condition on values, or another function
        return ["?"]
    results = results if as_tuple else [results]
    if not isinstance(results, (tuple, list)) or not all(isinstance(y, _Term) for y in results):
        return ["?"]
    return [y.text for y in results]


def associative_scan(fn, xs, dim, *, reverse=False):
    """The inclusive scan of tensors along a dimension by a function of two of them.

    `fn` is `torch.add`, `torch.mul`, `torch.maximum`, `torch.minimum` or `torch.logaddexp`, or a
    function that computes the same. Of a tuple of tensors it takes two tuples and returns one: the
    functions above, each of one tensor; or of pairs (a, b) the affine maps
    `(al * ar, ar * bl + br)`. Then the second result is h[t] = a[t] h[t-1] + b[t]. What `fn`
    computes is found by calling it once with symbols; other functions are refused. The results are
    those of `cumsum`, `cumprod`, `cummax`, `logcumsumexp` and `linear_recurrence`, and so are
    gradients. With `reverse` from the end: `fn` takes the later element on its left.
    """
    verb = "associative_scan"
    as_tuple = isinstance(xs, (tuple, list))
    parts = tuple(xs) if as_tuple else (xs,)
    if not parts:
        raise ValueError(f"{verb}: xs has no tensor; give a tensor, or a tuple of tensors")
    for k, x in enumerate(parts):
        name = f"xs[{k}]" if as_tuple else "xs"
        check(x, name, verb)
        if x.shape != parts[0].shape:
            raise ValueError(
                f"{verb}: {name} has the shape {list(x.shape)}; give {list(parts[0].shape)}"
            )
    if not callable(fn):
        raise TypeError(f"{verb}: fn is a {type(fn).__name__}; give a function of two arguments")
    dim = check_dim(parts[0], dim, verb)
    computed = _computed(fn, len(parts), as_tuple)
    if computed == _AFFINE:
        a, b = parts
        check_same(a, b, ("xs[0]", "xs[1]"), verb)
        return cumprod(a, dim, reverse=reverse), along(a, b, dim, reverse)
    names = [
        next((n for n in _SCANS if text == f"{n}(l{k},r{k})"), None)
        for k, text in enumerate(computed)
    ]
    if len(names) != len(parts) or None in names:
        raise NotImplementedError(
            f"{verb}: there is no compiled scan by fn={getattr(fn, '__name__', fn)}. There are "
            "torch.add, torch.mul, torch.maximum, torch.minimum and torch.logaddexp, for each "
            "tensor of xs, and for pairs (a, b) the affine maps (al * ar, ar * bl + br); a "
            "function that computes one of these without conditions is recognized. upsweep.scan "
            "takes any function of NumPy's arrays"
        )
    results = tuple(_SCANS[n](x, dim, bool(reverse)) for n, x in zip(names, parts))
    return results if as_tuple else results[0]
