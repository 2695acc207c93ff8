"""The life of views as matrices of ScaLAPACK: what ends them, what outlives them, how much memory they take."""

import gc
import sys
import threading
import time

import numpy as np
import pytest

import dapbridge as db
from matrices import check, distributed, random

SHAPE = (12, 6)


def test_after_the_end(comm):
    a = distributed(comm, random(SHAPE))
    for share in ("never", "required"):
        with a.scalapack(share=share) as m:
            data = m.data
            before = data.copy()
        assert not m.is_live
        for use in ("data", "desc", "m", "op", "data_pointer", "desc_pointer"):
            with pytest.raises(ValueError, match="ended"):
                getattr(m, use)
        with pytest.raises(ValueError):
            m.load()
        np.testing.assert_array_equal(data, before)
        m.restore()
        m.discard()
        assert m.shared == (share == "required") and m.reason


def test_memory_of_a_moved_view_outlives_it(comm):
    """Numpy's views of it keep it, and its last one frees it."""
    a = distributed(comm, random((300, 300)))
    kept = []
    for i in range(20):
        with a.scalapack(share="never") as m:
            m.data[...] = i
            kept.append(m.data)
    for i, data in enumerate(kept):
        assert (data == i).all()


def test_data_keeps_the_array(comm):
    m = distributed(comm, random(SHAPE)).scalapack()
    data = m.data
    before = data.copy()
    m.restore()
    del m
    gc.collect()
    np.testing.assert_array_equal(data, before)


def test_discard(comm):
    values = random(SHAPE)
    a = distributed(comm, values)
    m = a.scalapack(share="never")
    m.data[...] = 0
    m.discard()
    check(a, values)


def test_exception_on_one_process(comm):
    values = random(SHAPE)
    a = distributed(comm, values)
    expected = ZeroDivisionError if comm.rank == comm.size - 1 else db.RemoteFailure
    with pytest.raises(expected):
        with a.scalapack(share="never") as m:
            m.data[...] = 0
            if comm.rank == comm.size - 1:
                1 / 0
    assert not m.is_live
    check(a, values)


def test_forgotten(comm):
    a = distributed(comm, random(SHAPE))
    m = a.scalapack()
    with pytest.warns(ResourceWarning, match="test_scalapack_life.py"):
        del m
        gc.collect()
    assert db.end_forgotten(comm) == 1
    with a.scalapack() as m:
        assert m.shared


def _resident():
    with open("/proc/self/statm") as f:
        return int(f.read().split()[1]) * 4096


@pytest.mark.parametrize("share", ("required", "never"))
def test_memory_of_many_cycles(comm, share):
    a = distributed(comm, random((60, 60)))
    cycle = 1000

    def run():
        for _ in range(cycle):
            with a.scalapack(share=share) as m:
                m.data

    run()
    gc.collect()
    before = _resident()
    run()
    gc.collect()
    assert _resident() - before < cycle * 64  # bytes: not one object for each view


def test_references(comm):
    a = distributed(comm, random(SHAPE))

    def run():
        for share in ("never", "if-possible"):
            with a.scalapack(share=share) as m, a.scalapack(aligned_with=m, access="r"):
                m.data
            with pytest.raises(ValueError):
                a.scalapack("pdsyevd")
        gc.collect()

    run()
    before = [sys.getrefcount(x) for x in (a, a.layout, a._local, comm)]
    for _ in range(5):
        run()
    assert [sys.getrefcount(x) for x in (a, a.layout, a._local, comm)] == before


def test_data_dropped_by_another_thread(comm):
    """While the view is restored: the copy must not go before all of it was read."""
    a = db.zeros((1200, 1200), comm, "cyclic")
    for value in range(1, 9):
        view = a.scalapack(share="never")
        box = [view.data]
        box[0][...] = value
        begun = threading.Event()

        def drop():
            begun.wait()
            time.sleep(0.003)
            box.clear()

        thread = threading.Thread(target=drop)
        thread.start()
        begun.set()
        view.restore()
        thread.join()
        assert np.all(a.local == value)
