"""numpy's functions that work element by element, compare arrays, or make arrays like other arrays."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ._comms import agreed
from ._dispatch import implements
from ._elementwise import as_array, mapped
from ._errors import UnsupportedError
from ._lazy import LazyBase
from ._memory import type_name
from ._moves import copy as copy_of
from ._reductions import all_, max_, min_
from ._spread import is_distributed, word_of

# ---- element by element ------------------------------------------------------------------------------------


@implements(np.where)
def where(condition: Any, x: Any, y: Any) -> Any:
    return mapped("numpy.where", np.where, condition, x, y)


@implements(np.clip)
def clip(a: Any, a_min: Any = None, a_max: Any = None) -> Any:
    low, high = (0 if x is None else x for x in (a_min, a_max))

    def within(a: Any, low: Any, high: Any) -> Any:
        return np.clip(a, None if a_min is None else low, None if a_max is None else high)

    return mapped("numpy.clip", within, a, low, high)


@implements(np.isclose)
def isclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> Any:
    return mapped("numpy.isclose", lambda a, b: np.isclose(a, b, rtol, atol, equal_nan), a, b)


@implements(np.around)
@implements(np.round)
def around(a: Any, decimals: int = 0) -> Any:
    return mapped("numpy.around", lambda a: np.around(a, decimals), a)


def _check_copy(x: Any, copy: bool = True, *others: Any, **options: Any) -> None:
    if not copy:
        raise UnsupportedError("numpy.nan_to_num of distributed arrays makes a new array: copy=False is not possible")


@implements(np.nan_to_num, check=_check_copy)
def nan_to_num(
    x: Any, copy: bool = True, nan: float = 0.0, posinf: float | None = None, neginf: float | None = None
) -> Any:
    return mapped("numpy.nan_to_num", lambda x: np.nan_to_num(x, True, nan, posinf, neginf), x)


@implements(np.angle)
def angle(z: Any, deg: bool = False) -> Any:
    return mapped("numpy.angle", lambda z: np.angle(z, deg), z)


def _of_one(function: Any) -> None:
    implements(function)(lambda x: mapped(f"numpy.{function.__name__}", function, x))


for _function in (np.real, np.imag, np.sinc, np.i0, np.isreal, np.iscomplex, np.isposinf, np.isneginf, np.fix):
    _of_one(_function)

# ---- comparisons -------------------------------------------------------------------------------------------


def _check_arrays(a1: Any, a2: Any, *others: Any, **options: Any) -> None:
    _shape_of(a1), _shape_of(a2)  # which raise for lists of lists that are no array


@implements(np.array_equal, check=_check_arrays, is_compared=True)
def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> bool:
    if _shape_of(a1) != _shape_of(a2):
        return False

    def equal(a: Any, b: Any) -> Any:
        return (a == b) | ((a != a) & (b != b)) if equal_nan else a == b

    return bool(all_(mapped("numpy.array_equal", equal, a1, a2)))


@implements(np.array_equiv, check=_check_arrays, is_compared=True)
def array_equiv(a1: Any, a2: Any) -> bool:
    try:
        np.broadcast_shapes(_shape_of(a1), _shape_of(a2))
    except ValueError:
        return False
    return bool(all_(mapped("numpy.array_equiv", np.equal, a1, a2)))


@implements(np.allclose)
def allclose(a: Any, b: Any, rtol: float = 1e-5, atol: float = 1e-8, equal_nan: bool = False) -> bool:
    return bool(all_(isclose(a, b, rtol, atol, equal_nan)))


def _shape_of(x: Any) -> tuple[int, ...]:
    shape: tuple[int, ...] = x.shape if is_distributed(x) else np.shape(x)
    return shape


@implements(np.ptp)
def ptp(a: Any, axis: Any = None, *, keepdims: bool = False) -> Any:
    return np.subtract(max_(a, axis, keepdims=keepdims), min_(a, axis, keepdims=keepdims))


# ---- new arrays --------------------------------------------------------------------------------------------


def _new_like(name: str, a: Any, fill: Any, dtype: npt.DTypeLike) -> Any:
    """Makes an array of one value with the layout of another array. Collective on its `over`."""
    if isinstance(a, LazyBase):
        a = copy_of(a)
    with agreed(a.over, f"numpy.{name}()"):
        kind = np.dtype(a.dtype if dtype is None else dtype)
        type_name(kind)
    with agreed(a.over, f"numpy.{name}() with {word_of(fill)} of {kind}"):
        return as_array(a, np.full_like(a.local, fill, kind))


@implements(np.zeros_like)
def zeros_like(a: Any, dtype: npt.DTypeLike = None) -> Any:
    return _new_like("zeros_like", a, 0, dtype)


@implements(np.empty_like)
def empty_like(prototype: Any, dtype: npt.DTypeLike = None) -> Any:
    return _new_like("empty_like", prototype, 0, dtype)


@implements(np.ones_like)
def ones_like(a: Any, dtype: npt.DTypeLike = None) -> Any:
    return _new_like("ones_like", a, 1, dtype)


@implements(np.full_like)
def full_like(a: Any, fill_value: Any, dtype: npt.DTypeLike = None) -> Any:
    return _new_like("full_like", a, fill_value, dtype)


@implements(np.copy)
def copy(a: Any) -> Any:
    return a.copy()


def transposed(a: Any, axes: Any = None) -> Any:
    return a.transpose() if axes is None else a.transpose(axes)


implements(np.transpose, check=transposed, is_compared=True)(transposed)


# ---- what is known without elements ------------------------------------------------------------------------

_known = partial(implements, is_collective=False)


@_known(np.shape)
def shape(a: Any) -> Any:
    return a.shape


@_known(np.ndim)
def ndim(a: Any) -> Any:
    return a.ndim


@_known(np.size)
def size(a: Any, axis: int | None = None) -> Any:
    return a.size if axis is None else a.shape[axis]


@_known(np.iscomplexobj)
def iscomplexobj(x: Any) -> bool:
    return bool(x.dtype.kind == "c")


@_known(np.isrealobj)
def isrealobj(x: Any) -> bool:
    return bool(x.dtype.kind != "c")


@_known(np.result_type)
def result_type(*arrays_and_dtypes: Any) -> Any:
    return np.result_type(*(x.dtype if is_distributed(x) else x for x in arrays_and_dtypes))


@_known(np.can_cast)
def can_cast(from_: Any, to: Any, casting: Any = "safe") -> bool:
    return bool(np.can_cast(from_.dtype, to, casting))


@_known(np.array_repr)
def array_repr(arr: Any) -> str:
    return repr(arr)


@_known(np.array_str)
def array_str(a: Any) -> str:
    return str(a)
