"""The results of ``__distarray__()``: one process's dictionaries, with the keys of a version of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from . import _core
from ._core import Layout

if TYPE_CHECKING:
    from ._core import DimTuple

_KEYS = (
    "dist_type",
    "size",
    "proc_grid_size",
    "proc_grid_rank",
    "start",
    "stop",
    "padding",
    "periodic",
    "block_size",
    "indices",
    "one_to_one",
)
_OF_TYPE = {
    "b": "size proc_grid_size proc_grid_rank start stop padding periodic",
    "c": "size proc_grid_size proc_grid_rank start block_size",
    "u": "size proc_grid_size proc_grid_rank indices one_to_one",
    "n": "size padding periodic",
    "": "",
}


def version_text(version: Any) -> str:
    """Returns a version as a string. The version can be a string, or a tuple such as (0, 0, 1)."""
    if isinstance(version, (tuple, list)) and version:
        if all(hasattr(n, "__index__") and not isinstance(n, bool) for n in version):
            return ".".join(str(int(n)) for n in version)
    return version if isinstance(version, str) else repr(version)


def export(layout: Layout, rank: int, version: Any, buffer: Any) -> dict[str, Any]:
    """Returns the result of ``__distarray__()`` on process `rank`. The caller must know all index lists."""
    text = version_text(version)
    dialect = _core.dialect(text)
    if dialect is None:
        _core.fail(
            _core.STATUSES.index("VERSION"), f"version {text!r} is not 0.0.1, 0.9.* or 0.10.*"
        )
        raise AssertionError
    exported, is_tuple, keys, types, has_empty = dialect
    coords = layout.coords(rank)
    dims = tuple(
        _dictionary(layout.dim(text, axis, coords[axis]), keys, types) for axis in range(layout.ndim)
    )
    return {
        "__version__": tuple(int(n) for n in exported.split(".")) if is_tuple else exported,
        str(keys["dim_data"]): dims,
        "buffer": buffer,
    }


def _dictionary(
    values: DimTuple,
    keys: dict[str, str | None],
    types: dict[str | None, tuple[str, bool, bool]],
) -> dict[str, Any]:
    """Returns one dimension dictionary. Keys whose value is the default are left out."""
    found = {key: value for key, value in zip(_KEYS, values) if value is not None}
    letter = found["dist_type"]
    has = {
        "padding": any(found.get("padding", ())),
        "periodic": found.get("periodic", False),
        "one_to_one": found.get("one_to_one", False),
        "block_size": found.get("block_size", 1) != 1,
    }
    wanted = [k for k in _OF_TYPE[letter].split() if k in found and has.get(k, True)]
    if letter == "":
        return {}
    name = next(
        n
        for n, (canonical, padding, block) in types.items()
        if canonical == letter
        and padding >= has["padding"]
        and block >= (letter == "c" and has["block_size"])
    )
    result: dict[str, Any] = {str(keys["dist_type"]): name}
    for key in wanted:
        value = np.asarray(found[key]) if key == "indices" else found[key]
        result[str(keys[key])] = value
    return result
