"""Options of PETSc's views, in the form of the compiled modules."""

from __future__ import annotations

from typing import Any

from . import _core
from ._base import ArrayBase
from .slices import part_of


def petsc_part(array: ArrayBase, part: Any, ranges: bool) -> _core.PartTuple:
    """Returns the part that an index expression names. Without `ranges`, a part of complete axes has no shape."""
    axes, start, shape = part_of(part, array.shape)
    kept = range(array.ndim) if axes is None else [k for k in axes if k >= 0]
    if not ranges and shape is not None and all(shape[k] == array.shape[k] for k in kept):
        shape = None
    return axes, start, shape


def petsc_options(**given: Any) -> dict[str, Any]:
    """Returns the options that are not the defaults."""
    return {name: value for name, value in given.items() if value is not None and value is not False}
