"""The extents of the parts that processes pass, and the distributions with such parts."""

from __future__ import annotations

import numpy as np

from ._errors import LayoutError
from .dists import Dist


def extents_along(shapes: list[tuple[int, ...]], axis: int, grid: list[int]) -> list[int]:
    """Returns the extents of the parts along an axis, by coordinate. Parts at equal coordinates must have equal
    extents."""
    extents = [-1] * grid[axis]
    for rank, shape in enumerate(shapes):
        coord = int(np.unravel_index(rank, grid)[axis])
        if extents[coord] not in (-1, shape[axis]):
            raise LayoutError(
                f"axis {axis}: the part of rank {rank} has {shape[axis]} elements, but another part at the "
                f"same place along this axis has {extents[coord]}",
                rank,
            )
        extents[coord] = shape[axis]
    return extents


def dist_of_parts(d: Dist, extents: list[int], largest: int) -> tuple[Dist, int]:
    """Returns the distribution of an axis with parts of these extents, and its size."""
    if d.kind == "unstructured":
        return d, largest + 1
    if d.kind in ("replicated", "partial", "local"):
        return d, extents[0]
    if d.kind == "block" and d.lengths is None:
        owned = [n - sum(d.padding(c, len(extents))) for c, n in enumerate(extents)]
        for c, n in enumerate(owned):
            if n < 0:
                raise LayoutError(f"a part of {extents[c]} elements is less than its padding")
        return d.with_lengths(owned), sum(owned)
    return d, sum(d.lengths) if d.lengths is not None else sum(extents)
