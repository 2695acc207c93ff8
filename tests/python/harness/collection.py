"""Fails to import on rank 1."""
from mpi4py import MPI

if MPI.COMM_WORLD.rank == 1:
    raise RuntimeError("no such luck")


def test_never_run() -> None:
    MPI.COMM_WORLD.barrier()
