"""Converts elements from the caller to a numpy array, or gives advice if this is not possible."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from ._errors import ArgumentError
from ._foreign import foreign
from ._local_part import NDArray

#: Device types of DLPack whose memory the host reads and writes: CPU, pinned for CUDA, pinned for ROCm, managed.
_HOST = (1, 3, 11, 13)
_DEVICES = {2: "CUDA", 4: "OpenCL", 7: "Vulkan", 8: "Metal", 10: "ROCm", 14: "oneAPI", 15: "WebGPU"}


class Refused(np.ndarray[Any, np.dtype[Any]]):
    """An array without elements. It stands for an argument that all processes refuse later, together."""

    advice: str


def elements_of(values: npt.ArrayLike, name: str = "the argument", is_part: bool = False) -> NDArray:
    """Returns the values as a numpy array. Arrays in host memory are not copied.

    With `is_part` the values are only the elements of this process's part.
    """
    advice = _advice(values, is_part)
    if advice:
        raise ArgumentError(f"{name} is {advice}")
    return np.asarray(values)


def elements_or_refused(values: npt.ArrayLike) -> NDArray:
    """Does the same as `elements_of`, but returns an object that `Frame.check` refuses instead of raising an error."""
    advice = None if isinstance(values, (str, bytes)) else _advice(values)  # for texts, the error names the type
    if not advice:
        return np.asarray(values)
    refused = Refused((0,))
    refused.advice = advice
    return refused


def _advice(values: Any, is_part: bool = False) -> str | None:
    """Returns a message that names the kind of object and what to do. None means that numpy converts the object."""
    kind_of = foreign(values)
    if kind_of is not None and (is_part or not kind_of.is_whole):
        return f"of type {type(values).__name__}, {kind_of.what}: {kind_of.use}"
    if isinstance(values, np.ma.MaskedArray):
        return "a masked array, whose mask a distributed array cannot have: fill it, .filled(x)"
    if isinstance(values, np.ndarray):
        return None
    kind = type(values).__name__
    if values is None:
        return "None, not elements: a process without elements gives an empty array, such as np.empty((0, 4))"
    if isinstance(values, (str, bytes)):
        return f"{values!r}, of type {kind}, not elements; dapbridge.load(path, comm) reads an array from a file, np.load(path) a part"
    if type(values).__module__.partition(".")[0] == "scipy" and hasattr(values, "toarray"):
        return (
            f"a sparse {kind} of scipy, and distributed arrays are dense: x.toarray() makes a dense array, and "
            "petsc4py has sparse matrices (Mat)"
        )
    device = device_of(values)
    if device:
        return f"a {kind} in memory of a device ({device}), and distributed arrays are in host memory only: {COPY}"
    return None


#: Advice how to copy elements to the host.
COPY = "copy it, as x.cpu() of PyTorch, cupy.asnumpy(x) or numpy.asarray(jax.device_get(x)) do"


def device_of(values: Any) -> str | None:
    """Returns the device whose memory contains an array, such as "CUDA 0". None means the host."""
    if hasattr(values, "__dlpack_device__"):
        kind, number = values.__dlpack_device__()
        return None if int(kind) in _HOST else f"{_DEVICES.get(int(kind), f'type {int(kind)}')} {number}"
    return "CUDA" if hasattr(values, "__cuda_array_interface__") else None
