"""The layout of a product. Rows are distributed like the left operand's, and columns like the right operand's."""

from __future__ import annotations

from typing import Any

from . import _core
from ._layouts import layout_on
from ._operands import Frame, axis_like, made_of
from .array import Array
from .dists import Dist, block, unstructured

#: An operand, and its axis that is along an axis of the product.
Side = tuple[Any, int]


def layout_of_product(frame: Frame, a: Any, trans_a: str, b: Any, trans_b: str) -> _core.Layout:
    """Returns the layout of op(a) op(b), where a has two axes, and b has one or two. Collective."""
    sides = _sides(a, trans_a, b, trans_b)
    with frame.agreed():
        layout = layout_of_matrices(a, trans_a, b, trans_b) if b.ndim == 2 else _of_vector(*sides[0], frame.nprocs)
    if not any(_is_listed(x, axis, layout, k) for k, (x, axis) in enumerate(sides)):
        return layout
    with frame.agreed():
        dists = [_dist_of(x, axis, layout, k) for k, (x, axis) in enumerate(sides)]
    return layout_on(layout.shape, frame.comm, dists, layout.grid, is_free=True)


def layout_of_matrices(a: Any, trans_a: str, b: Any, trans_b: str) -> _core.Layout:
    """Returns the layout of op(a) op(b), on the grid of a, or on the grid of b if a is a numpy array. Not collective.

    Axes with index lists are distributed in blocks.
    """
    template = a.layout if isinstance(a, Array) else b.layout
    sides = _sides(a, trans_a, b, trans_b)
    shape = [x.shape[axis] for x, axis in sides]
    dists = [(block(), procs) for procs in template.grid]
    for k, (x, axis) in enumerate(sides):
        if isinstance(x, Array) and x.layout.grid[axis] == template.grid[k]:
            dists[k] = axis_like(x.layout, axis, shape[k])
    return made_of(dists, shape, template, (0, 1))


def _sides(a: Any, trans_a: str, b: Any, trans_b: str) -> list[Side]:
    sides = [(a, int(trans_a != "N")), (b, int(trans_b == "N"))]
    return sides[: b.ndim]


def _of_vector(a: Any, axis: int, nprocs: int) -> _core.Layout:
    """Returns the layout of op(a) times a vector: that of op(a)'s rows if they are on all processes, else blocks."""
    size = a.shape[axis]
    if isinstance(a, Array) and a.layout.grid[axis] == nprocs:
        return made_of([axis_like(a.layout, axis, size)], (size,), a.layout, (axis,))
    return _core.Layout([block().entry(size, nprocs)])


def _is_listed(x: Any, axis: int, layout: _core.Layout, k: int) -> bool:
    """True if axis k of the product can have the lists of an operand's axis. Each process knows only the lists that it
    holds."""
    if not isinstance(x, Array) or x.layout.axis(axis)["dist_type"] != "u" or x.layout.axis(axis)["replicated"]:
        return False
    if not (x.layout.is_row_major and layout.is_row_major) or x.layout.grid[axis] != layout.grid[k]:
        return False
    return layout.grid[k] == layout.nprocs or (axis == k and x.layout.grid == layout.grid)


def _dist_of(x: Any, axis: int, layout: _core.Layout, k: int) -> Dist:
    if not _is_listed(x, axis, layout, k):
        return axis_like(layout, k, layout.shape[k])[0]
    return unstructured(x.indices()[axis][x.owned_positions()[axis]])
