"""Tests the arguments of dapbridge.linalg: overwriting, numpy operands, types, processes, and refusals."""

import copy
import gc
import re
import sys
import threading
import time
import weakref

import numpy as np
import pytest
from layouts import distributed
from maps import check
from matrices import hermitian, positive, random, regular
from memory import steady

import dapbridge as db

la = db.linalg
N = 12


def address(a):
    return a.local.__array_interface__["data"][0]


@pytest.fixture
def operands(comm):
    """Returns a regular matrix and two columns, and arrays of them that ScaLAPACK can use in place."""
    a, b = regular(N), random((N, 2), seed=2)
    return a, b, *(distributed(comm, x, "square blocks in turn") for x in (a, b))


# ---- in place -------------------------------------------------------------------------------------------------


#: The call of arrays a and b, the names in its report, which of them has the result, and the expected result.
IN_PLACE = {
    "solve": (
        lambda a, b, **k: la.solve(a, b, overwrite_a=True, overwrite_b=True, **k), "AB", 1, np.linalg.solve,
    ),
    "inv": (lambda a, b, **k: la.inv(a, overwrite_a=True, **k), "A", 0, lambda a, b: np.linalg.inv(a)),
    "qr": (lambda a, b, **k: la.qr(a, overwrite_a=True, **k)[0], "A", 0, None),
    "solve_triangular": (
        lambda a, b, **k: la.solve_triangular(a, b, overwrite_b=True, **k), "AB", 1,
        lambda a, b: np.linalg.solve(np.triu(a), b),
    ),
    "multiply_triangular": (
        lambda a, b, **k: la.multiply_triangular(a, b, overwrite_b=True, **k), "AB", 1, lambda a, b: np.triu(a) @ b,
    ),
    "rank_k": (
        lambda a, b, **k: la.rank_k(b, c=a, beta=3, overwrite_c=True, **k), "AC", 0,
        lambda a, b: b @ b.T + 3 * (np.tril(a) + np.tril(a, -1).T),
    ),
    "factors": (
        lambda a, b, **k: la.lu_factor(a).solve(b, overwrite_b=True, **k), ["factors", "B"], 1, np.linalg.solve,
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", IN_PLACE)
def test_in_place(comm, operands, name):
    call, uses, which, wanted = IN_PLACE[name]
    a, b, *arrays = operands
    before, report = address(arrays[which]), []
    found = call(*arrays, report=report)
    assert found is arrays[which] and address(found) == before
    assert [use.name for use in report][: len(uses)] == list(uses)
    assert report[-1].shared or name == "factors"  # factors may be on another grid
    if wanted:
        check(found, wanted(a, b), tolerance=1e-9)


def test_reports_say_what_is_kept(comm, operands):
    a, b, left, right = operands
    report = []
    la.solve(left, right, report=report)
    assert not report[0].shared and "keep" in report[0].reason
    la.eigvalsh(left, b=distributed(comm, positive(N)), report=report)
    assert [use.name for use in report] == ["A", "B", "A", "W", "Z", "B"]
    report.clear()
    check(la.matmul(left.T, right, report=report), a.T @ b, tolerance=1e-9)
    assert [use.name for use in report] == ["A", "B", "C"] and report[0].shared and report[0].moved_bytes == 0
    report.clear()
    la.matrix_power(left, 3, report=report)
    assert [use.name for use in report] == ["A", "B", "C"] * 2


def test_read_only(comm):
    a, b = regular(N), random((N, 2), seed=2)
    parts = [distributed(comm, v).local.copy() for v in (a, b)]
    for part in parts:
        part.flags.writeable = False
    left, right = (db.array(p, comm, ["block", "local"]) for p in parts)
    x = la.solve(left, right, overwrite_a=True, overwrite_b=True)
    check(x, np.linalg.solve(a, b), tolerance=1e-9)
    assert x is not right
    check(left, a)
    check(right, b)


def test_one_matrix_in_two_places(comm):
    """Both arguments are overwritten, so one must be copied. They can be two names, or windows of the same memory."""
    values = positive(N)
    a = distributed(comm, values)
    for other in (a, a[:, :]):
        np.testing.assert_allclose(la.eigh(a, b=other)[0], np.ones(N), atol=1e-12)
        check(la.lstsq(a, other).x, np.eye(N), tolerance=1e-9)
        check(la.solve(a, other), np.eye(N), tolerance=1e-9)
    check(a, values)


# ---- numpy operands and types ---------------------------------------------------------------------------------

#: The call of a matrix and two columns, of which one or both can be numpy arrays, and the same call of numpy.
BESIDE_NUMPY = {
    "solve": (la.solve, np.linalg.solve),
    "factors": (lambda a, b: la.lu_factor(a).solve(b), np.linalg.solve),
    "lstsq": (lambda a, b: la.lstsq(a, b).x, np.linalg.solve),
    "solve_triangular": (la.solve_triangular, lambda a, b: np.linalg.solve(np.triu(a), b)),
    "multiply_triangular": (la.multiply_triangular, lambda a, b: np.triu(a) @ b),
    "rank_k": (lambda a, b: la.rank_k(b, c=a, beta=1), lambda a, b: b @ b.T + np.tril(a) + np.tril(a, -1).T),
    "matmul": (lambda a, b: a @ b, lambda a, b: a @ b),
    "matmul of vectors": (lambda a, b: (a @ b[:, 0], b[:, 0] @ a)[1], lambda a, b: b[:, 0] @ a),
}
#: Functions whose solution is a numpy array if this operand is one.
LIKE_B = ("solve", "factors", "lstsq", "solve_triangular", "multiply_triangular")


@pytest.mark.parametrize("name", BESIDE_NUMPY)
def test_numpy_operands(comm, operands, name):
    call, wanted = BESIDE_NUMPY[name]
    a, b, left, right = operands
    for mine, other in ((left, b), (a, right)):
        if name in ("factors", "matmul of vectors") and mine is a:
            continue
        found, kept = call(mine, other), b.copy()
        if isinstance(found, np.ndarray):
            assert (name in LIKE_B and other is b) or (name == "rank_k" and mine is a)
            np.testing.assert_allclose(found, wanted(a, b), atol=1e-9)
        else:
            check(found, wanted(a, b), tolerance=1e-9)
        np.testing.assert_array_equal(b, kept)
    assert la.solve(left, b, overwrite_b=True) is b


@pytest.mark.parametrize("types", [("f4", "f8"), ("f8", "c8"), ("i4", "f4"), ("i8", "i8"), ("?", "u1")], ids=str)
def test_common_type(comm, types):
    """The type is numpy's common type, and integers become float64."""
    a, b = (3 * regular(N)).astype(types[0]), (3 * random((N, 2), seed=2)).astype(types[1])
    if types[0] == "?":
        a = np.eye(N, k=1, dtype=bool) | np.eye(N, dtype=bool)
    x, wanted = la.solve(distributed(comm, a), distributed(comm, b), overwrite_b=True), np.linalg.solve(a, b)
    check(x, wanted.astype(x.dtype), tolerance=1e-3)
    assert x.dtype == wanted.dtype
    factors = la.lu_factor(distributed(comm, a))
    if factors.dtype.kind == x.dtype.kind:
        assert factors.solve(b).dtype == factors.dtype  # right-hand sides are converted


def test_lazy_arguments_of_one(comm):
    a = hermitian(N, np.complex128)
    given = distributed(comm, a)
    np.testing.assert_allclose(la.eigvalsh(given.T), np.linalg.eigvalsh(a.T))
    check(la.inv(given.conj()), np.linalg.inv(a.conj()), tolerance=1e-9)
    np.testing.assert_allclose(la.norm(given.T, 1), np.linalg.norm(a.T, 1))
    np.testing.assert_allclose(la.svdvals(given.astype("c8")), np.linalg.svd(a, compute_uv=False), rtol=1e-4)


# ---- factors that are kept ------------------------------------------------------------------------------------


@pytest.mark.parametrize("order", ("rows", "square blocks in turn", "rows in F order"))
def test_overwritten_matrices_hold_the_factors(comm, order):
    a, b = regular(N), random((N,), seed=2)
    left, report = distributed(comm, a, order), []
    factors = la.lu_factor(left, overwrite_a=True, report=report)
    alive = weakref.ref(left)
    if not report[0].shared:
        left.local[...] = np.nan
    del left
    gc.collect()
    assert alive() is None
    for _ in range(2):
        np.testing.assert_allclose(factors.solve(b), np.linalg.solve(a, b))


@pytest.mark.parametrize("who", ("all", "last"))
def test_the_end_of_factors(comm, who):
    """If one process drops factors, all others must learn it, and none may wait."""
    a = distributed(comm, regular(N))
    with la.lu_factor(a) as factors:
        assert "12 x 12 float64" in repr(factors) and factors.shape == (N, N)
        with pytest.raises(TypeError, match="pickled"):
            copy.copy(factors)
        if who == "last":
            factors = la.lu_factor(a)
    if who == "last" and comm.rank == comm.size - 1:
        factors.destroy()
    for use in (lambda: factors.solve(np.ones(N)), factors.slogdet, factors.cond, lambda: factors.inv(a)):
        with pytest.raises(db.ArgumentError, match="destroyed"):
            use()
    if who == "all":
        assert "destroyed" in repr(factors)
        factors.destroy()
    la.lu_factor(a)  # dropped at once, independently on each process
    assert np.isclose(la.norm(a), np.linalg.norm(regular(N)))


# ---- processes ------------------------------------------------------------------------------------------------


def test_planes_on_some_processes(comm):
    """Only these processes call. The others learn that they have no part."""
    cube = db.zeros((3, N, N), comm, ["block"])
    values = np.stack([positive(N, seed=s) for s in range(3)])
    cube.local[...] = values[np.ix_(*cube.indices())]
    for i in range(3):
        plane = cube[i]
        if plane.rank >= 0:
            check(la.inv(plane), np.linalg.inv(values[i]), tolerance=1e-9)
        else:
            with pytest.raises(ValueError, match="no part"):
                la.inv(plane)


def test_slices_are_for_the_processes_that_have_some(comm):
    whole = np.eye(2 * comm.size + 1, 6) + np.arange(6.0)
    a = db.from_global(whole if comm.rank == 0 else None, comm)
    row, rows = a[0], a[:2]
    for given in (row, row.astype(np.float32)):
        if row.rank >= 0:
            assert np.isclose(la.norm(given), np.linalg.norm(whole[0]))
        else:
            with pytest.raises(ValueError, match="no part"):
                la.norm(given)
    if rows.rank >= 0:
        np.testing.assert_allclose(la.svdvals(rows), np.linalg.svd(whole[:2], compute_uv=False))
        np.testing.assert_allclose(la.matmul(rows.T, rows).gather(), whole[:2].T @ whole[:2])


def test_other_threads_run_meanwhile(comm):
    a = db.from_global(hermitian(500) if comm.rank == 0 else None, comm)
    ticks, stop = [], threading.Event()

    def work():
        while not stop.wait(1e-3):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=work)
    thread.start()
    start = time.monotonic()
    la.eigh(a)
    end = time.monotonic()
    stop.set()
    thread.join()
    longest = np.diff([start, *[t for t in ticks if start < t < end], end]).max()
    assert longest < (end - start) / 2


def test_nothing_is_left_behind(comm, operands):
    *_, a, b = operands

    def run():
        la.solve(a, b)
        la.svd(a)
        a @ b
        with pytest.raises(ValueError):
            la.solve(b, a)

    def counts():
        gc.collect()
        return [sys.getrefcount(x) for x in (a, b, a.layout, b.layout, a._local, b._local, comm)]

    run()
    before = counts()
    steady(comm, run, 40)
    assert counts() == before


def test_the_log_tells_when_functions_begin_and_end(comm, operands):
    lines = []
    db.set_log(lines.append)
    la.solve(*operands[2:])
    with pytest.raises(np.linalg.LinAlgError):
        la.inv(distributed(comm, np.zeros((N, N))))
    db.set_log(None)
    for name, status in (("dap_linalg_solve", "OK"), ("dap_linalg_inverse", "NUMERIC")):
        begun, ended = (line for line in lines if line.startswith(name))
        assert begun == f"{name} begins"
        assert re.fullmatch(rf"{name} ended after [0-9.]+ (us|ms|s): {status}", ended)
