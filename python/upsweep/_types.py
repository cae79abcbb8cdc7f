"""Types of arguments, for annotations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import EllipsisType
    from typing import Any

    from numpy.typing import NDArray

    from upsweep._operators import Monoid
    from upsweep._own import OwnMonoid

Axis: TypeAlias = "int | tuple[int, ...] | None"
Mode: TypeAlias = Literal["reproducible", "fast"]
Tree: TypeAlias = Literal["prefix", "pairwise"]
Number: TypeAlias = "int | float | complex"
Out: TypeAlias = "NDArray[Any] | tuple[NDArray[Any]] | EllipsisType | None"
Operator: TypeAlias = "str | Monoid | OwnMonoid | Callable[[Any, Any], Any]"
