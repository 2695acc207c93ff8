"""Goes wrong in several ways on rank 1 only. check.py contains the expected output."""
import warnings
from collections.abc import Iterator

import pytest
from mpi4py import MPI

rank = MPI.COMM_WORLD.rank


def test_before() -> None:
    assert MPI.COMM_WORLD.allreduce(1) == MPI.COMM_WORLD.size


def test_fails() -> None:
    assert rank != 1, "a reason"


def test_warns() -> None:
    if rank == 1:
        warnings.warn("an old habit", DeprecationWarning)


def test_forgets_a_file() -> None:
    if rank == 1:
        open(__file__)


@pytest.fixture
def broken() -> Iterator[None]:
    assert rank != 1, "in the fixture"
    yield


def test_setup(broken: None) -> None:
    MPI.COMM_WORLD.barrier()


def test_skips() -> None:
    if rank == 1:
        pytest.skip("not here")


@pytest.mark.xfail(strict=True)
def test_fails_as_expected_on_others() -> None:
    assert rank == 1


def test_after() -> None:
    assert MPI.COMM_WORLD.allreduce(1) == MPI.COMM_WORLD.size
