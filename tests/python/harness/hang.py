"""Fails on rank 1 before a barrier in which the others wait."""
import pytest
from mpi4py import MPI


@pytest.mark.limit(2)
def test_hangs() -> None:
    assert MPI.COMM_WORLD.rank != 1, "the reason"
    MPI.COMM_WORLD.barrier()
