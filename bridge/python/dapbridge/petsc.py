"""Views as objects of PETSc, by petsc4py; and objects of petsc4py as arrays.

PETSc is not thread-safe, so neither is anything here: while a thread is in one of these functions, which
release the interpreter's lock, no other may be in one or in petsc4py.

What a view gave (``f.local``, ``v.vec``...) must not be used once the view has ended; if it is, of a
shared view that reads and writes the array's buffer, which lives as long as the vector or matrix does. Of
those that Python drops petsc4py destroys the last reference in ``PETSc.garbage_cleanup()``. Duplicates of
a shared MATSHELL must be destroyed before the array.

PETSc keeps norms of vectors: who writes to the array's buffer while a view is live, or to one of two
vectors that are one memory, calls `load`, which tells PETSc.
"""

from __future__ import annotations

from ._petsc_field import PetscField
from ._petsc_import import from_petsc
from ._petsc_matrix import PetscMatrix
from ._petsc_vector import PetscVector

__all__ = ["PetscField", "PetscMatrix", "PetscVector", "from_petsc"]
