"""Products of integers and of truth values. The results are integers, as in numpy, and exact unless they overflow.

If no sum can exceed 2^53, ScaLAPACK multiplies the matrices in float64, and the exact result is converted to integers.
Otherwise each process uses numpy to multiply the rows and columns that its part of the result needs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ._axes import on_grid_of, same_axis
from ._elementwise import as_array, mapped
from ._errors import ArgumentError
from ._local_part import NDArray
from ._memory import new_result
from ._moves import copy, gather, move
from ._operands import Frame, Use
from ._product_layouts import layout_of_matrices
from ._reduced import replicated_layout
from ._reductions import max_, min_, sum_
from .array import Array, Lazy
from .dists import replicated

_LARGEST = 2**53
#: Bytes of rows and columns that a process receives at a time.
_AT_ONCE = 2**26


def integer_type(a: Any, b: Any) -> np.dtype[Any] | None:
    """Returns the type of the product. None means that the product is not a product of integers."""
    kind = np.result_type(a.dtype, b.dtype).newbyteorder("=")
    return kind if all(x.kind in "iub" for x in (a.dtype, b.dtype, kind)) else None


def fits_in_floats(a: Any, b: Any, count: int) -> bool:
    """True if every sum of `count` products is an integer that float64 represents exactly. Collective."""
    return _magnitude(a) * _magnitude(b) * count <= _LARGEST


def _magnitude(x: Any) -> int:
    """Returns the largest absolute value."""
    if x.dtype == np.bool_ or x.size == 0:
        return 1
    largest, smallest = (max_(x), min_(x)) if isinstance(x, Array) else (np.max(x), np.min(x))
    return max(int(largest), -int(smallest))


def converted(x: Any, kind: np.dtype[Any]) -> Any:
    """Converts a product with integer values, which was computed in floats, to an integer type. Not collective."""
    elements = np.asarray(x.local if isinstance(x, Array) else x)
    numbers: NDArray = elements != 0 if kind == np.bool_ else elements.astype(np.int64).astype(kind)
    return as_array(x, numbers) if isinstance(x, Array) else numbers[()]


def integer_dot(a: Any, b: Any, kind: np.dtype[Any]) -> Any:
    """Returns the product of two vectors. Collective."""
    if isinstance(a, Array) and isinstance(b, Array):
        b = b.redistribute(a)
    return sum_(mapped("linalg.matmul", np.multiply, a, b), dtype=kind)


def integer_product(frame: Frame, left: Any, right: Any) -> Array:
    """Returns the product of two matrices. The product is replicated if both operands are numpy arrays. Collective."""
    with frame.agreed():
        if isinstance(left, Array) or isinstance(right, Array):
            layout = layout_of_matrices(left, "N", right, "N")
        else:
            layout = replicated_layout((left.shape[0], right.shape[1]), frame.nprocs)
        if left.shape[1] != right.shape[0]:
            shapes = " and ".join(f"{rows} x {columns}" for rows, columns in (left.shape, right.shape))
            raise ArgumentError(f"{frame.function}: the matrices are {shapes}")
        product = frame.new(layout).array
        extents = [max(layout.extent(k, c) for c in range(p)) for k, p in enumerate(layout.grid)]
        step = max(1, _AT_ONCE // (frame.dtype.itemsize * max(1, sum(extents))))
    count = left.shape[1]
    for start in range(0, count, step):
        part = slice(start, min(start + step, count))
        pieces = [_piece(frame, x, k, part, product) for k, x in enumerate((left, right))]
        with frame.agreed():
            product.local[...] += pieces[0].astype(frame.dtype) @ pieces[1].astype(frame.dtype)
    return product


def _piece(frame: Frame, x: Any, axis: int, part: slice, product: Array) -> NDArray:
    """Returns columns `part` of a matrix in this process's rows (axis 0), or rows `part` in its columns (axis 1)."""
    layout = product.layout
    key = (slice(None), part) if axis == 0 else (part, slice(None))
    if not isinstance(x, Array):
        return np.asarray(x[key].take(product.indices()[axis], axis))
    entries = [same_axis(layout, k) if k == axis else replicated().entry(part.stop - part.start, p)
               for k, p in enumerate(layout.grid)]  # fmt: skip
    target = new_result(Array, on_grid_of(layout, [e for e in entries if e is not None]), frame.comm, x.dtype)
    move(x if part == slice(0, x.shape[1 - axis]) else x[key], target, fill_halos=True)
    return target.local


def as_matrix(x: Any, trans: str, is_left: bool) -> Any:
    """Returns an operand as a matrix. Each process needs all of a vector, so a vector becomes a numpy array.

    Collective.
    """
    if x.ndim == 2:
        return copy(Lazy(x).T) if trans != "N" else x
    whole = gather(x, None) if isinstance(x, Array) else x
    assert whole is not None
    return whole[None, :] if is_left else whole[:, None]


def uses_of(left: Any, right: Any) -> list[Use]:
    """Returns the entries of a report for both operands."""
    reason = "integers beyond 2^53 are multiplied by numpy"
    moved = [int(x.local.nbytes) if isinstance(x, Array) else 0 for x in (left, right)]
    return [Use(name, False, n, reason) for name, n in zip("AB", moved)]
