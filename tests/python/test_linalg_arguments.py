"""What dapbridge.linalg does with its arguments: types, overwriting, reports, and what it refuses."""

import gc
import sys
import threading
import time

import numpy as np
import pytest

import dapbridge as db
from matrices import check, distributed, hermitian, positive, random, regular

N = 12


def _address(a):
    return a.local.__array_interface__["data"][0]


def _kept(comm, function, *matrices):
    """Calls it, and checks that the arguments keep their elements."""
    arrays = [distributed(comm, m, "square blocks") for m in matrices]
    function(*arrays)
    for a, m in zip(arrays, matrices):
        check(a, m, 0)


def test_arguments_are_kept(comm):
    a, s, b = regular(N), positive(N), random((N, 2), seed=2)
    _kept(comm, db.linalg.solve, a, b)
    _kept(comm, lambda x, y: db.linalg.solve(x, y, assume_a="pos"), s, b)
    _kept(comm, db.linalg.lstsq, a, b)
    _kept(comm, lambda x, y: x @ y, a, b)
    for f in ("inv", "det", "slogdet", "cond", "norm", "qr", "eigh", "eigvalsh", "svd", "svdvals", "pinv", "matrix_rank"):
        _kept(comm, getattr(db.linalg, f), s)
    _kept(comm, lambda x: db.linalg.cond(x, 1), a)


def test_overwrite_b(comm):
    a, b = regular(N), random((N, 2), seed=2)
    right = distributed(comm, b)
    before = _address(right)
    x = db.linalg.solve(distributed(comm, a), right, overwrite_b=True)
    assert x is right and _address(x) == before
    check(x, np.linalg.solve(a, b))


def test_overwrite_a(comm):
    a, b = regular(N), random((N, 2), seed=2)
    matrix = distributed(comm, a, "square blocks")
    report = []
    x = db.linalg.solve(matrix, distributed(comm, b), overwrite_a=True, report=report)
    check(x, np.linalg.solve(a, b))
    assert [u.name for u in report] == ["A", "B"]
    assert report[0].shared and report[0].moved_bytes == 0
    assert any(comm.allgather(bool((matrix.local != distributed(comm, a, "square blocks").local).any())))
    report.clear()
    db.linalg.solve(distributed(comm, a, "square blocks"), distributed(comm, b), report=report)
    assert not report[0].shared and "keep" in report[0].reason


def test_inverse_in_place(comm):
    a = regular(N)
    matrix = distributed(comm, a, "square blocks")
    before = _address(matrix)
    report = []
    x = db.linalg.inv(matrix, overwrite_a=True, report=report)
    assert x is matrix and _address(x) == before and report[0].shared
    check(x, np.linalg.inv(a))


def test_read_only(comm):
    a, b = regular(N), random((N, 2), seed=2)
    parts = [distributed(comm, v).local.copy() for v in (a, b)]
    for part in parts:
        part.flags.writeable = False
    left, right = (db.array(p, comm, ["block", "local"]) for p in parts)
    x = db.linalg.solve(left, right, overwrite_a=True, overwrite_b=True)
    check(x, np.linalg.solve(a, b))
    assert x is not right
    check(left, a, 0)
    check(right, b, 0)


@pytest.mark.parametrize("dtype", (np.int64, np.bool_, np.uint8))
def test_integers_become_float64(comm, dtype):
    a = (np.eye(N) + np.eye(N, k=1)).astype(dtype)
    b = np.arange(2 * N).reshape(N, 2).astype(dtype)
    x = db.linalg.solve(distributed(comm, a), distributed(comm, b))
    check(x, np.linalg.solve(a.astype(float), b.astype(float)))
    assert db.linalg.det(distributed(comm, a)).dtype == np.float64
    check(db.linalg.inv(distributed(comm, a), overwrite_a=True), np.linalg.inv(a.astype(float)))


