"""wait_limit(): processes that are late, and those that are not."""

import time

import numpy as np
import pytest

import dapbridge


@pytest.fixture
def limited(comm):
    """A communicator of its own, with a limit that nobody reaches."""
    own = comm.Dup()
    dapbridge.wait_limit(own, 600)
    yield own
    own.Free()


class Part:
    """Three elements on each process."""

    def __init__(self, comm):
        dim = {"dist_type": "b", "size": 3 * comm.size, "proc_grid_size": comm.size, "proc_grid_rank": comm.rank}
        dim["start"], dim["stop"] = 3 * comm.rank, 3 * comm.rank + 3
        first = 3.0 * comm.rank
        self.__distarray__ = lambda: {
            "__version__": "0.10.0",
            "buffer": np.arange(first, first + 3),
            "dim_data": (dim,),
        }


def move(comm):
    array = dapbridge.from_dap(Part(comm), comm)
    moved = array.redistribute([dapbridge.cyclic()])
    assert np.array_equal(moved.local, np.arange(comm.rank, 3 * comm.size, comm.size))


def test_nobody_is_late(limited):
    move(limited)
    dapbridge.wait_limit(limited, 0)
    move(limited)


def test_one_is_late(comm, limited):
    """It finds the error of those that gave up, or had all it needed from them."""
    if comm.size == 1:
        pytest.skip("nobody else")
    late = comm.size - 1
    dapbridge.wait_limit(limited, 1)  # one that is not late may lose its core for a while
    if comm.rank != late:
        with pytest.raises(dapbridge.LibraryError, match=f"rank {late} has not answered for 1 s"):
            move(limited)
    others = comm.Ibarrier()
    while not others.Test():
        time.sleep(0.02)
    with pytest.raises(dapbridge.LibraryError, match="has not answered"):
        move(limited)
    move(comm)


@pytest.mark.parametrize("seconds", [-1, float("nan")])
def test_no_time_is_refused_on_all(limited, seconds):
    with pytest.raises(dapbridge.ArgumentError, match="seconds"):
        dapbridge.wait_limit(limited, seconds)
    move(limited)


def test_different_times_are_refused_on_all(comm, limited):
    if comm.size == 1:
        pytest.skip("nobody else")
    with pytest.raises(dapbridge.ArgumentError, match="seconds"):
        dapbridge.wait_limit(limited, 600 + comm.rank)
    move(limited)


def test_what_is_no_number_is_refused_on_all(comm, limited):
    with pytest.raises((TypeError, dapbridge.ArgumentError)):
        dapbridge.wait_limit(limited, "600" if comm.rank == 0 else 600)
    move(limited)
