"""Finds petsc4py's PETSc library, and the compiled module for this library."""

from __future__ import annotations

import importlib
import os
import sys
from types import ModuleType
from typing import Any

import numpy as np
from mpi4py import MPI

_loaded: ModuleType | None = None


def _imported(comm: MPI.Comm) -> Any:
    """Imports petsc4py.PETSc. The call starts PETSc, which all processes of COMM_WORLD must do.

    petsc4py.init() has no effect afterwards. So if the program has imported petsc4py, this function raises an error
    unless the program has also started PETSc.
    """
    is_started = "petsc4py.PETSc" in sys.modules
    if not is_started and sys.modules.get("petsc4py") is not None:
        raise ImportError(
            "petsc4py is imported, but PETSc is not started: call petsc4py.init(sys.argv) or import "
            "petsc4py.PETSc before the first view"
        )
    if not is_started and comm.size < MPI.COMM_WORLD.size:
        raise ImportError(
            "petsc4py.PETSc is not imported: importing it starts PETSc, which all processes of "
            "MPI.COMM_WORLD must do; import it in the program"
        )
    try:
        return importlib.import_module("petsc4py.PETSc")
    except ModuleNotFoundError as e:
        raise ImportError(f"dapbridge's views of PETSc need petsc4py: {e}") from e


def _library(path: str) -> str:
    return os.path.realpath(path) if path else "a library that does not show PetscInitialize()"


def _load(petsc: Any) -> ModuleType:
    """Loads the compiled module for petsc4py's PETSc library."""
    scalar = np.dtype(petsc.ScalarType)
    size = np.dtype(petsc.IntType).itemsize
    name = f"_petsc{'64' if size == 8 else ''}_{'complex' if scalar.kind == 'c' else 'real'}"
    theirs = f"petsc4py ({petsc.__file__}) has PETSc {'.'.join(map(str, petsc.Sys.getVersion()))}"
    try:
        module = importlib.import_module(f".{name}", __package__)
    except ModuleNotFoundError as e:
        raise ImportError(
            f"dapbridge.{name} was not built, and {theirs} with {scalar} scalars and {size}-byte integers"
        ) from e
    except ImportError as e:
        raise ImportError(f"{e}; {theirs}") from e
    mine = f"dapbridge.{name} uses PETSc {'.'.join(map(str, module.version()))}"
    if module.version() != petsc.Sys.getVersion() or module.SCALAR != scalar.name:
        raise ImportError(f"{mine} with {module.SCALAR} scalars; {theirs} with {scalar} ones")
    paths = _library(module.library_path()), _library(module.library_path(petsc.__file__))
    if paths[0] != paths[1]:
        raise ImportError(f"{mine}, {paths[0]}; {theirs}, {paths[1]}")
    return module


def module(comm: MPI.Comm) -> Any:
    """Returns the compiled module for the PETSc library that petsc4py has loaded or loads now."""
    global _loaded
    if _loaded is None:
        _loaded = _load(_imported(comm))
    return _loaded
