import pytest
from mpi4py import MPI
@pytest.fixture(scope="module")
def comm():
    c = MPI.COMM_WORLD.Dup()
    yield c
    c.Free()
