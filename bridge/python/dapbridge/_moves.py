"""Moves, each of which uses a plan only once."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from . import _core, dists
from ._base import ArrayBase
from ._comms import agree_equal, agreed, require_held, require_mpi
from ._errors import ArgumentError
from ._grids import dists_on
from ._layouts import layout_on
from ._lazy import LazyBase
from ._local_part import NDArray
from ._memory import new_array, new_result
from ._regions import has_ghosts
from .plan import Plan

_A = TypeVar("_A", bound=ArrayBase)
#: Options with which a plan reads its target, so that the target must be set.
_READ_TARGET = {"beta", "combine"}


def move(source: ArrayBase | LazyBase[Any], target: ArrayBase, **options: Any) -> None:
    """Moves elements once. Collective on the larger of the two communicators."""
    with Plan(source, target, **options) as plan:
        plan(None, None)


def gather(source: ArrayBase | LazyBase[Any], root: int | None) -> NDArray | None:
    """Gathers all elements to a numpy array on one process, or on all."""
    require_mpi()
    array = source.array if isinstance(source, LazyBase) else source
    require_held(array, "gather()")
    over, shape, dtype = array.over, source.shape, source.dtype
    with agreed(over, "gather()"):
        here = 0 if root is None else operator.index(root)
        if not 0 <= here < over.size:
            raise ArgumentError(f"root {root} of {over.size} processes")
    agree_equal(over, "gather()", "root", None if root is None else here)
    if root is None and shape:
        whole = _core.Layout([dists.replicated().entry(shape[0], over.size), *_local_entries(shape[1:])])
        target = new_result(ArrayBase, whole, over, dtype)
    else:
        target = new_result(ArrayBase, _core.Layout(_local_entries(shape)), over, dtype, [here])
    move(source, target, from_owners=True)
    if root is None and not shape:
        return np.array(over.bcast(target.local if over.rank == 0 else None))
    return target.local if root is None or over.rank == here else None


def _local_entries(shape: Sequence[int]) -> list[_core.DistTuple]:
    return [dists.local().entry(n, 1) for n in shape]


def copy(view: LazyBase[_A], dtype: npt.DTypeLike = None) -> _A:
    """Makes a new array of the view's elements. Each element stays on its process."""
    require_held(view.array, "copy()")
    with agreed(view.array.over, "copy()"):
        given = view if dtype is None else view.astype(dtype)
    array, layout = given.array, given.array.layout
    if given.part is not None:
        layout, ranks = layout.part(given.part)
        if ranks != list(range(len(ranks))):
            layout = layout.reorder(ranks)
    out = new_result(type(array), layout, array.over, given.dtype, array.ranks)
    if given.part is None and has_ghosts(array):
        _copy_local(given, out)
    move(given, out, from_owners=True)
    return out


def _copy_local(view: LazyBase[Any], out: ArrayBase) -> None:
    """Copies the local part with its padding and ghosts. A plan would not convert padding and ghosts."""
    values = view.array.local
    if view.is_conjugate:
        values = values.conj()
    if values.dtype.kind == "c" and out.dtype.kind != "c":
        values = values.real
    with np.errstate(all="ignore"):
        np.copyto(out.local, values, casting="unsafe")


def redistribute(
    view: LazyBase[_A],
    target: Any,
    out: _A | None,
    grid: Sequence[int] | None,
    dtype: npt.DTypeLike,
    options: dict[str, Any],
) -> _A:
    """Moves the elements to another layout: to `out`, or to a new array."""
    require_held(view.array, "redistribute()")
    with agreed(view.array.over, "redistribute()"):
        given = view if dtype is None else view.astype(dtype)
        _check(given, target, out, grid, options["lossy"])
        _check_apart(given, out, any(options[name] is not None for name in ("alpha", "beta")))
    if out is None:
        out = _new_target(given, target, grid, any(options[name] is not None for name in _READ_TARGET))
    if not options.get("combine"):  # which uses all copies
        options.setdefault("from_owners", True)
    move(given, out, **options)
    return out


def _check(view: LazyBase[Any], target: Any, out: Any, grid: Any, lossy: bool) -> None:
    """Checks the arguments of `redistribute`."""
    if out is not None and not isinstance(out, ArrayBase):
        raise TypeError(
            f"out, the second argument, is a {type(out).__name__}, not an Array; "
            "distributions of several axes are one list: ['cyclic', 'block']"
        )
    if (target is None) == (out is None):
        given = "neither" if out is None else "both"
        raise ArgumentError(f"redistribute() needs either a target or out, and got {given}")
    if out is not None and view.dtype.kind == "c" != out.dtype.kind and not (view.is_cast or lossy):
        raise ArgumentError(
            f"out is {out.dtype.name} and the elements are {view.dtype.name}: give an out of a complex type, or take "
            f"their real parts by a.astype({out.dtype.name!r}).redistribute(out=out), or by lossy=True"
        )
    if isinstance(target, (ArrayBase, _core.Layout)):
        if target.shape != view.shape:
            raise ArgumentError(f"the target has the shape {target.shape}, not {view.shape}")
    elif target is not None:
        dists_on(view.array.over, target, view.ndim, grid, is_free=True)


def _check_apart(view: LazyBase[Any], out: ArrayBase | None, has_factors: bool) -> None:
    """Checks that arrays do not overlap. A run would detect an overlap on some processes only, and write on others."""
    if out is None or view.array._local is None or out._local is None:
        return
    if view.array is out:
        is_changed = view.part is not None or view.is_conjugate or view.is_cast or has_factors
        overlaps = is_changed and view.size > 0
    else:
        overlaps = view.array._local.overlaps(out._local)
    if overlaps:
        raise ArgumentError("out overlaps the elements that are moved")


def _new_target(view: LazyBase[_A], target: Any, grid: Sequence[int] | None, is_zeroed: bool) -> _A:
    """Makes an array for the elements of the view."""
    over, ranks = view.array.over, view.array.ranks
    if isinstance(target, ArrayBase):
        layout, over, ranks = target.layout, target.over, target.ranks
    elif isinstance(target, _core.Layout):
        layout = target
    else:
        layout = layout_on(view.shape, over, target, grid, is_free=True)
    fits = ranks is not None and len(ranks) == layout.nprocs
    kind, places = type(view.array), ranks if fits else None
    if is_zeroed:
        return new_array(kind, layout, over, view.dtype, ranks=places)
    return new_result(kind, layout, over, view.dtype, places)
