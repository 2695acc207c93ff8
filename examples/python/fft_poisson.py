"""Solves Poisson's equation -laplace(u) = f on a periodic cube. mpi4py-fft transforms f, the program
scales the spectrum, and mpi4py-fft transforms it back. dapbridge tells which wave numbers a process
has, and passes a plane of u to ScaLAPACK. The singular values of the plane are known, because u is a
sum of two products. Succeeds if u and the singular values are right. Runs on any number of processes up
to 16."""
import sys

import numpy as np
from mpi4py import MPI
from mpi4py_fft import PFFT, newDistArray

import dapbridge

comm, n, plane = MPI.COMM_WORLD, 32, 5
fft = PFFT(comm, (n, n, n), dtype=float)
f, spectrum, u = newDistArray(fft, False), newDistArray(fft, True), newDistArray(fft, False)

# f, in mpi4py-fft's own memory
values = dapbridge.from_mpi4py_fft(f, comm)
x, y, z = (2 * np.pi / n * k for k in np.ix_(*values.indices()))
first, second = np.sin(x) * np.cos(2 * y) * np.cos(z), np.cos(3 * x) * np.sin(y) * np.cos(2 * z)
values.local[...] = 6 * first + 14 * second
exact = first + second

# the spectrum, divided by |k|^2
fft.forward(f, spectrum)
waves = dapbridge.from_mpi4py_fft(spectrum, comm)
square = sum(np.where(k > n // 2, k - n, k) ** 2 for k in np.ix_(*waves.indices()))
waves.local[...] /= np.maximum(square, 1)
fft.backward(spectrum, u)
error = comm.allreduce(np.abs(u - exact).max(initial=0), MPI.MAX)

# one plane of u, as a matrix
solution = dapbridge.from_mpi4py_fft(u, comm)
matrix = solution[:, :, plane]  # not copied
found = dapbridge.linalg.svdvals(matrix)
z = 2 * np.pi / n * plane
singular = np.zeros(n)
singular[:2] = sorted(np.abs(n / 2 * np.cos([z, 2 * z])), reverse=True)
difference = np.abs(found - singular).max()

if comm.rank == 0:
    print(f"f:        {values.layout.summary()}")
    print(f"spectrum: {waves.layout.summary()}")
    print(f"plane:    {matrix.layout.summary()}")
    print(f"error of u {error:.1e}")
    three = ", ".join(f"{value:.4f}" for value in found[:3])
    print(f"singular values {three}...; error {difference:.1e}")
sys.exit(not (error < 1e-13 and difference < 1e-12))
