"""Views of arrays as petsc4py objects, and arrays from petsc4py objects.

PETSc is not thread-safe, and neither are these functions. These functions release the interpreter's lock. While one
thread is in one of these functions, no other thread may call these functions or petsc4py.

The objects of a view (``f.local``, ``v.vec``...) must not be used after the view has ended. After that, an object of a
shared view still reads and writes the array's buffer. The buffer exists as long as this object. When Python drops the
last reference to such an object, petsc4py destroys the object in ``PETSc.garbage_cleanup()``. Duplicates of a shared
MATSHELL must be destroyed before the array.

PETSc caches the norms of vectors. A program that writes to the array's buffer while a view is live must call the view's
method `load`, so that PETSc computes the norms anew. The program must also call `load` after it has written to one of
two vectors that share memory.
"""

from __future__ import annotations

from ._petsc_field import PetscField
from ._petsc_import import from_petsc
from ._petsc_matrix import PetscMatrix
from ._petsc_vector import PetscVector

__all__ = ["PetscField", "PetscMatrix", "PetscVector", "from_petsc"]
