"""Sums, minima, maxima, means and other reductions over all or some axes."""

from __future__ import annotations

import math
import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from ._dispatch import implements
from ._local_part import NDArray
from ._reduced import Axes, Reduction, in_order


def _by_ufunc(
    function: str, ufunc: np.ufunc, a: Any, axis: Any, keepdims: Any, dtype: npt.DTypeLike = None
) -> Any:
    call = Reduction(function, a, axis, keepdims, dtype=dtype)
    if ufunc.identity is None:
        call.require_elements(f"zero-size array to reduction operation {ufunc.__name__} which has no identity")
    return call.result(_values(call, ufunc, dtype))


def _values(call: Reduction, ufunc: np.ufunc, dtype: npt.DTypeLike = None) -> NDArray:
    return call.values(
        lambda block, axes: np.asarray(ufunc.reduce(block, axis=axes, dtype=dtype)),
        lambda parts: in_order(ufunc, parts),
    )


@implements((np.add, "reduce"))
@implements(np.sum)
def sum_(a: Any, axis: Any = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.sum()", np.add, a, axis, keepdims, dtype)


@implements((np.multiply, "reduce"))
@implements(np.prod)
def prod(a: Any, axis: Any = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.prod()", np.multiply, a, axis, keepdims, dtype)


@implements((np.minimum, "reduce"))
@implements(np.min)
@implements(np.amin)
def min_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.min()", np.minimum, a, axis, keepdims)


@implements((np.maximum, "reduce"))
@implements(np.max)
@implements(np.amax)
def max_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.max()", np.maximum, a, axis, keepdims)


@implements((np.logical_and, "reduce"))
@implements(np.all)
def all_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.all()", np.logical_and, a, axis, keepdims)


@implements((np.logical_or, "reduce"))
@implements(np.any)
def any_(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _by_ufunc("numpy.any()", np.logical_or, a, axis, keepdims)


@implements(np.count_nonzero)
def count_nonzero(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    call = Reduction("numpy.count_nonzero()", a, axis, keepdims)
    values = call.values(
        lambda block, axes: np.asarray(np.add.reduce(block != 0, axis=axes, dtype=np.intp)),
        lambda parts: in_order(np.add, parts),
    )
    count = call.result(values)
    return int(count) if axis is None and call.is_number else count


# ---- means -----------------------------------------------------------------------------------------------


@implements(np.mean)
def mean(a: Any, axis: Any = None, dtype: npt.DTypeLike = None, *, keepdims: bool = False) -> Any:
    call = Reduction("numpy.mean()", a, axis, keepdims, dtype=dtype)
    if call.count == 0:
        warnings.warn("Mean of empty slice.", RuntimeWarning, stacklevel=2)
    return call.result(_cast(_means(call, dtype), call, dtype))


@implements(np.var)
def var(
    a: Any, axis: Any = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
) -> Any:
    call = Reduction("numpy.var()", a, axis, keepdims, dtype=dtype, ddof=ddof)
    return call.result(_cast(_variances(call, dtype, ddof), call, dtype))


@implements(np.std)
def std(
    a: Any, axis: Any = None, dtype: npt.DTypeLike = None, *, ddof: float = 0, keepdims: bool = False
) -> Any:
    call = Reduction("numpy.std()", a, axis, keepdims, dtype=dtype, ddof=ddof)
    return call.result(_cast(np.sqrt(_variances(call, dtype, ddof)), call, dtype))


def _sum_type(call: Reduction, dtype: npt.DTypeLike) -> npt.DTypeLike:
    """Returns the type of sums for means: float64 for integers, float32 for float16."""
    own = call.array.dtype
    if dtype is None and own.kind in "iub":
        return np.float64
    return np.float32 if dtype is None and own == np.float16 else dtype


def _cast(values: NDArray, call: Reduction, dtype: npt.DTypeLike) -> NDArray:
    return values.astype(np.float16) if dtype is None and call.array.dtype == np.float16 else values


def _means(call: Reduction, dtype: npt.DTypeLike) -> NDArray:
    return _divided(_values(call, np.add, _sum_type(call, dtype)), call.count)


def _variances(call: Reduction, dtype: npt.DTypeLike, ddof: float) -> NDArray:
    if ddof >= call.count:
        warnings.warn("Degrees of freedom <= 0 for slice", RuntimeWarning, stacklevel=3)
    means = call.along(_means(call, dtype))

    def squares(block: NDArray, axes: Axes) -> Any:
        x = block - means
        is_complex = call.array.dtype.kind == "c"
        return np.add.reduce(x.real**2 + x.imag**2 if is_complex else x * x, axis=axes, dtype=dtype)

    total = call.values(squares, lambda parts: in_order(np.add, parts))
    return _divided(total, max(call.count - ddof, 0))


def _divided(total: NDArray, count: float) -> NDArray:
    """Returns the quotients, with the type of the sums."""
    with np.errstate(all="ignore"):
        quotients: NDArray = np.true_divide(total, count, out=np.empty_like(total), casting="unsafe")
        return quotients


# ---- places of extremes ------------------------------------------------------------------------------------


@implements(np.argmin)
def argmin(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _place_of("argmin", a, axis, keepdims)


@implements(np.argmax)
def argmax(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return _place_of("argmax", a, axis, keepdims)


def _place_of(name: str, a: Any, axis: Any, keepdims: Any) -> Any:
    call = Reduction(f"numpy.{name}()", a, axis, keepdims)
    if call.count == 0:
        call.require_elements(f"attempt to get {name} of an empty sequence")
    find = getattr(np, name)
    types = np.dtype([("value", call.array.dtype.newbyteorder("=")), ("index", np.int64)])

    def partial(block: NDArray, axes: Axes) -> NDArray:
        rows = np.moveaxis(block, axes, range(-len(axes), 0))
        rows = rows.reshape(*rows.shape[: len(call.kept)], math.prod(block.shape[k] for k in axes))
        place = np.expand_dims(find(rows, -1), -1)
        found = np.empty(rows.shape[:-1], types)
        found["value"] = np.take_along_axis(rows, place, -1)[..., 0]
        found["index"] = call.flat_index(place[..., 0])
        return found

    def combine(parts: Any) -> NDArray:
        found = np.stack(parts)
        found = np.take_along_axis(found, np.argsort(found["index"], 0), 0)
        best = np.expand_dims(find(found["value"], 0), 0)
        return np.asarray(np.take_along_axis(found, best, 0)[0])

    return call.result(call.values(partial, combine)["index"].astype(np.intp))
