"""Plan options, in the form of the compiled module."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._errors import ArgumentError
from ._integers import integer, number

_TRANSPORTS = {"direct": 1, "staged": 2, "messages": 4}


def plan_options(transports: Iterable[str] | None = None, **given: Any) -> dict[str, Any]:
    """Checks options for the compiled module. An error may occur on this process only."""
    options: dict[str, Any] = {}
    for name, value in given.items():
        if name not in _READ:
            raise TypeError(f"unexpected option {name!r}")
        if value is not None:
            options[name] = _READ[name](name, value)
    if transports is not None:
        names = [transports] if isinstance(transports, str) else list(transports)
        unknown = [n for n in names if n not in _TRANSPORTS]
        if unknown:
            raise ArgumentError(f"transports: {unknown[0]!r} is not one of {', '.join(_TRANSPORTS)}")
        options["transports"] = sum({_TRANSPORTS[n] for n in names})
    return options


def _bool(name: str, value: Any) -> bool:
    return bool(value)


def _word(name: str, value: Any) -> str:
    words = _WORDS[name]
    if value not in words:
        raise ArgumentError(f"{name}: {value!r} is not one of {', '.join(repr(w) for w in words if w)}")
    return words[value]


_WORDS = {
    "combine": {"": "", "sum": "sum", "max": "max", "min": "min"},
    "padding": {"": "", "keep": "", "clear": "clear", "refresh": "refresh"},
}
_READ: dict[str, Callable[[str, Any], Any]] = {
    **dict.fromkeys(("alpha", "beta"), lambda name, x: number(x, name)),
    **dict.fromkeys(("memory_bytes", "message_bytes", "arrays"), lambda name, x: integer(x, name)),
    **dict.fromkeys(("conjugate", "fill_halos", "from_owners", "lossy", "allow_empty"), _bool),
    **dict.fromkeys(_WORDS, _word),
}