@pytest.mark.parametrize("types", ((np.float32, np.float64), (np.float64, np.complex64), (np.int32, np.float32)))
def test_common_type(comm, types):
    a, b = regular(N).astype(types[0]), random((N, 2), seed=2).astype(types[1])
    x = db.linalg.solve(distributed(comm, a), distributed(comm, b), overwrite_b=True)
    expected = np.linalg.solve(a, b)
    check(x, expected.astype(x.dtype), 1e-4)
    assert x.dtype == expected.dtype


def test_types_refused(comm):
    for dtype in (np.float16, np.longdouble, np.clongdouble):
        with pytest.raises(NotImplementedError, match="not supported: float32, float64, complex64 and complex128 are"):
            db.linalg.inv(db.zeros((4, 4), comm, dtype=dtype))


def test_arguments_refused(comm):
    a = distributed(comm, regular(N))
    with pytest.raises(db.LinAlgError, match="full rank.*rcond=-1 gives"):
        db.linalg.lstsq(db.zeros((N, 3), comm), db.zeros(N, comm))
    with pytest.raises(ValueError, match="masked array"):
        db.linalg.solve(a, np.ma.masked_less(np.arange(N), 2))
    with pytest.raises(ValueError, match="a second matrix is b="):
        db.linalg.eigh(a, a)
    with pytest.raises(TypeError, match="Array"):
        db.linalg.solve(np.eye(3), np.ones(3))
    with pytest.raises(NotImplementedError, match="str"):
        db.linalg.solve(a, "b")
    with pytest.raises(ValueError, match="'diagonal' is not 'gen', 'pos', 'sym' or 'her'"):
        db.linalg.solve(a, a, assume_a="diagonal")
    for function in (db.linalg.inv, db.linalg.eigh, db.linalg.svd, db.linalg.qr, db.linalg.det):
        with pytest.raises(ValueError, match="axes"):
            function(distributed(comm, random((N,))))
    with pytest.raises(ValueError):
        db.linalg.inv(distributed(comm, random((4, 5))))
    with pytest.raises(ValueError):
        db.linalg.solve(a, distributed(comm, random((N + 1, 2))))
    with pytest.raises(ValueError, match="mode"):
        db.linalg.qr(a, "complete")
    with pytest.raises(ValueError, match="cond"):
        db.linalg.cond(a, "nuc")


def test_wrong_on_one_process(comm):
    """All processes get the same error, and none waits."""
    a = distributed(comm, regular(N))
    b = np.ones(N) if comm.rank < comm.size - 1 else np.array(["x"] * N)
    with pytest.raises(NotImplementedError, match="str") as error:
        db.linalg.solve(a, b)
    texts = comm.allgather(str(error.value))
    assert len(set(texts)) == 1 or comm.size == 1


def test_different_arguments(comm):
    a = distributed(comm, regular(N))
    if comm.size > 1:
        with pytest.raises(ValueError):
            db.linalg.eigh(a, "L" if comm.rank else "U")


def test_lazy_arguments(comm):
    a = hermitian(N, np.complex128)
    given = distributed(comm, a)
    np.testing.assert_allclose(db.linalg.eigvalsh(given.T), np.linalg.eigvalsh(a.T))
    check(db.linalg.inv(given.conj()), np.linalg.inv(a.conj()))
    np.testing.assert_allclose(db.linalg.norm(given.T, 1), np.linalg.norm(a.T, 1))
    np.testing.assert_allclose(db.linalg.svdvals(given.astype(np.complex64)), np.linalg.svd(a)[1], rtol=1e-4)


def test_plane_on_some_processes(comm):
    cube = db.zeros((3, N, N), comm, ["block"])
    values = np.stack([positive(N, seed=s) for s in range(3)])
    cube.local[...] = values[np.ix_(*cube.indices())]
    for i in range(3):
        plane = cube[i]
        if plane.rank >= 0:
            check(db.linalg.inv(plane), np.linalg.inv(values[i]))
        else:
            with pytest.raises(ValueError, match="no part"):
                db.linalg.inv(plane)


