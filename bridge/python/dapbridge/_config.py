"""The build configuration of the library."""

from __future__ import annotations

from typing import Literal, overload

from . import _core
from ._errors import ArgumentError


@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, str]: ...
def show_config(mode: Literal["stdout", "dicts"] = "stdout") -> dict[str, str] | None:
    """Prints the build configuration of dapbridge, or returns it, as `numpy.show_config` does. Not collective.

    Parameters
    ----------
    mode
        "stdout" prints the configuration, and "dicts" returns it as a dictionary. The value of a library is "no" if
        dapbridge was built without it.

    Raises
    ------
    ArgumentError
        `mode` has another value.

    Examples
    --------
    >>> config = dapbridge.show_config("dicts")
    >>> config["version"] == dapbridge.__version__
    True
    >>> config["kernels"] in ("plain", "avx2", "avx512")
    True
    """
    text = _core.build_info()
    if mode == "dicts":
        return dict(line.split(": ", 1) for line in text.splitlines())
    if mode != "stdout":
        raise ArgumentError(f"mode is {mode!r}, not 'stdout' or 'dicts'")
    print(text, end="")
    return None
