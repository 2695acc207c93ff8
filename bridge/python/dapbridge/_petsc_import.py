"""Arrays from petsc4py objects."""

from __future__ import annotations

import math
import sys
from typing import Any

from mpi4py import MPI

from . import _core, _petsc4py
from ._comms import agreed, require_comm, require_mpi
from ._errors import ArgumentError
from .array import Array

_own: dict[tuple[int, ...], MPI.Comm] = {}
"""Communicators of arrays from PETSc objects, by their processes in COMM_WORLD. PETSc frees its communicators with the
last object on them, but an array from such an object can live longer."""


def _comm_of(petsc: Any, comm: MPI.Comm | None) -> MPI.Comm:
    """Returns a communicator with the processes of PETSc's communicator: the caller's, or one that is never freed."""
    theirs = petsc.comm.tompi4py()
    alike = (MPI.IDENT, MPI.CONGRUENT)
    with agreed(theirs, "dapbridge.from_petsc()"):
        if comm is not None:
            require_comm(comm, "dapbridge.from_petsc()")
        if comm is not None and MPI.Comm.Compare(comm, theirs) not in alike:
            raise ArgumentError("comm must have the processes of PETSc's object, in the same order")
    if comm is not None:
        return comm
    for known in (MPI.COMM_WORLD, MPI.COMM_SELF):
        if MPI.Comm.Compare(known, theirs) in alike:
            return known
    world = MPI.COMM_WORLD.group
    ranks = tuple(MPI.Group.Translate_ranks(theirs.group, range(theirs.size), world))
    if ranks not in _own:
        _own[ranks] = theirs.Dup()
    return _own[ranks]


def _is_local(vec: Any, da: Any) -> bool:
    """True if a vector of a DMDA is a local vector. On one process, a vector without ghost points counts as global."""
    if da.comm.size > 1:
        return bool(vec.comm.size == 1)
    return bool(vec.getSize() != math.prod(da.getSizes()) * da.getDof())


def _array(imported: tuple[_core.Layout, _core.Local], comm: MPI.Comm) -> Array:
    return Array(imported[0], imported[1], comm)


def from_petsc(obj: Any, comm: MPI.Comm | None = None) -> Array:
    """Makes an array from a petsc4py object, usually in the object's memory. Collective on the object's communicator.

    * A global vector of a DMDA gives an array with an axis for each axis of the DMDA, x last. If there are several
      degrees of freedom, they form an additional axis.
    * A local vector of a DMDA gives an array with the same axes, and with the vector's ghost points as padding. The
      call is then collective on the DMDA's communicator.
    * Any other vector gives an array with one axis, distributed in blocks.
    * A MATDENSE gives an array with two axes, in Fortran order, with a range of rows on each process. A MATSCALAPACK
      gives a read-only copy.
    * A DMDA gives a new array of zeros with the layout of the DMDA's local vectors.

    The object must not be used while the array uses the object's memory. The object can be used again when no `Array`
    and no numpy view refers to this memory any more.

    Parameters
    ----------
    obj : petsc4py.PETSc.Vec, Mat or DMDA
        The object. The array can be written to if the object is not locked.
    comm
        The array's communicator, with the same processes as the object's. None means MPI.COMM_WORLD or MPI.COMM_SELF if
        one of them has these processes, and otherwise a duplicate of the object's communicator, which is never freed.

    Raises
    ------
    TypeError
        The object is not a Vec, a Mat or a DMDA.
    ArgumentError
        The object cannot be read, for example because a matrix is not assembled, or `comm` has other processes.
    UnsupportedError
        The type of the vector or matrix is not supported, or the DMDA has twisted boundaries or an unusual order of
        processes.

    Examples
    --------
    >>> from petsc4py import PETSc
    >>> da = PETSc.DMDA().create([6, 4], stencil_width=1, comm=MPI.COMM_SELF)
    >>> vec = da.createGlobalVec()
    >>> a = dapbridge.from_petsc(vec)
    >>> a.shape
    (4, 6)
    >>> a.local[1, 2] = 7
    >>> del a
    >>> vec[8]
    array(7.)
    """
    require_mpi()
    petsc = sys.modules.get("petsc4py.PETSc")
    if petsc is None or not isinstance(obj, (petsc.Vec, petsc.Mat, petsc.DM)):
        raise TypeError(f"{type(obj).__name__}: neither a Vec, nor a Mat, nor a DMDA of petsc4py")
    if not obj:
        raise ArgumentError(f"a petsc4py {type(obj).__name__} that was not created, or has been destroyed")
    module = _petsc4py.module(MPI.COMM_WORLD)
    if isinstance(obj, petsc.Mat):
        own = _comm_of(obj, comm)
        return _array(module.import_matrix(obj), own)
    dm = obj if isinstance(obj, petsc.DM) else module.dm_of(obj)
    if dm is None or dm.getType() != petsc.DM.Type.DA:
        if isinstance(obj, petsc.DM):
            raise TypeError("the DM is not a DMDA")
        own = _comm_of(obj, comm)
        return _array(module.import_vector(obj), own)
    own = _comm_of(dm, comm)
    if isinstance(obj, petsc.DM):
        vec = dm.createLocalVec()
        layout = module.import_field_local(vec)[0]
        vec.destroy()  # now: what Python drops petsc4py keeps until PETSc.garbage_cleanup()
        return Array(layout, _core.Local.make(layout, own.rank, module.SCALAR, "C"), own)
    if _is_local(obj, dm):
        return _array(module.import_field_local(obj), own)
    return _array(module.import_field(obj), own)
