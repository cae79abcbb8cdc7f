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


torch.serialization.add_safe_globals([RecurrenceState])  # which torch.load then makes


def sequences_of(b, cu_seqlens):
    return b.shape[0] if cu_seqlens is None else cu_seqlens.shape[0] - 1


# The gradient of a link has these rows of channels. They are the state of the recurrence of the
# gradients before it goes on to the tokens of the call that returned the link: its value and
# totals, the coefficient of the token after the link, the gradient of the result before the link,
# the position, and the number of calls that continued from the link.
LINK_ROWS = 1 + 2 * DIGITS + 4


def link_shape(value, linked):
    return value.shape[0], LINK_ROWS if linked else 0, value.shape[1]


def new_link(value, linked):
    """A link for gradients, or one of no rows."""
    new = value.new_zeros if linked else value.new_empty
    return new(link_shape(value, linked))


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
    if type(state) is not RecurrenceState:
        state = RecurrenceState(*state)
    value, totals, position, link = state
    linked = not isinstance(link, Tensor) or link.shape[1:2] != (0,)
    kind, device = wide(b.dtype), b.device
    parts = (
        ("value", value, kind, shape),
        ("totals", totals, kind, (shape[0], DIGITS, 2, shape[1])),
        ("position", position, torch.int64, shape[:1]),
        ("link", link, kind, (shape[0], LINK_ROWS if linked else 0, shape[1])),
    )
    for name, x, dtype, of in parts[: 3 if link is None else 4]:
        plain = type(x) is Tensor and x.layout == torch.strided
        if plain and x.dtype == dtype and x.device == device and x.shape == of:
            continue  # what most states are
        check_beside(b, x, f"state.{name}", verb, (dtype,))
        if x.shape != of:
            raise ValueError(f"{verb}: state.{name} has the shape {list(x.shape)}; give {list(of)}")
    if value.requires_grad or totals.requires_grad:
        state = RecurrenceState(value.detach(), totals.detach(), position, link)
    return state
