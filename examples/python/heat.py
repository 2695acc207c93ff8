"""Solves the heat equation u_t = laplace(u) on the unit square with u = 0 on its edges. Short steps are
explicit, in numpy on each process's rows, with a halo update. Long steps are implicit, by KSP of
petsc4py, in the same memory. Succeeds if u is what both formulas give for sin(pi x) sin(pi y). Runs on
any number of processes up to 16."""
import sys

import numpy as np
from mpi4py import MPI
from petsc4py import PETSc

import dapbridge

comm, n = MPI.COMM_WORLD, 49  # points along each axis, edges included
h = 1 / (n - 1)
short, long = 0.2 * h * h, 0.01  # steps in time


def explicit(u, steps):
    """Repeats u += short * laplace(u) `steps` times. Rows of the neighbours are in the padding."""
    v, r = u.local, short / h**2
    for _ in range(steps):
        u.halo_update()
        v[1:-1, 1:-1] += r * (
            v[:-2, 1:-1] + v[2:, 1:-1] + v[1:-1, :-2] + v[1:-1, 2:] - 4 * v[1:-1, 1:-1]
        )


def implicit(dm):
    """Returns a solver of u - long * laplace(u) = old u."""
    matrix, r = dm.createMatrix(), long / h**2
    point, other = PETSc.Mat.Stencil(), PETSc.Mat.Stencil()
    (x0, x1), (y0, y1) = dm.getRanges()  # x is the array's last axis
    for y in range(y0, y1):
        for x in range(x0, x1):
            point.index = (x, y)
            is_edge = x in (0, n - 1) or y in (0, n - 1)
            matrix.setValueStencil(point, point, 1 if is_edge else 1 + 4 * r)
            for other.index in () if is_edge else ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                matrix.setValueStencil(point, other, -r)
    matrix.assemble()
    ksp = PETSc.KSP().create(dm.comm)
    ksp.setOperators(matrix)
    ksp.setTolerances(rtol=1e-12)
    return ksp


# Rows on each process, and one row of each neighbour
u = dapbridge.zeros((n, n), comm, [dapbridge.padded(1)], PETSc.ScalarType)
i, j = np.ix_(*u.indices())
u.local[...] = start = np.sin(np.pi * h * i) * np.sin(np.pi * h * j)

explicit(u, 100)
with u.petsc_field(width=1, star=True) as f:
    ksp = implicit(f.dm)
    for _ in range(5):
        ksp.solve(f.global_vec, f.global_vec)
    described = f.describe()
explicit(u, 100)
u.halo_update()

rate = 8 / h**2 * np.sin(np.pi * h / 2) ** 2  # laplace of the discrete sine is -rate times it
factor = (1 - short * rate) ** 200 / (1 + long * rate) ** 5
exact = np.exp(-2 * np.pi**2 * (200 * short + 5 * long))
error = comm.allreduce(np.abs(u.local - factor * start).max(), MPI.MAX)
if comm.rank == 0:
    print(described.rstrip())
    print(f"largest value {factor:.5f}, of the equation {exact:.5f} (discretisation error)", end="; ")
    print(f"error of the steps {error:.1e}")
sys.exit(not error < 1e-10)
