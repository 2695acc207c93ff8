"""Diagonals of matrices, and products of vectors."""

from __future__ import annotations

from typing import Any

import numpy as np

from . import _core, dists
from ._axes import on_grid_of, same_axis
from ._base import ArrayBase
from ._comms import agreed
from ._dispatch import implementation_of, implements
from ._elementwise import as_array, mapped, ufunc_of
from ._errors import ArgumentError, UnsupportedError
from ._given import elements_of
from ._lazy import LazyBase
from ._local_part import NDArray
from ._moves import copy, gather
from ._reduced import Reduction, in_order, replicated_layout
from ._reductions import sum_
from ._spread import is_distributed


@implements(np.trace)
def trace(a: Any, offset: int = 0) -> Any:
    call = _matrix_call("numpy.trace()", a, offset)
    values = call.values(
        lambda block, axes: np.asarray(np.add.reduce(_diagonal_of(call, offset)[1])),
        lambda parts: in_order(np.add, parts),
    )
    return call.result(values)


@implements(np.diag)
def diag(v: Any, k: int = 0) -> Any:
    return diagonal(v, k)


@implements(np.diagonal)
def diagonal(a: Any, offset: int = 0) -> Any:
    call = _matrix_call("numpy.diagonal()", a, offset)
    array = call.array
    rows, columns = array.shape
    length = max(0, min(rows + min(offset, 0), columns - max(offset, 0)))
    whole = np.empty(length if array.rank >= 0 else 0, array.dtype.newbyteorder("="))
    if array.rank >= 0:
        for places, values in array.comm.allgather(_diagonal_of(call, offset)):
            whole[places] = values
    with call.agreed():
        return as_array(array, whole, replicated_layout((length,), array.layout.nprocs))


def _matrix_call(function: str, a: Any, offset: int) -> Reduction:
    call = Reduction(function, a, None, False, offset=offset)
    with call.agreed():
        if a.ndim != 2:
            raise ArgumentError(f"{function}: the array has {a.ndim} axes, a matrix has 2")
    return call


def _diagonal_of(call: Reduction, offset: int) -> tuple[NDArray, NDArray]:
    """Returns the part of a diagonal that this process owns: places along the diagonal, and elements."""
    rows, columns = call.indices
    common, row, column = np.intersect1d(rows + offset, columns, assume_unique=True, return_indices=True)
    return common - max(offset, 0), call.block[row, column]


# ---- products ----------------------------------------------------------------------------------------------


def _check_shapes(a: Any, b: Any) -> None:
    if np.shape(a) != np.shape(b):
        raise ArgumentError(f"numpy.vdot(): the arrays have the shapes {np.shape(a)} and {np.shape(b)}")


@implements(np.vdot, check=_check_shapes, is_compared=True)
def vdot(a: Any, b: Any) -> Any:
    """Returns the sum of conj(a) * b over all elements of two arrays of the same shape."""
    if all(getattr(x, "dtype", None) == np.bool_ for x in (a, b)):  # in numpy, a sum of truth values is a truth value
        return np.any(np.logical_and(a, b))
    products = mapped("numpy.vdot", lambda a, b: np.conj(a) * b, a, b)
    return sum_(products, dtype=products.dtype)


def _check_arrays(a: Any, b: Any) -> None:
    for x in (a, b):
        if not is_distributed(x):
            elements_of(x, "an operand")


def _check_inner(a: Any, b: Any) -> None:
    axes = np.ndim(a), np.ndim(b)
    if 0 not in axes and axes != (1, 1):
        raise UnsupportedError("numpy.inner of distributed arrays is for vectors: a @ b.T is the product of matrices")


@implements(np.inner, check=_check_inner, is_own=True)
def inner(a: Any, b: Any) -> Any:
    return dot(a, b)


@implements(np.dot, check=_check_arrays, is_own=True)
def dot(a: Any, b: Any) -> Any:
    if 0 in (np.ndim(a), np.ndim(b)):
        return np.multiply(a, b)
    product = implementation_of(np.matmul)
    assert product is not None
    return product.function(a, b)


def _check_vectors(a: Any, b: Any) -> None:
    for x in (a, b):
        if np.ndim(x) != 1:
            raise ArgumentError(f"numpy.outer(): {np.ndim(x)} axes; distributed vectors have 1")


@implements(np.outer, check=_check_vectors, is_compared=True)
def outer(a: Any, b: Any) -> Any:
    """Returns the outer product. Its rows are distributed like a, or its columns like b if a is not distributed."""
    by_rows = is_distributed(a)
    own, other = (a, b) if by_rows else (b, a)
    first: Any = copy(own) if isinstance(own, LazyBase) else own
    numbers = gather(other, None) if is_distributed(other) else np.asarray(other)
    assert numbers is not None
    with agreed(first.over, "numpy.outer()"):
        made = as_array(first, *_of_outer(first, numbers, by_rows))
    ones = (slice(None), None) if by_rows else (None, slice(None))
    turned = numbers[None, :] if by_rows else numbers[:, None]
    return ufunc_of(np.multiply, (first[ones], np.broadcast_to(turned, made.shape)), {"out": (made,)})


def _of_outer(first: ArrayBase, numbers: NDArray, by_rows: bool) -> tuple[NDArray, _core.Layout]:
    same = same_axis(first.layout, 0)
    if same is None:
        raise UnsupportedError("numpy.outer(): an axis of lists or of uneven padding: redistribute('block') it")
    entries = [same, dists.local().entry(len(numbers), 1)]
    layout = on_grid_of(first.layout, entries if by_rows else entries[::-1])
    extents = first.local.shape + numbers.shape if first.rank >= 0 else (0, 0)
    return np.zeros(extents if by_rows else extents[::-1], np.result_type(first.dtype, numbers.dtype)), layout
