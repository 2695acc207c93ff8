"""Keeps the interpreter's lock on rank 1, in C, for longer than the test may take."""
import ctypes

import pytest
from mpi4py import MPI


@pytest.mark.limit(1)
def test_hangs() -> None:
    if MPI.COMM_WORLD.rank == 1:
        ctypes.PyDLL(None).sleep(100)
