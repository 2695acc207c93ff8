"""Layouts on the process grid of another layout, with some of its axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from . import _core, dists
from ._errors import Error


def same_axis(layout: _core.Layout, axis: int) -> _core.DistTuple | None:
    """Returns the entry that makes an axis equal to `axis` of `layout`, including the padding.

    None means that the axis has lists of indices, or uneven padding.
    """
    facts = layout.axis(axis)
    size, procs = facts["size"], facts["procs"]
    if facts["replicated"]:
        return dists.replicated().entry(size, procs)
    if facts["dist_type"] == "c":
        return dists.cyclic(facts["block_size"], facts["first_owner"]).entry(size, procs)
    return _same_block(layout, axis, facts) if facts["dist_type"] == "b" else None


def _same_block(layout: _core.Layout, axis: int, facts: dict[str, Any]) -> _core.DistTuple | None:
    procs = range(facts["procs"])
    owned = [layout.owned(axis, c) for c in procs]
    widths = [layout.halo(axis, c) for c in procs]
    padded = dists.padded(
        max(max(w) for w in widths), facts["boundary"], facts["periodic"], widths[0][0] > 0, owned
    )
    entry = padded.entry(facts["size"], facts["procs"])
    try:
        made = _core.Layout([entry])
    except Error:
        return None
    same = all(made.halo(0, c) == widths[c] and made.extent(0, c) == layout.extent(axis, c) for c in procs)
    return entry if same else None


def entry_like(facts: dict[str, Any] | None, size: int, procs: int) -> _core.DistTuple:
    """Returns the entry of an axis of another size, distributed by the same rule as the axis with these facts."""
    if facts is not None and facts["dist_type"] == "c":
        return dists.cyclic(facts["block_size"], facts["first_owner"]).entry(size, procs)
    if facts is not None and facts["replicated"]:
        return dists.replicated().entry(size, procs)
    return dists.block().entry(size, procs)


def on_grid_of(layout: _core.Layout, entries: Sequence[_core.DistTuple]) -> _core.Layout:
    """Returns a layout with the axes `entries` on the process grid of `layout`. Ranks keep their places."""
    if layout.is_row_major:
        return _core.Layout(entries)
    return _core.Layout(entries, [layout.rank(place) for place in np.ndindex(*layout.grid)])


def kept_in(layout: _core.Layout, axes: Sequence[int]) -> _core.Layout | None:
    """Returns the layout of only the axes in `axes`, where -1 is a new axis of one element.

    The other axes must each be on one process. None means that one of them has no elements.
    """
    gone = [k for k in range(layout.ndim) if k not in axes]
    if any(layout.shape[k] == 0 for k in gone):
        return None
    extents = [1 if k in gone else n for k, n in enumerate(layout.shape)]
    made, ranks = layout.part((list(axes), [0] * layout.ndim, extents))
    return made if ranks == sorted(ranks) else made.reorder(ranks)