def test_arrays_on_different_processes(comm):
    """A row lies on one process: the others, which have some of the other array only, learn of it."""
    a = distributed(comm, regular(N))
    row = a[1]
    if comm.size > 1:
        for call in (lambda: row @ a, lambda: a @ row, lambda: db.linalg.solve(a, row)):
            with pytest.raises(ValueError, match="on different processes"):
                call()


def test_other_threads_run_meanwhile(comm):
    a = distributed(comm, hermitian(500))
    ticks, stop = [], threading.Event()

    def work():
        while not stop.wait(1e-3):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    start = time.monotonic()
    db.linalg.eigh(a)
    end = time.monotonic()
    stop.set()
    thread.join()
    longest = np.diff([start, *[t for t in ticks if start < t < end], end]).max()
    assert longest < (end - start) / 2


def test_references(comm):
    a, b = distributed(comm, regular(N)), distributed(comm, random((N, 2), seed=2))

    def run():
        db.linalg.solve(a, b)
        db.linalg.svd(a)
        a @ b
        with pytest.raises(ValueError):
            db.linalg.solve(b, a)
        gc.collect()

    def counts():
        kept = (a, b, a.layout, b.layout, a._local, b._local, comm)
        return [sys.getrefcount(x) for x in kept]

    run()
    before = counts()
    for _ in range(5):
        run()
    assert counts() == before


def test_memory_of_many_calls(comm):
    a, b = distributed(comm, regular(N)), distributed(comm, random((N, 2), seed=2))

    def resident():
        gc.collect()
        with open("/proc/self/statm") as f:
            return int(f.read().split()[1]) * 4096

    def run():
        for _ in range(150):
            db.linalg.solve(a, b)
            db.linalg.inv(a)
            a @ a

    run()
    before = resident()
    run()
    assert resident() - before < 150 * 1024  # less than 1 KiB for three calls


def test_slices_are_for_the_processes_that_have_some(comm):
    """These alone call; none of them waits for the others."""
    whole = np.eye(2 * comm.size + 1, 6) + np.arange(6.0)
    a = db.from_global(whole if comm.rank == 0 else None, comm)
    row, rows = a[0], a[:2]
    if row.rank >= 0:
        assert np.isclose(db.linalg.norm(row), np.linalg.norm(whole[0]))
        assert np.isclose(db.linalg.norm(row.astype(np.float32)), np.linalg.norm(whole[0]))
    else:
        for given in (row, row.astype(np.float32)):
            with pytest.raises(ValueError, match="no part"):
                db.linalg.norm(given)
    if rows.rank >= 0:
        np.testing.assert_allclose(db.linalg.svdvals(rows), np.linalg.svd(whole[:2], compute_uv=False))
        product = db.linalg.matmul(rows.T, rows)
        np.testing.assert_allclose(product.gather(), whole[:2].T @ whole[:2])
        single = db.linalg.matmul(rows.astype(np.float32), rows.T.astype(np.float32))
        np.testing.assert_allclose(single.gather(), whole[:2] @ whole[:2].T, rtol=1e-5)


def test_one_matrix_in_two_places(comm):
    """Both arguments are overwritten, so one is copied, also if it is another name or a window of the memory."""
    values = np.random.default_rng(7).random((N, N)) + 2 * N * np.eye(N)
    values += values.T
    a = distributed(comm, values)
    for other in (a, a[:, :]):
        w, _ = db.linalg.eigh(a, b=other)
        np.testing.assert_allclose(w, np.ones(N), atol=1e-12)
        np.testing.assert_allclose(db.linalg.lstsq(a, other).x.gather(), np.eye(N), atol=1e-12)
        np.testing.assert_allclose(db.linalg.solve(a, other).gather(), np.eye(N), atol=1e-12)
    np.testing.assert_array_equal(a.gather(), values)
