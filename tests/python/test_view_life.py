"""Tests the life of views of ScaLAPACK and PETSc: how they end, which objects outlive them, and their memory."""

import copy
import gc
import pickle
import sys
import threading

import numpy as np
import pytest
from maps import check, fill, ramp
from memory import release_the_lock, steady

import dapbridge as db

#: Attributes that each kind of view has while it lives.
USES = {
    "scalapack": ("data", "desc", "m", "op", "data_pointer", "desc_pointer"),
    "petsc_field": ("global_vec", "halo", "halo_reverse"),
    "petsc_vector": ("vec", "ao", "halo", "halo_reverse"),
    "petsc_matrix": ("mat",),
}
ORDERS = {"petsc_matrix": "F"}
kinds = pytest.mark.parametrize("kind", USES)
shares = pytest.mark.parametrize("share", ("required", "never"))


def array(comm, kind, dtype=None):
    """Returns rows in the order in which the view shares them. Skips the test if that view was not built."""
    if kind == "scalapack":
        pytest.importorskip("dapbridge._scalapack")
        dtype = dtype or float
    else:
        dtype = dtype or pytest.importorskip("petsc4py.PETSc").ScalarType
    return fill(db.zeros((12, 5), comm, ["block", "local"], dtype, (comm.size, 1), ORDERS.get(kind, "C")), ramp((12, 5), "f8"))


def view(a, kind, **options):
    if kind == "petsc_field":
        options = {"vectors": "global", **options}
    return getattr(a, kind)(**options)


def write(view, kind, value):
    """Sets all elements of the view on this process."""
    if kind == "scalapack":
        view.data[...] = value
    elif kind == "petsc_matrix":
        view.mat.getDenseArray()[...] = value
    else:
        (view.vec if kind == "petsc_vector" else view.global_vec).set(value)


@shares
@kinds
def test_after_the_end(comm, kind, share):
    a = array(comm, kind)
    with view(a, kind, share=share) as v:
        assert v.is_live and v.describe() in repr(v)
        assert v.shared == (share == "required") and v.reason
        write(v, kind, 3)
    assert not v.is_live and "ended" in repr(v)
    for use in (*USES[kind], "load", "store", "__enter__"):
        with pytest.raises(db.ArgumentError, match="ended|live"):
            value = getattr(v, use)
            value()
    v.restore()
    v.discard()
    assert v.shared == (share == "required") and v.reason and (v.moved_bytes == 0 or not v.shared)
    check(a, np.full((12, 5), 3.0))


@pytest.mark.parametrize("access", ("r", "w", "rw"))
@shares
@kinds
def test_access(comm, kind, share, access):
    a = array(comm, kind)
    with view(a, kind, share=share, access=access) as v:
        if access == "r" and kind == "scalapack":
            assert not v.data.flags.writeable
        if access == "w":
            with pytest.raises(ValueError):
                v.load()
        if access != "r":
            write(v, kind, 5)
    check(a, ramp((12, 5)) if access == "r" else np.full((12, 5), 5.0))


@kinds
def test_load_and_store(comm, kind):
    a = array(comm, kind)
    with view(a, kind, share="never") as v:
        write(v, kind, 7)
        check(a, ramp((12, 5)))
        v.store()
        check(a, np.full((12, 5), 7.0))
        a.local[...] = 8
        v.load()
    check(a, np.full((12, 5), 8.0))
    assert comm.allreduce(v.moved_bytes) > 0


@pytest.mark.parametrize("how", ("discard", "an exception on one process"))
@kinds
def test_discarded(comm, last, kind, how):
    a = array(comm, kind)
    v = view(a, kind, share="never")
    write(v, kind, -1)
    if how == "discard":
        v.discard()
    else:
        with pytest.raises(KeyError if last else db.RemoteFailure, match="the reason"):
            with v:
                if last:
                    raise KeyError("the reason")
    assert not v.is_live
    check(a, ramp((12, 5)))


@kinds
def test_forgotten(comm, kind):
    v = view(array(comm, kind), kind)
    with pytest.warns(ResourceWarning, match="test_view_life.py"):
        del v
        gc.collect()
    assert db.end_forgotten(comm) == 1
    assert db.end_forgotten(comm) == 0


