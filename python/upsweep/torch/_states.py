"""States of recurrences, their links for gradients, and the checks of both and of offsets."""

from typing import NamedTuple, Optional

import torch  # type: ignore[import-not-found]
from torch import Tensor  # type: ignore[import-not-found]

from upsweep._anchored import DIGITS
from upsweep.torch._tensors import check_beside, wide


class RecurrenceState(NamedTuple):
    """The state after some tokens, as `upsweep.RecurrenceState`, of tensors: `value` [B, D],
    `totals` [B, 8, 2, D] and `position` [B]. `link` is what gradients go through; without it the
    state is a constant."""

    value: Tensor
    totals: Tensor
    position: Tensor
    link: Optional[Tensor] = None

    def detach(self):
        """The state as a constant: gradients end here, for training on truncated sequences."""
        return RecurrenceState(*(x.detach() for x in self[:3]))


def sequences_of(b, cu_seqlens):
    return b.shape[0] if cu_seqlens is None else cu_seqlens.shape[0] - 1


# The gradient of a link has these rows of channels. They are the state of the recurrence of the
# gradients before it goes on to the tokens of the call that returned the link: its value and
# totals, the coefficient of the token after the link, the gradient of the result before the link,
# the position, and the number of calls that continued from the link.
LINK_ROWS = 1 + 2 * DIGITS + 4


def link_shape(value, linked):
    return value.shape[0], LINK_ROWS if linked else 0, value.shape[1]


def checked_cuts(x, name, cu_seqlens, verb):
    """Offsets of the sequences of a batch of 1."""
    check_beside(x, cu_seqlens, "cu_seqlens", verb, (torch.int32, torch.int64))
    if cu_seqlens.ndim != 1 or cu_seqlens.shape[0] == 0 or x.shape[0] != 1:
        raise ValueError(
            f"{verb}: cu_seqlens has the shape {list(cu_seqlens.shape)} and {name} a batch of "
            f"{x.shape[0]}; give offsets in one dimension and a batch of 1"
        )
    return cu_seqlens.long()


def checked_state(state, shape, b, verb):
    if not isinstance(state, tuple) or len(state) not in (3, 4):
        raise TypeError(f"{verb}: state is a {type(state).__name__}; give a RecurrenceState")
    state = RecurrenceState(*state)
    shapes = shape, (shape[0], DIGITS, 2, shape[1]), shape[:1]
    dtypes = wide(b.dtype), wide(b.dtype), torch.int64
    for x, name, of, kind in zip(state, RecurrenceState._fields, shapes, dtypes):
        check_beside(b, x, f"state.{name}", verb, (kind,))
        if tuple(x.shape) != of:
            raise ValueError(f"{verb}: state.{name} has the shape {list(x.shape)}; give {list(of)}")
    if state.link is not None:
        check_beside(b, state.link, "state.link", verb, dtypes[:1])
        if tuple(state.link.shape) not in (link_shape(state.value, n) for n in (False, True)):
            raise ValueError(f"{verb}: state.link has the shape {list(state.link.shape)}; give "
                             f"{list(link_shape(state.value, True))}")  # fmt: skip
    constants = (x.detach() if x.requires_grad else x for x in state[:3])
    return RecurrenceState(*constants, state.link)
