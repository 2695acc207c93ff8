"""Tests late processes: one line on stderr names them and the place of the call, and wait_limit() ends the wait.

The late process joins after it learns that another one has printed this line, or has given up."""

import operator
import os
import tempfile
import threading
from inspect import currentframe

import numpy as np
import pytest

import dapbridge

DELAY = 0.3  # seconds
os.environ["DAPBRIDGE_WAIT_REPORT"] = str(DELAY)  # read at the first long wait
TAG = 77


class Standard:
    """Collects standard error of this process in a file that another thread can read."""

    def __init__(self):
        self.file = tempfile.TemporaryFile()
        self.saved = os.dup(2)
        os.dup2(self.file.fileno(), 2)

    def text(self):
        return os.pread(self.file.fileno(), 1 << 16, 0).decode()

    def end(self):
        os.dup2(self.saved, 2)
        os.close(self.saved)
        self.file.close()


@pytest.fixture
def error():
    standard = Standard()
    yield standard
    standard.end()


@pytest.fixture
def own(comm):
    """Returns a new communicator."""
    duplicate = comm.Dup()
    yield duplicate
    duplicate.Free()


@pytest.fixture
def limited(own):
    """Returns a communicator with a limit that no test reaches."""
    dapbridge.wait_limit(own, 600)
    return own


def come_late(comm, error, call, words):
    """Lets the last process call after another one has printed these words during its wait."""
    ended = threading.Event()

    def watch():
        while words not in error.text() and not ended.wait(0.01):
            pass
        comm.send(None, comm.size - 1, TAG)

    if comm.rank == comm.size - 1:
        comm.recv(tag=TAG)
        call()
        for _ in range(comm.size - 2):
            comm.recv(tag=TAG)
    else:
        thread = threading.Thread(target=watch)
        thread.start()
        call()
        ended.set()
        thread.join()


def made(comm):
    """Makes an array on a communicator that has been used."""
    return dapbridge.from_function(lambda i, j: 10.0 * i + j, (12, 10), comm, [dapbridge.padded(1)])


def matrix(comm):
    return dapbridge.from_function(lambda i, j: 3.0 * (i == j), (12, 12), comm)


CALLS = {  # by the names in the line: a function and its arguments
    "Array.gather": lambda comm: (made(comm).gather,),
    "Array.redistribute": lambda comm: (made(comm).redistribute, "cyclic"),
    "numpy.mean": lambda comm: (np.mean, made(comm)),
    "numpy.add": lambda comm: (operator.add, made(comm), made(comm)),
    "zeros": lambda comm: (dapbridge.zeros, made(comm).shape, comm),
    "array": lambda comm: (dapbridge.array, made(comm).local, comm, [dapbridge.padded(1)]),
    "Array.halo_update": lambda comm: (made(comm).halo_update,),
    "Plan.__call__": lambda comm: (dapbridge.Plan(made(comm), made(comm).redistribute(["local", "block"])),),
    "solve": lambda comm: (dapbridge.linalg.solve, matrix(comm), made(comm)),
    "Factors.solve": lambda comm: (dapbridge.linalg.lu_factor(matrix(comm)).solve, np.ones(12)),
}


@pytest.mark.parametrize("name", CALLS)
def test_the_late_one_is_named(comm, several, error, name):
    if "solve" in name:
        pytest.importorskip("dapbridge.linalg")
    function, *arguments = CALLS[name](comm)
    words = f"rank {comm.size - 1} has not come"
    line = currentframe().f_lineno + 1
    come_late(comm, error, lambda: function(*arguments), words)
    start = f"dapbridge: rank {comm.rank} has waited for {DELAY:g} s in {name}(), {__file__}, line {line}: rank "
    said = [x for x in error.text().splitlines() if words in x]
    assert all(x.startswith(start) for x in said) and any(comm.allgather(said)), error.text()


def test_the_first_call_on_a_communicator(comm, several, own, error):
    """On a new communicator no process knows which others are missing."""
    come_late(comm, error, lambda: dapbridge.zeros(9, own), "another process has not come")
    start = f"dapbridge: rank {comm.rank} has waited for {DELAY:g} s in zeros(), {__file__}, line "
    assert any(comm.allgather(start in error.text()))


# ---- limits ---------------------------------------------------------------------------------------------------


def move(comm):
    moved = made(comm).redistribute([dapbridge.cyclic()])
    assert np.array_equal(moved.local, [[10 * i + j for j in range(10)] for i in moved.indices()[0]])


def give_up(comm, own, seconds):
    """All except the last process must give up, and name it. The last one receives their error, unless it
    already has their elements."""
    if comm.rank < comm.size - 1:
        with pytest.raises(dapbridge.LibraryError, match=f"rank {comm.size - 1} has not answered for {seconds} s"):
            move(own)
    comm.barrier()
    with pytest.raises(dapbridge.LibraryError, match="has not answered"):
        for _ in range(2):
            move(own)
    move(comm)


def test_one_is_late(comm, several, limited):
    dapbridge.wait_limit(limited, 1)
    give_up(comm, limited, 1)


def test_the_environment_limits_waits(comm, several, own, monkeypatch):
    monkeypatch.setenv("DAPBRIDGE_WAIT_LIMIT", "0.8")
    made(own)
    own.Barrier()
    give_up(comm, own, 0.8)


def test_a_wrong_limit_of_the_environment(own, monkeypatch):
    monkeypatch.setenv("DAPBRIDGE_WAIT_LIMIT", "ten")
    with pytest.raises(dapbridge.ArgumentError, match="DAPBRIDGE_WAIT_LIMIT.*'ten'.*seconds"):
        dapbridge.zeros(9, own)


def test_nobody_is_late(limited):
    move(limited)
    dapbridge.wait_limit(limited, 0)
    move(limited)


@pytest.mark.parametrize("wrong", [-1, float("nan"), "600 on one", "another on one"])
def test_no_limit_is_refused_on_all(comm, limited, last, wrong):
    if wrong == "another on one" and comm.size == 1:
        pytest.skip("one process")
    alone = {"600 on one": "600", "another on one": 601}.get(wrong)
    with pytest.raises((TypeError, dapbridge.ArgumentError), match="seconds|number"):
        dapbridge.wait_limit(limited, wrong if alone is None else alone if last else 600)
    move(limited)


def test_a_plan_is_over_for_all_after_its_limit(comm, several, limited):
    """The plan has ended on the late process, too, even if others use its communicator."""
    a = made(limited)
    b = dapbridge.zeros(a.shape, limited, [dapbridge.cyclic()])
    dapbridge.wait_limit(limited, 2)
    plan = dapbridge.Plan(a, b)
    if comm.rank < comm.size - 1:
        with pytest.raises(dapbridge.LibraryError, match="has not answered"):
            plan(a, b)
    comm.barrier()
    for _ in range(2):
        with pytest.raises(dapbridge.LibraryError):
            plan(a, b)
    plan.destroy()
    move(comm)
