"""Pictures of layouts in SVG. They show which process owns which elements.

By default a picture shows the first two axes, at index 0 of the others. A plane selects other axes or indices. The
first axis points downwards, and the second to the right. Elements have the colour and the number of their owner.
Elements that other processes have as padding or ghosts are hatched, and boundary padding is dotted. A legend explains
the colours.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence

from ._core import Layout
from ._errors import ArgumentError


def svg(layout: Layout, plane: Sequence[int | None] | None = None) -> str:
    """Draws a layout as a picture that shows which process owns which elements.

    Parameters
    ----------
    layout
        The layout.
    plane
        One entry for each axis: None for the one or two axes that are drawn, and an index for each other axis. (3,
        None, None) draws the elements (3, i, j). By default the first two axes are drawn, at index 0 of the others.

    Returns
    -------
    str
        The picture in SVG.

    Raises
    ------
    ArgumentError
        The layout does not have such a plane.

    Examples
    --------
    >>> from dapbridge.draw import svg
    >>> layout = dapbridge.layout((4, 2, 6), 8, ["block", "cyclic", "block"])
    >>> picture = svg(layout, (3, None, None))
    """
    return layout._repr_svg_(plane)


def plane_of(layout: Layout, plane: Sequence[int | None] | None) -> tuple[int, ...]:
    """Returns a plane with -1 instead of None. Raises ArgumentError if the layout does not have the plane."""
    if plane is None:
        return tuple(-1 if k < 2 else 0 for k in range(layout.ndim))
    indices = [None if index is None else operator.index(index) for index in plane]
    if len(indices) != layout.ndim:
        raise ArgumentError(f"plane: {len(indices)} indices of an array of {layout.ndim} axes")
    for axis, (index, size) in enumerate(zip(indices, layout.shape)):
        if index is not None and not 0 <= index < size:
            raise ArgumentError(f"plane: axis {axis}: index {index} is outside 0 .. {size - 1}")
    if indices.count(None) not in (1, 2):
        raise ArgumentError(f"plane: {indices.count(None)} axes are None, and 1 or 2 can be drawn")
    return tuple(-1 if index is None else index for index in indices)
