"""A search for counterexamples to the associativity of a user-defined operator."""

from __future__ import annotations

import itertools
import random
from typing import TYPE_CHECKING, Any

import numpy as np

from upsweep._own import _NOTHING, OwnMonoid

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


def check_monoid(
    op: OwnMonoid | Callable[[Any, Any], Any],
    samples: Iterable[Any],
    *,
    triples: int = 20_000,
    seed: int = 1,
) -> str | None:
    """Look for a counterexample to the associativity of an operator.

    Also checks the identity, if the operator has one.

    Parameters
    ----------
    op : callable or OwnMonoid
        The function, or the result of `monoid`.
    samples : iterable
        Operands to try.
    triples : int, default 20000
        The largest number of triples. If there are more combinations, random ones are drawn.
    seed : int, default 1
        The seed of the random triples.

    Returns
    -------
    str or None
        A sentence with the counterexample, or None if no triple gave one.

    Raises
    ------
    TypeError
        If `op` is not a function.

    See Also
    --------
    monoid

    Notes
    -----
    The two groupings of a triple are compared by ==. Floats, complex numbers and arrays of them may
    differ by 16 units in the last place of the largest operand or intermediate result, which
    rounding can explain.

    Examples
    --------
    >>> upsweep.check_monoid(lambda a, b: a - b, [1, 2, 3])
    '(1 . 1) . 1 is -1, but 1 . (1 . 1) is 1: the function is not associative'
    """
    own = op if isinstance(op, OwnMonoid) else None
    function = own.function if own else op
    if not callable(function):
        raise TypeError(
            f"check_monoid: {op!r} is not a function; the operators of the library are associative"
        )
    values = list(samples)
    identity = own.identity if own else _NOTHING
    if identity is not _NOTHING:
        for a in values:
            for left, right in ((identity, a), (a, identity)):
                result = function(left, right)
                if not _agree(result, a, [a]):
                    return f"{left!r} . {right!r} is {result!r}: {identity!r} is not an identity"
    all_triples: Iterable[tuple[Any, Any, Any]] = itertools.product(values, repeat=3)
    if len(values) ** 3 > triples:
        draw = random.Random(seed)
        all_triples = (tuple(draw.choices(values, k=3)) for _ in range(triples))
    for a, b, c in all_triples:
        ab, bc = function(a, b), function(b, c)
        left, right = function(ab, c), function(a, bc)
        if not _agree(left, right, [a, b, c, ab, bc]):
            return (
                f"({a!r} . {b!r}) . {c!r} is {left!r}, but {a!r} . ({b!r} . {c!r}) is {right!r}: "
                "the function is not associative"
            )
    return None


def _is_rounded(value):
    return (
        isinstance(value, (float, complex)) or getattr(value, "dtype", np.dtype(bool)).kind in "fc"
    )


def _agree(left, right, operands):
    if isinstance(left, (tuple, list)) and isinstance(right, (tuple, list)):
        if len(left) != len(right):
            return False
        parts = zip(left, right, *operands)
        return all(_agree(first, second, others) for first, second, *others in parts)
    if not (_is_rounded(left) and _is_rounded(right)):
        return bool(np.all(left == right))
    left, right = np.asarray(left), np.asarray(right)
    if left.shape != right.shape:
        return False
    if ((left == right) | ((left != left) & (right != right))).all():
        return True
    numbers = [np.asarray(v, complex) for v in (left, right, *operands)]
    if not all(np.isfinite(v).all() for v in numbers):  # by an overflow, which rounding may move
        return all(np.isfinite(v).all() for v in numbers[2:5])
    most = max(np.abs(v).max(initial=0) for v in numbers)
    return bool((np.abs(left - right) <= 16 * float(np.finfo(left.dtype).eps) * most).all())