@kinds
def test_references(comm, kind):
    """Tests it also with refused views. After its end a part's memory must be free."""
    a, b = array(comm, kind), array(comm, kind, "f4" if kind != "scalapack" else "i2")
    part = np.ones((4, 5), a.dtype)

    def run():
        for share in ("never", "if-possible"):
            with view(a, kind, share=share) as v:
                getattr(v, USES[kind][0])
        with pytest.raises(ValueError):
            view(b, kind, share="required")
        with view(db.array(part, comm), kind):
            pass
        gc.collect()

    kept = (a, a.layout, a._local, comm, part)
    run()
    before = [sys.getrefcount(x) for x in kept]
    for _ in range(5):
        run()
    assert [sys.getrefcount(x) for x in kept] == before


@kinds
def test_memory_lives_as_long_as_what_uses_it(comm, kind):
    """Objects must not be used after a shared view ends. If they are, their memory must still exist."""
    part = np.ones((4, 5), array(comm, kind).dtype, ORDERS.get(kind, "C"))
    free = sys.getrefcount(part)
    v = view(db.array(part, comm, ["block", "local"], grid=(comm.size, 1)), kind, share="required")
    with v:
        kept = getattr(v, USES[kind][0])
    del v
    gc.collect()
    assert sys.getrefcount(part) > free
    if kind == "scalapack":
        kept[...] = 2
    elif kind != "petsc_matrix":
        kept.scale(2.0)
    assert part.min() == (1 if kind == "petsc_matrix" else 2)
    if kind != "scalapack":
        kept.destroy()
    del kept
    gc.collect()
    assert sys.getrefcount(part) == free


@kinds
def test_memory_of_many_cycles(comm, kind):
    a = array(comm, kind)

    def cycle():
        for share in ("required", "never"):
            with view(a, kind, share=share) as v:
                getattr(v, USES[kind][0])

    steady(comm, cycle, 500 if comm.size == 1 else 20, 200_000)


@kinds
def test_neither_copied_nor_pickled(comm, kind):
    with view(array(comm, kind), kind) as v:
        for thing in (v, v._handle):
            for refuse in (pickle.dumps, copy.copy):
                with pytest.raises(TypeError):
                    refuse(thing)
        with pytest.raises(TypeError):
            type(v._handle)()


@pytest.mark.parametrize("how", ("get", "restore"))
@pytest.mark.parametrize("kind", ("scalapack", "petsc_vector"))
def test_other_threads_run_meanwhile(comm, several, kind, how):
    a = array(comm, kind)
    found = []
    if how == "restore":
        with view(a, kind, share="never") as v:
            release_the_lock(comm, v.restore)
        return
    release_the_lock(comm, lambda: found.append(view(a, kind, share="never")))
    found[0].restore()


# ---- memory of matrices of ScaLAPACK --------------------------------------------------------------------------


def test_memory_of_moved_matrices_outlives_them(comm):
    """Numpy's views of the memory keep it alive, and the last one frees it."""
    a, kept = array(comm, "scalapack"), []
    for i in range(20):
        with a.scalapack(share="never") as m:
            m.data[...] = i
            kept.append(m.data)
    for i, data in enumerate(kept):
        assert (data == i).all()


def test_data_of_a_matrix_dropped_by_another_thread(comm):
    """Drops the data while the view is restored. The copy must not be freed before all of it was read."""
    pytest.importorskip("dapbridge._scalapack")
    a = db.zeros((800, 800), comm, "cyclic")
    for value in range(1, 5):
        m = a.scalapack(share="never")
        box = [m.data]
        box[0][...] = value
        begun = threading.Event()

        def drop():
            begun.wait()
            box.clear()

        thread = threading.Thread(target=drop)
        thread.start()
        begun.set()
        m.restore()
        thread.join()
        assert np.all(a.local == value)


def test_a_live_handle_of_petsc_that_is_dropped_stays(comm):
    """Drops the compiled view itself. It must not act collectively, and the array's memory must not be freed."""
    part = np.ones((4, 5), array(comm, "petsc_vector").dtype)
    free = sys.getrefcount(part)
    a = db.array(part, comm, ["block"])
    v = a.petsc_vector()
    vec = v.vec
    v._handle = None
    del v, a
    gc.collect()
    vec.scale(2.0)
    assert sys.getrefcount(part) > free
    assert part.min() == 2
