"""Pictures of layouts: who owns what, as SVG.

The first two axes are drawn, at index 0 of the others, or those of a plane: the first downwards, the second
to the right. Each process has its colour and its number; what other processes have copies of, as padding or
ghosts, is hatched, and boundary padding dotted.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from html import escape
from itertools import product
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from ._core import Layout
from ._errors import ArgumentError

#: The command's tints (bridge/cli/svg.c), which readers with colour blindness can tell apart.
_COLOURS = ("#bce4fe", "#adaf44", "#6df3be", "#c17da0", "#6fb4e4", "#ed917c", "#f1e686", "#7f89ea")
_INTERVALS = 40
_WIDTH, _HEIGHT, _BAR = 560, 360, 56
_LEFT, _TOP, _GAP = 64, 62, 24
_FONT = 'font-family="sans-serif" font-size="12"'


_Ends = npt.NDArray[np.float64]


class _Interval(NamedTuple):
    start: int
    stop: int
    coord: int  # -1: not known here


class _Axis(NamedTuple):
    """An axis as it is drawn: intervals of one owner, from index 0 on."""

    number: int  # of the layout's axes
    intervals: list[_Interval]
    copies: list[tuple[int, int]]
    boundary: list[tuple[int, int]]
    size: int
    shown: int
    spread: int  # processes that each have all of it; 0: each has its own part
    word: str  # what they have


def svg(layout: Layout, plane: Sequence[int | None] | None = None) -> str:
    """The layout's picture.

    Parameters
    ----------
    plane
        The index along each axis; None along the one or two that are drawn. (3, None, None) are the elements
        (3, i, j). The default is the first two axes, at index 0 of the others.

    Raises
    ------
    ArgumentError
        The array has no such plane.

    Examples
    --------
    >>> from dapbridge.draw import svg
    >>> layout = dapbridge.layout((4, 2, 6), 8, ["block", "cyclic", "block"])
    >>> picture = svg(layout, (3, None, None))
    """
    cut = plane_of(layout, plane)
    axes = [_axis(layout, k) for k, index in enumerate(cut) if index < 0]
    if not axes:
        axes = [_Axis(-1, [_Interval(0, 1, 0)], [], [], 1, 1, 0, "")]
    columns, rows = axes[-1], axes[0] if len(axes) > 1 else None
    width, height = _extents(rows, columns)
    xs = _scale(columns, width, _LEFT)
    ys = _scale(rows, height, _TOP) if rows else np.array([_TOP, _TOP + _BAR], float)
    cells = _cells(layout, cut, rows, columns, xs, ys)
    body = [
        *_fills(cells),
        *_hatches(rows, columns, xs, ys),
        *_numbers(cells),
        *_ticks(rows, columns, xs, ys),
    ]
    notes = "; ".join(_notes(cut, axes))
    words = max(8 * len(layout.summary()), 6 * len(notes))
    full, high = _LEFT + max(int(width) + 30, words + 10), int(_TOP + height + 36)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{full}" height="{high}" '
        f'viewBox="0 0 {full} {high}" {_FONT} role="img">'
        f"<title>{escape(layout.summary())}</title>{_PATTERNS}"
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="{_LEFT}" y="18" font-weight="bold">{escape(layout.summary())}</text>'
        f'{"".join(body)}'
        f'<text x="{_LEFT}" y="{high - 12}" fill="#444" font-size="11">{escape(notes)}</text></svg>'
    )


_PATTERNS = (
    '<defs><pattern id="dap-copies" width="6" height="6" patternUnits="userSpaceOnUse" '
    'patternTransform="rotate(45)"><line x1="0" y1="0" x2="0" y2="6" stroke="#222" stroke-width="1.4" '
    'stroke-opacity="0.55"/></pattern><pattern id="dap-boundary" width="5" height="5" '
    'patternUnits="userSpaceOnUse"><circle cx="2.5" cy="2.5" r="1.1" fill="#222" fill-opacity="0.65"/>'
    "</pattern></defs>"
)


# ---- what there is to draw ----


def plane_of(layout: Layout, plane: Sequence[int | None] | None) -> tuple[int, ...]:
    """A plane with -1 in place of None; ArgumentError: there is no such plane."""
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


def _axis(layout: Layout, axis: int) -> _Axis:
    facts = layout.axis(axis)
    size, procs = facts["size"], facts["procs"]
    if facts["replicated"] or facts["partial"]:
        copies = [(0, size)] if procs > 1 else []
        word = "a copy" if facts["replicated"] else "a term"
        return _Axis(axis, [_Interval(0, size, 0)], copies, [], size, size, procs, word)
    known = [c for c in range(procs) if layout.knows(axis, c)]
    found = [
        _Interval(start, start + length, c)
        for c in known
        for start, _, length in layout.runs(axis, c)
    ]
    intervals = _with_gaps(sorted(found), size)
    low, high = facts["boundary"]
    boundary = [r for r in ((0, low), (size - high, size)) if r[0] < r[1]]
    shown = intervals[_INTERVALS - 1].stop if len(intervals) > _INTERVALS else size
    return _Axis(axis, intervals[:_INTERVALS], _copies(layout, axis, known), boundary, size, shown, 0, "")


def _with_gaps(found: Sequence[_Interval], size: int) -> list[_Interval]:
    """Joined where the owner is the same, and with what nobody is known to own."""
    result: list[_Interval] = []
    end = 0
    for interval in [*found, _Interval(size, size, -2)]:
        if interval.start > end:
            result.append(_Interval(end, interval.start, -1))
        if result and result[-1].coord == interval.coord and result[-1].stop == interval.start:
            result[-1] = result[-1]._replace(stop=interval.stop)
        elif interval.stop > interval.start:
            result.append(interval)
        end = max(end, interval.stop)
    return result


def _copies(layout: Layout, axis: int, known: Sequence[int]) -> list[tuple[int, int]]:
    """Ranges of indices that processes have besides their owner."""
    facts = layout.axis(axis)
    if facts["dist_type"] == "c" or facts["size"] == 0:
        return []
    ranges: list[tuple[int, int]] = []
    if facts["dist_type"] == "u":
        flags = np.zeros(facts["size"], np.bool_)
        for c in known:
            listed = np.asarray(layout.dim(None, axis, c)[9])
            flags[listed[~np.frombuffer(layout.is_owned(axis, c), np.bool_)]] = True
        edges = np.flatnonzero(np.diff(np.pad(flags, 1).astype(np.int8)))
        return [(int(a), int(b)) for a, b in zip(edges[::2], edges[1::2])]
    for c in known:
        low, high = layout.halo(axis, c)
        for start, _, length in layout.runs(axis, c):
            for a, b in ((start - low, start), (start + length, start + length + high)):
                if a < b:
                    ranges.append((a % facts["size"], (b - 1) % facts["size"] + 1))
    return [r for r in ranges if r[0] < r[1]]


# ---- where it is drawn ----


def _extents(rows: _Axis | None, columns: _Axis) -> tuple[float, float]:
    if rows is None:
        return _WIDTH, _BAR
    ratio = max(rows.shown, 1) / max(columns.shown, 1)
    height = min(max(_WIDTH * ratio, 90.0), float(_HEIGHT))
    return min(max(height / ratio, 140.0), float(_WIDTH)), height


def _scale(axis: _Axis, length: float, first: float) -> _Ends:
    """The coordinates of the ends of the intervals."""
    ends = [0] + [i.stop for i in axis.intervals]
    return first + np.asarray(ends, float) / max(axis.shown, 1) * length


def _place(axis: _Axis | None, index: float, ends: _Ends) -> float:
    if axis is None or axis.shown == 0:
        return float(ends[0])
    return float(ends[0] + min(index, axis.shown) / axis.shown * (ends[-1] - ends[0]))


class _Cell(NamedTuple):
    rank: int  # -1: not known here
    label: str
    x: float
    y: float
    width: float
    height: float


def _cells(
    layout: Layout, cut: Sequence[int], rows: _Axis | None, columns: _Axis, xs: _Ends, ys: _Ends
) -> list[_Cell]:
    """The rectangles of one owner."""
    places: list[Sequence[int]] = [
        [_owner(layout, k, index)] if index >= 0 else [] for k, index in enumerate(cut)
    ]
    cells = []
    for i, row in enumerate(rows.intervals if rows else [_Interval(0, 1, 0)]):
        for j, column in enumerate(columns.intervals):
            for interval, axis in ((row, rows), (column, columns)):
                if axis and axis.number >= 0:
                    places[axis.number] = range(axis.spread) if axis.spread else [interval.coord]
            ranks = _ranks(layout, places)
            label = ", ".join(map(str, ranks[:4])) + (", ..." if len(ranks) > 4 else "")
            rank = ranks[0] if ranks else -1
            cells.append(_Cell(rank, label or "?", xs[j], ys[i], xs[j + 1] - xs[j], ys[i + 1] - ys[i]))
    return cells


def _ranks(layout: Layout, places: Sequence[Sequence[int]]) -> list[int]:
    """The processes at all combinations of these coordinates, of which -1 is not known here."""
    return [layout.rank(coords) for coords in product(*places) if min(coords, default=0) >= 0]


def _owner(layout: Layout, axis: int, index: int) -> int:
    """The coordinate that owns an index of an axis; -1: not known here."""
    for coord in range(layout.axis(axis)["procs"]):
        if layout.knows(axis, coord):
            if any(start <= index < start + length for start, _, length in layout.runs(axis, coord)):
                return coord
    return -1


def _fills(cells: Sequence[_Cell]) -> list[str]:
    paths: dict[int, list[str]] = {}
    for c in cells:
        path = f"M{c.x:.1f} {c.y:.1f}h{c.width:.1f}v{c.height:.1f}h{-c.width:.1f}z"
        paths.setdefault(c.rank, []).append(path)
    return [
        f'<path d="{"".join(path)}" fill="{_COLOURS[rank % len(_COLOURS)] if rank >= 0 else "white"}" '
        f'stroke="#444" stroke-width="0.8"><title>'
        f'{f"process {rank}" if rank >= 0 else "not known on this process"}</title></path>'
        for rank, path in sorted(paths.items())
    ]


def _numbers(cells: Sequence[_Cell]) -> list[str]:
    return [
        f'<text x="{c.x + c.width / 2:.1f}" y="{c.y + c.height / 2 + 4:.1f}" text-anchor="middle" '
        f'stroke="white" stroke-width="3" paint-order="stroke">{c.label}</text>'
        for c in cells
        if c.width >= 7 * len(c.label) + 5 and c.height >= 14
    ]


def _hatches(rows: _Axis | None, columns: _Axis, xs: _Ends, ys: _Ends) -> list[str]:
    """Over what is copied to other processes, and over boundary padding."""
    result = []
    for axis, along, across, is_row in ((columns, xs, ys, False), (rows, ys, xs, True)):
        for pattern, ranges in (("copies", axis.copies), ("boundary", axis.boundary)) if axis else ():
            for a, b in ranges:
                p, q = _place(axis, a, along), _place(axis, b, along)
                x, y = (across[0], p) if is_row else (p, across[0])
                other = across[-1] - across[0]
                w, h = (other, q - p) if is_row else (q - p, other)
                result.append(
                    f'<rect x="{x:.1f}" y="{y:.1f}" width="{w:.1f}" height="{h:.1f}" '
                    f'fill="url(#dap-{pattern})"/>'
                )
    return result


def _ticks(rows: _Axis | None, columns: _Axis, xs: _Ends, ys: _Ends) -> list[str]:
    """Where intervals begin, as far as numbers have room, and the axes' names."""
    grey = 'fill="#444" font-size="11"'
    result = [
        f'<text x="{x:.1f}" y="{ys[0] - 5:.1f}" text-anchor="middle" {grey}>{n}</text>'
        for x, n in _spaced(columns, xs, 9.0 * len(str(columns.size)))
    ]
    middle = (xs[0] + xs[-1]) / 2
    name = f"axis {max(columns.number, 0)}"
    result.append(f'<text x="{middle:.1f}" y="{ys[0] - 22:.1f}" text-anchor="middle" {grey}>{name}</text>')
    if rows:
        result += [
            f'<text x="{xs[0] - 6:.1f}" y="{y + 4:.1f}" text-anchor="end" {grey}>{n}</text>'
            for y, n in _spaced(rows, ys, 12.0)
        ]
        middle = (ys[0] + ys[-1]) / 2
        result.append(
            f'<text transform="translate(16 {middle:.1f}) rotate(-90)" text-anchor="middle" {grey}>'
            f"axis {rows.number}</text>"
        )
    return result


def _spaced(axis: _Axis, ends: _Ends, room: float) -> list[tuple[float, int]]:
    """Places and indices of ticks: both ends, and between them what has room."""
    indices = [0] + [i.stop for i in axis.intervals]
    result = [(float(ends[0]), 0)]
    for end, index in zip(ends[1:-1], indices[1:-1]):
        if end - result[-1][0] >= room and ends[-1] - end >= room:
            result.append((float(end), index))
    if ends[-1] > ends[0]:
        result.append((float(ends[-1]), indices[-1]))
    return result


def _notes(cut: Sequence[int], axes: Sequence[_Axis]) -> list[str]:
    """What the picture leaves out or cannot show, in words."""
    notes = [f"axis {a.number}: {a.word} on each of {a.spread}" for a in axes if a.spread > 1]
    notes += [f"axis {a.number} is drawn to {a.shown} of {a.size}" for a in axes if a.shown < a.size]
    if any(a.copies and not a.spread for a in axes):
        notes.append("hatched: copies on other processes")
    if any(a.boundary for a in axes):
        notes.append("dotted: boundary padding")
    places = [f"{index} of axis {k}" for k, index in enumerate(cut) if index >= 0]
    if places:
        notes.append("at index " + ", ".join(places))
    return notes
