"""What the library was built with."""

from __future__ import annotations

from typing import Literal, overload

from . import _core
from ._errors import ArgumentError


@overload
def show_config(mode: Literal["stdout"] = "stdout") -> None: ...
@overload
def show_config(mode: Literal["dicts"]) -> dict[str, str]: ...
def show_config(mode: Literal["stdout", "dicts"] = "stdout") -> dict[str, str] | None:
    """Prints what dapbridge was built with, for reports of bugs; or returns it, as `numpy.show_config` does.

    The keys and values are those of ``dap_build_info()``; "no" stands for what was left out. Not collective.

    >>> config = dapbridge.show_config("dicts")
    >>> config["version"] == dapbridge.__version__
    True
    >>> config["kernels"] in ("plain", "avx2", "avx512")
    True

    Errors: a mode that is neither.
    """
    text = _core.build_info()
    if mode == "dicts":
        return dict(line.split(": ", 1) for line in text.splitlines())
    if mode != "stdout":
        raise ArgumentError(f"mode is {mode!r}, not 'stdout' or 'dicts'")
    print(text, end="")
    return None
