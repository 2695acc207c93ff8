"""Functions that work element by element: numpy's ufuncs and others.

Each process computes the elements of its buffer. Padding, ghosts and copies are computed from the padding, ghosts and
copies of the operands, and are up to date if those of the operands were. Computing them does not raise errors or
warnings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from . import _core
from ._base import ArrayBase
from ._dispatch import implements
from ._errors import ArgumentError
from ._local_part import NDArray
from ._memory import type_name, wrap
from ._regions import Region, at_least_1d, regions
from ._spread import Operands

#: Computes the results, which are the last argument, from the operands: function(operands, results).
Setter = Callable[[Sequence[Any], Sequence[NDArray]], None]
#: The results for operands without elements. They have the same types as the results for all elements.
TypesOf = Callable[[Sequence[Any]], Any]

_OPTIONS = ("casting", "dtype", "signature", "sig")


@implements(np.ufunc)
def ufunc_of(ufunc: Any, inputs: Sequence[Any], options: dict[str, Any]) -> Any:
    """Applies ``ufunc(*inputs, **options)`` to arrays of one layout, and to operands that broadcast to their shape.

    Collective on the arrays' `over`.
    """
    outs, where = options.pop("out", ()), options.pop("where", True)
    given = Operands(f"numpy.{ufunc.__name__}", (*inputs, *([] if where is True else [where])), outs)
    count = len(inputs)

    def set_(operands: Sequence[Any], results: Sequence[NDArray]) -> None:
        masked = {"where": operands[count]} if len(operands) > count else {}
        ufunc(*operands[:count], out=tuple(results), **masked, **options)

    def types_of(operands: Sequence[Any]) -> Any:
        if len(operands) > count and np.asarray(operands[count]).dtype != np.bool_:
            raise ArgumentError(f"{given.name}: where is {np.asarray(operands[count]).dtype}, not bool")
        return ufunc(*operands[:count], **options)

    with given.agreed():
        unknown = [key for key in options if key not in _OPTIONS]
        if unknown:
            raise ArgumentError(f"{given.name}: {unknown[0]}= is not for distributed arrays")
        given.check()
        if given.is_direct:
            return _computed(given, set_, types_of, where is not True)
    given.move()
    with given.agreed():
        return _computed(given, set_, types_of, where is not True)


def mapped(name: str, function: Callable[..., Any], *inputs: Any) -> Any:
    """Applies ``function(*inputs)``, which works element by element, and returns one array. Collective on `over`."""
    given = Operands(name, inputs)

    def set_(operands: Sequence[Any], results: Sequence[NDArray]) -> None:
        results[0][...] = function(*operands)

    def types_of(operands: Sequence[Any]) -> Any:
        return function(*operands)

    with given.agreed():
        given.check()
        if given.is_direct:
            return _computed(given, set_, types_of)
    given.move()
    with given.agreed():
        return _computed(given, set_, types_of)


def _none_of(x: Any) -> Any:
    """Returns an empty array with an operand's type, from which numpy determines the types of results."""
    return np.empty((0,), x.dtype) if isinstance(x, np.ndarray) and x.ndim else x


def _computed(given: Operands, set_: Setter, types_of: TypesOf, is_masked: bool = False) -> Any:
    """Computes the results, and makes arrays from them. With a mask, elements that are not set are 0."""
    buffers = given.buffers()
    found = types_of([_none_of(x) for x in buffers])
    types = [np.asarray(r).dtype for r in (found if isinstance(found, tuple) else (found,))]
    like = given.first
    arrays = given.outs or [None] * len(types)
    new: Any = np.zeros_like if is_masked else np.empty_like
    results = [
        new(at_least_1d(like.local), t) if x is None else at_least_1d(x.local) for x, t in zip(arrays, types)
    ]
    _set_regions(like, set_, buffers, results)
    made = [as_array(like, r) if x is None else x for x, r in zip(arrays, results)]
    return made[0] if len(made) == 1 else tuple(made)


def as_array(like: ArrayBase, buffer: NDArray, layout: _core.Layout | None = None) -> ArrayBase:
    """Makes an array from this process's buffer, on the processes of the array `like`. Not collective.

    If `layout` is None, the array has the layout of `like`.
    """
    name = type_name(buffer.dtype)
    if layout is None:
        layout, buffer = like.layout, buffer.reshape(like.local.shape)
    local = None if like.rank < 0 else wrap(layout, like.rank, buffer)
    return type(like)(layout, local, like.comm, like.over, like.ranks, name)


def _set_regions(like: ArrayBase, set_: Setter, buffers: Sequence[Any], results: Sequence[NDArray]) -> None:
    """Sets the owned elements, which may raise and warn, and then the other elements, which may not."""
    owned, others = regions(like)
    if others:
        buffers = [_apart(x, results) for x in buffers]
    _set_region(set_, buffers, results, owned)
    with np.errstate(all="ignore"):
        for region in others:
            try:
                _set_region(set_, buffers, results, region)
            except ValueError:  # for example for integers to negative powers: padding can contain any values
                pass


def _apart(x: Any, results: Sequence[NDArray]) -> Any:
    """Returns the operand, or a copy if a result overlaps it at other positions, because results are set in steps."""
    if not isinstance(x, np.ndarray):
        return x
    for r in results:
        same = x.strides == r.strides and x.ctypes.data == r.ctypes.data
        if np.may_share_memory(x, r) and not same:
            return x.copy()
    return x


def _set_region(set_: Setter, buffers: Sequence[Any], results: Sequence[NDArray], region: Region) -> None:
    operands = [x[region] if isinstance(x, np.ndarray) and x.ndim else x for x in buffers]
    parts = [r[region] for r in results]
    set_(operands, parts)
    if not isinstance(region, tuple):  # these parts are copies
        for r, part in zip(results, parts):
            r[region] = part
