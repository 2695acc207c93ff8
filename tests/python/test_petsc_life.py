"""How long PETSc's objects and the memory under them live, whatever happens."""

import gc
import sys
import threading
import time

import numpy as np
import pytest

PETSc = pytest.importorskip("petsc4py.PETSc")

import dapbridge as db  # noqa: E402
from petsc_cases import check, fill  # noqa: E402

VIEWS = ("petsc_field", "petsc_vector", "petsc_matrix")


def array(comm, dist=("block",)):
    return db.zeros((12, 5), comm, list(dist), PETSc.ScalarType)


def resident():
    """Bytes of memory that this process has."""
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096


def test_references(comm):
    a = array(comm)
    with a.petsc_field(width=1) as f:
        dm = f.dm
        assert f.dm is dm and f.local is f.local
        inside = dm.getRefCount()
    assert dm.getRefCount() < inside
    assert dm.getSizes() == (5, 12)


@pytest.mark.parametrize("kind", ("vec", "global_vec", "mat"))
def test_memory_lives_as_long_as_what_uses_it(comm, kind):
    """A shared object that is kept beyond the view must not be used; if it is, its memory is there."""
    part = np.ones((12 if comm.rank == 0 else 3, 5), PETSc.ScalarType)
    free = sys.getrefcount(part)
    a = db.array(part, comm, ["block"])
    view = {"vec": a.petsc_vector, "global_vec": a.petsc_field, "mat": a.petsc_matrix}[kind](
        share="required", **({"vectors": "global"} if kind == "global_vec" else {})
    )
    with view:
        kept = getattr(view, kind)
    del view, a
    gc.collect()
    assert sys.getrefcount(part) > free
    if kind != "mat":
        kept.scale(2.0)
        assert part.min() == 2
    kept.destroy()
    gc.collect()
    assert sys.getrefcount(part) == free


@pytest.mark.parametrize("kind", VIEWS)
def test_memory_is_free_after_the_end(comm, kind):
    part = np.ones((4, 5), PETSc.ScalarType)
    free = sys.getrefcount(part)
    a = db.array(part, comm, ["block"])
    with getattr(a, kind)() as view:
        assert sys.getrefcount(part) > free
    del a, view
    gc.collect()
    assert sys.getrefcount(part) == free


@pytest.mark.parametrize("share", ("if-possible", "never"))
@pytest.mark.parametrize("kind", VIEWS)
def test_an_exception_on_one_process(comm, kind, share):
    a = array(comm)
    whole = fill(a)
    view = getattr(a, kind)(share=share)
    expected = KeyError if comm.rank == comm.size - 1 else db.RemoteFailure
    with pytest.raises(expected, match="the reason"):
        with view:
            if share == "never" and kind == "petsc_vector":
                view.vec.set(0.0)
            if comm.rank == comm.size - 1:
                raise KeyError("the reason")
    assert not view.is_live
    check(a, whole)


@pytest.mark.parametrize("kind", VIEWS)
def test_a_view_that_was_forgotten(comm, kind):
    a = array(comm)
    fill(a)
    view = getattr(a, kind)()
    line = sys._getframe().f_lineno - 1
    with pytest.warns(ResourceWarning, match=f"{__file__}:{line}"):
        del view
        gc.collect()
    assert db.end_forgotten(comm) == 1
    assert db.end_forgotten(comm) == 0


def test_a_live_handle_that_is_dropped_stays(comm):
    """The compiled view itself: nothing collective happens, and the array's memory is not freed."""
    part = np.ones((4, 5), PETSc.ScalarType)
    free = sys.getrefcount(part)
    a = db.array(part, comm, ["block"])
    view = a.petsc_vector()
    vec = view.vec
    view._handle = None
    del view, a
    gc.collect()
    vec.scale(2.0)
    assert sys.getrefcount(part) > free
    assert part.min() == 2


def test_many_cycles(comm):
    a, b = array(comm), db.zeros((12, 5), comm, ["block"], np.float32)
    vec = PETSc.Vec().createMPI((3, PETSc.DECIDE), comm=comm)

    def cycle():
        with a.petsc_field(width=1) as f:
            f.global_vec.norm()
        with a.petsc_vector(share="required") as v:
            v.vec.shift(1.0)
        with a.petsc_matrix() as m:
            m.mat.getSize()
        with b.petsc_vector(access="r") as v:
            v.vec.norm()
        db.from_petsc(vec).local[0] = 1
        with pytest.raises(db.ShareError):
            b.petsc_vector(access="r", share="required")

    for _ in range(100):
        cycle()
    gc.collect()
    before = resident()
    for _ in range(1000 if comm.size == 1 else 200):
        cycle()
    gc.collect()
    assert comm.allreduce(resident() - before) < comm.size * 1_000_000


def test_other_threads_run_meanwhile(comm):
    """The interpreter's lock is free while processes wait for each other."""
    if comm.size == 1:
        return
    a = array(comm)
    counts = []
    stop = threading.Event()

    def count():
        while not stop.wait(0.001):
            counts.append(time.monotonic())

    thread = threading.Thread(target=count)
    thread.start()
    try:
        if comm.rank == 0:
            time.sleep(0.5)
        begin = time.monotonic()
        view = a.petsc_vector(share="never")
        end = time.monotonic()
        if comm.rank == 0:
            time.sleep(0.5)
        again = time.monotonic()
        view.restore()
        last = time.monotonic()
    finally:
        stop.set()
        thread.join()
    for first, after in ((begin, end), (again, last)):
        if comm.rank and after - first > 0.3:
            assert sum(first < t < after for t in counts) > 10


def test_views_are_not_copied_or_pickled(comm):
    import copy
    import pickle

    with array(comm).petsc_vector() as v:
        for refuse in (pickle.dumps, copy.copy):
            with pytest.raises(TypeError):
                refuse(v._handle)
    with pytest.raises(TypeError):
        type(v._handle)()
