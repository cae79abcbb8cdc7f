"""Types of arguments, for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import EllipsisType
    from typing import Any, SupportsIndex

    import numpy as np
    from numpy.typing import NDArray

    from upsweep._operators import Monoid
    from upsweep._own import OwnMonoid

Integer: TypeAlias = "SupportsIndex"  # of Python or NumPy
Real: TypeAlias = "float | np.floating[Any] | np.integer[Any]"
Axis: TypeAlias = "Integer | tuple[Integer, ...] | None"
Mode: TypeAlias = Literal["reproducible", "fast"]
Tree: TypeAlias = Literal["prefix", "pairwise"]
Number: TypeAlias = "complex | np.number[Any] | np.bool_ | np.datetime64 | np.timedelta64"
Out: TypeAlias = "NDArray[Any] | tuple[NDArray[Any]] | EllipsisType | None"
Operator: TypeAlias = "str | Monoid | OwnMonoid | np.ufunc | Callable[[Any, Any], Any]"
