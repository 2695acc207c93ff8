"""Views as objects of PETSc, through petsc4py, and objects of petsc4py as arrays.

PETSc is not thread-safe, so these functions are not, either. They release the interpreter's lock. While one thread is
in such a function, no other thread may call one, or petsc4py.

The objects of a view (``f.local``, ``v.vec``...) must not be used after the view has ended. An object of a shared
view that is used nevertheless reads and writes the array's buffer. The buffer lives as long as the vector or matrix.
When Python drops such objects, petsc4py destroys the last reference in ``PETSc.garbage_cleanup()``. Duplicates of
a shared MATSHELL must be destroyed before the array.

PETSc keeps norms of vectors. A program that writes to the array's buffer while a view is live calls `load`, which tells
PETSc. The program also calls `load` after it has written to one of two vectors that share memory.
"""

from __future__ import annotations

from ._petsc_field import PetscField
from ._petsc_import import from_petsc
from ._petsc_matrix import PetscMatrix
from ._petsc_vector import PetscVector

__all__ = ["PetscField", "PetscMatrix", "PetscVector", "from_petsc"]
