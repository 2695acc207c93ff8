"""What the field of bridge/docs/petsc.md takes as given: an operator, twice the identity, and a
right-hand side of 6."""
import numpy as np
from mpi4py import MPI
from petsc4py import PETSc

import dapbridge

comm, nx, ny = MPI.COMM_WORLD, 12, 20


def operator(dm):
    matrix = dm.createMatrix()
    matrix.setUp()
    vector = dm.createGlobalVec()
    vector.set(2)
    matrix.setDiagonal(vector)
    return matrix


with dapbridge.zeros((ny, nx), comm, [dapbridge.padded(1)]).petsc_field() as like:
    b = like.dm.createGlobalVec()
b.set(6)


def check(page):
    assert np.allclose(page["a"].owned, 3)
