"""One line on standard error about a process that does not come: who is missing, and where this one called."""

import operator
import os
import time
from inspect import currentframe

import numpy as np
import pytest

import dapbridge

DELAY = 0.3  # seconds
#: Seconds by which one is late: more where the others did not have their cores for so long, and so did not wait.
LATE = (0.8, 2.5, 8.0)
os.environ["DAPBRIDGE_WAIT_REPORT"] = str(DELAY)  # is read at the first long wait


@pytest.fixture
def late(comm):
    if comm.size == 1:
        pytest.skip("nobody else")
    return comm.size - 1


def made(comm):
    """An array on a communicator that has been used."""
    return dapbridge.from_function(lambda i, j: 10.0 * i + j, (12, 10), comm, [dapbridge.padded(1)])


def solve(comm):
    linalg = pytest.importorskip("dapbridge.linalg")
    a = dapbridge.from_function(lambda i, j: 3.0 * (i == j), (12, 12), comm)
    return linalg.solve, a, dapbridge.from_function(lambda i: i, (12,), comm)


def factors(comm):
    linalg = pytest.importorskip("dapbridge.linalg")
    return linalg.lu_factor(dapbridge.from_function(lambda i, j: 3.0 * (i == j), (12, 12), comm))


CALLS = {  # by the names that are told: a function and its arguments
    "Array.gather": lambda comm: (made(comm).gather,),
    "Array.redistribute": lambda comm: (made(comm).redistribute, "cyclic"),
    "numpy.mean": lambda comm: (np.mean, made(comm)),
    "numpy.add": lambda comm: (operator.add, made(comm), made(comm)),
    "zeros": lambda comm: (dapbridge.zeros, made(comm).shape, comm),
    "array": lambda comm: (dapbridge.array, made(comm).local, comm, [dapbridge.padded(1)]),
    "Array.halo_update": lambda comm: (made(comm).halo_update,),
    "Plan.__call__": lambda comm: (dapbridge.Plan(made(comm), made(comm).redistribute(["local", "block"])),),
    "solve": solve,
    "Factors.solve": lambda comm: (factors(comm).solve, np.ones(12)),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_late_one_is_named(comm, late, name, capfd):
    for seconds in LATE:
        function, *arguments = CALLS[name](comm)
        comm.Barrier()
        capfd.readouterr()
        if comm.rank == late:
            time.sleep(seconds)
        line = currentframe().f_lineno + 1
        function(*arguments)
        said = [s for s in capfd.readouterr().err.splitlines() if f"rank {late} has not come" in s and comm.rank != late]
        for found in said:
            start = f"dapbridge: rank {comm.rank} has waited for {DELAY:g} s in {name}(), {__file__}, line {line}: rank "
            assert found.startswith(start), found
        if any(comm.allgather(said)):
            return
    raise AssertionError("nobody has named the late one")


def test_the_first_call_on_a_communicator(comm, late, capfd):
    """Nobody knows yet who is missing."""
    for seconds in LATE:
        own = comm.Dup()
        capfd.readouterr()
        if comm.rank == late:
            time.sleep(seconds)
        dapbridge.zeros(9, own)
        said = capfd.readouterr().err
        own.Free()
        if all(comm.allgather(comm.rank == late or bool(said))):
            break
    if comm.rank != late:
        assert f"dapbridge: rank {comm.rank} has waited for {DELAY:g} s in zeros(), {__file__}, line " in said
        assert "another process has not come" in said


def test_the_environment_limits_waits(comm, late, monkeypatch, capfd):
    monkeypatch.setenv("DAPBRIDGE_WAIT_LIMIT", "0.8")
    own = comm.Dup()
    dapbridge.zeros(9, own)
    own.Barrier()
    if comm.rank == late:
        time.sleep(LATE[1])
        with pytest.raises(dapbridge.LibraryError, match="has not answered"):
            for _ in range(2):  # the first may still find what the others have said
                dapbridge.zeros(9, own)
    else:
        with pytest.raises(dapbridge.LibraryError, match=f"rank {late} has not answered for 0.8 s"):
            dapbridge.zeros(9, own)


def test_a_wrong_limit_is_named(comm, monkeypatch):
    own = comm.Dup()
    monkeypatch.setenv("DAPBRIDGE_WAIT_LIMIT", "ten")
    with pytest.raises(dapbridge.ArgumentError, match="DAPBRIDGE_WAIT_LIMIT is 'ten', not a number of seconds"):
        dapbridge.zeros(9, own)
    own.Free()
