"""Factorisations against numpy, in all layouts."""

import sys

import numpy as np
import pytest
import scipy.linalg
from mpi4py import MPI

import dapbridge as db
from matrices import SAMPLE, check, distributed, hermitian, positive, random, regular, tolerance, whole

SHAPES = ((17, 9), (9, 17), (12, 12))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_qr(comm, name, shape, dtype):
    a, k = random(shape, dtype), min(shape)
    given = distributed(comm, a, name)
    q, r = db.linalg.qr(given)
    Q, R = whole(q), whole(r)
    assert Q.shape == (shape[0], k) and R.shape == (k, shape[1])
    np.testing.assert_allclose(Q @ R, a, atol=tolerance(dtype))
    np.testing.assert_allclose(Q.conj().T @ Q, np.eye(k), atol=tolerance(dtype))
    np.testing.assert_array_equal(R, np.triu(R))
    check(given, a)
    only = db.linalg.qr(given, "r")
    np.testing.assert_allclose(whole(only), R, atol=tolerance(dtype))


def test_qr_in_place(comm):
    a = random((16, 8))
    given = distributed(comm, a, "square blocks")
    q, r = db.linalg.qr(given, overwrite_a=True)
    assert q is given
    np.testing.assert_allclose(whole(q) @ whole(r), a, atol=1e-12)


@pytest.mark.parametrize("UPLO", ("L", "U"))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_eigh(comm, name, UPLO, dtype):
    n = 13
    a = hermitian(n, dtype)
    one = np.tril(a) if UPLO == "L" else np.triu(a)
    given = distributed(comm, one, name)
    w, v = db.linalg.eigh(given, UPLO)
    assert len({x.tobytes() for x in comm.allgather(w)}) == 1
    expected = np.linalg.eigvalsh(a)
    np.testing.assert_allclose(w, expected, atol=tolerance(dtype))
    assert w.dtype == expected.dtype
    assert v.layout == given.layout and v.dtype == given.dtype
    V = whole(v)
    np.testing.assert_allclose(a @ V, V * w, atol=10 * tolerance(dtype))
    np.testing.assert_allclose(V.conj().T @ V, np.eye(n), atol=tolerance(dtype))
    check(given, one)
    np.testing.assert_allclose(db.linalg.eigvalsh(given, UPLO), w, atol=tolerance(dtype))


@pytest.mark.parametrize("driver", (None, "ev", "evd", "evr", "elpa", "elpa2"))
@pytest.mark.parametrize("name, dtype", SAMPLE[1:3])
def test_eigh_subsets(comm, name, dtype, driver):
    need_elpa(driver, dtype)
    n, lo, hi = 13, 4, 9
    a = hermitian(n, dtype)
    given = distributed(comm, a, name)
    expected = np.linalg.eigvalsh(a)
    bounds = [(expected[k - 1] + expected[k]) / 2 for k in (lo, hi + 1)]
    for subset in (dict(subset_by_index=(lo, hi)), dict(subset_by_value=bounds)):
        w, v = db.linalg.eigh(given, driver=driver, **subset)
        np.testing.assert_allclose(w, expected[lo : hi + 1], atol=tolerance(dtype))
        V = whole(v)
        assert V.shape == (n, hi + 1 - lo) and V.dtype == dtype
        np.testing.assert_allclose(a @ V, V * w, atol=10 * tolerance(dtype))
        np.testing.assert_allclose(V.conj().T @ V, np.eye(len(w)), atol=tolerance(dtype))
        only = db.linalg.eigvalsh(given, driver=driver, **subset)
        np.testing.assert_allclose(only, w, atol=tolerance(dtype))
    check(given, a)


def need_elpa(driver, dtype):
    """Skips what this build cannot: without ELPA, or with one that has no single precision."""
    if driver in ("elpa", "elpa2"):
        pytest.importorskip("dapbridge._elpa")
        if np.finfo(dtype).eps > 1e-10:
            try:
                db.linalg.eigvalsh(distributed(MPI.COMM_SELF, hermitian(2, dtype)), driver=driver)
            except NotImplementedError as why:
                assert "without single precision" in str(why)
                pytest.skip(str(why))


def test_elpa_of_pairs(comm):
    need_elpa("elpa", float)
    n = 21
    a, b = hermitian(n, complex), positive(n, complex, seed=2)
    given = distributed(comm, a, "square blocks"), distributed(comm, b)
    w, v = db.linalg.eigh(given[0], b=given[1], driver="elpa", subset_by_index=(3, 8))
    np.testing.assert_allclose(w, scipy.linalg.eigh(a, b, eigvals_only=True)[3:9], atol=tolerance(complex))
    V = whole(v)
    np.testing.assert_allclose(a @ V, (b @ V) * w, atol=10 * tolerance(complex))
    np.testing.assert_allclose(V.conj().T @ b @ V, np.eye(6), atol=tolerance(complex))


def test_without_elpa(comm, monkeypatch):
    monkeypatch.setitem(sys.modules, "dapbridge._elpa", None)
    monkeypatch.delattr(db, "_elpa", raising=False)
    with pytest.raises(NotImplementedError, match="'elpa' needs dapbridge built with ELPA"):
        db.linalg.eigh(distributed(comm, hermitian(5)), driver="elpa")


def test_eigh_of_no_values(comm):
    a = distributed(comm, hermitian(6))
    w, v = db.linalg.eigh(a, subset_by_value=(1e3, np.inf))
    assert w.shape == (0,) and v.shape == (6, 0)
    w, v = db.linalg.eigh(a, subset_by_value=(-np.inf, np.inf))
    assert w.shape == (6,) and v.shape == (6, 6)


@pytest.mark.parametrize("UPLO", ("L", "U"))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_eigh_of_a_pair(comm, name, UPLO, dtype):
    n = 13
    a, b = hermitian(n, dtype), positive(n, dtype, seed=2)
    given = distributed(comm, a, name), distributed(comm, b)
    w, v = db.linalg.eigh(given[0], UPLO, b=given[1])
    expected = scipy.linalg.eigh(a, b, eigvals_only=True)
    np.testing.assert_allclose(w, expected, atol=tolerance(dtype))
    V = whole(v)
    np.testing.assert_allclose(a @ V, (b @ V) * w, atol=10 * tolerance(dtype))
    np.testing.assert_allclose(V.conj().T @ b @ V, np.eye(n), atol=tolerance(dtype))
    check(given[0], a), check(given[1], b)
    part = db.linalg.eigh(given[0], UPLO, b=b, eigvals_only=True, subset_by_index=(2, 4), driver="gvd")
    np.testing.assert_allclose(part, expected[2:5], atol=tolerance(dtype))


def test_eigh_of_a_pair_overwrites(comm):
    a, b = hermitian(8), positive(8)
    given = [distributed(comm, x, "square blocks") for x in (a, b)]
    report = []
    w = db.linalg.eigvalsh(given[0], b=given[1], overwrite_a=True, overwrite_b=True, report=report)
    np.testing.assert_allclose(w, scipy.linalg.eigh(a, b, eigvals_only=True))
    assert [use.name for use in report] == ["A", "W", "Z", "B"] and report[0].shared and report[3].shared


def test_eigh_refuses(comm):
    a = distributed(comm, hermitian(5))
    with pytest.raises(ValueError, match="UPLO"):
        db.linalg.eigh(a, "X")
    with pytest.raises(ValueError):
        db.linalg.eigh(distributed(comm, random((5, 6))))
    for subset in ((-1, 2), (2, 5), (3, 2)):
        with pytest.raises(ValueError, match="subset_by_index"):
            db.linalg.eigh(a, subset_by_index=subset)
    for bounds in ((1, 1), (1, np.nan)):
        with pytest.raises(ValueError, match="subset_by_value"):
            db.linalg.eigh(a, subset_by_value=bounds)
    with pytest.raises(ValueError, match="exclude"):
        db.linalg.eigh(a, subset_by_index=(0, 1), subset_by_value=(0, 1))
    for driver in ("gvd", "x"):
        with pytest.raises(ValueError, match="driver"):
            db.linalg.eigh(a, driver=driver)
    with pytest.raises(NotImplementedError, match="evx"):
        db.linalg.eigh(a, driver="evx")
    with pytest.raises(np.linalg.LinAlgError, match="not positive definite"):
        db.linalg.eigh(a, b=distributed(comm, -np.eye(5)))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_svd(comm, name, shape, dtype):
    a, k = random(shape, dtype), min(shape)
    given = distributed(comm, a, name)
    u, s, vh = db.linalg.svd(given)
    expected = np.linalg.svd(a, compute_uv=False)
    np.testing.assert_allclose(s, expected, rtol=tolerance(dtype))
    assert s.dtype == expected.dtype
    U, V = whole(u), whole(vh)
    assert U.shape == (shape[0], k) and V.shape == (k, shape[1])
    np.testing.assert_allclose(U * s @ V, a, atol=tolerance(dtype))
    np.testing.assert_allclose(U.conj().T @ U, np.eye(k), atol=tolerance(dtype))
    check(given, a)
    np.testing.assert_allclose(db.linalg.svdvals(given), s, rtol=tolerance(dtype))


@pytest.mark.parametrize("driver", ("gesdd", "gesvd"))
def test_svd_drivers(comm, driver):
    a = random((40, 30))
    given = distributed(comm, a)
    u, s, vh = db.linalg.svd(given, lapack_driver=driver)
    np.testing.assert_allclose((u.gather() * s) @ vh.gather(), a, atol=1e-12)
    np.testing.assert_allclose(db.linalg.svdvals(given, lapack_driver=driver), s, rtol=1e-12)
    with pytest.raises(db.ArgumentError, match="lapack_driver is 'gelss'"):
        db.linalg.svd(given, lapack_driver="gelss")


def test_svd_refuses_full_matrices(comm):
    with pytest.raises(NotImplementedError, match="full_matrices"):
        db.linalg.svd(distributed(comm, random((5, 4))), full_matrices=True)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_pinv(comm, name, shape, dtype):
    a = random(shape, dtype)
    check(db.linalg.pinv(distributed(comm, a, name)), np.linalg.pinv(a), 10 * tolerance(dtype))


@pytest.mark.parametrize("wide", (False, True))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_pinv_of_many_rows(comm, name, dtype, wide):
    a = random((20 * comm.size + 3, 4), dtype)
    a[:, -1] = a[:, 0] * 2  # the rank is less
    a = a.T.copy() if wide else a
    given = distributed(comm, a, name)
    check(db.linalg.pinv(given, rcond=1e-5), np.linalg.pinv(a, rcond=1e-5), 10 * tolerance(dtype))
    check(given, a)


def test_pinv_of_low_rank(comm):
    a = random((12, 3)) @ random((3, 9), seed=2)
    result = db.linalg.pinv(distributed(comm, a), rcond=1e-10)
    check(result, np.linalg.pinv(a, rcond=1e-10), 1e-8)


@pytest.mark.parametrize("case", range(len(SAMPLE)))
def test_pinv_of_hermitian(comm, case):
    """With a value that is tiny and negative, which counts by its size, and one that is 0 and does not count."""
    name, dtype = SAMPLE[case]
    options = ({}, dict(rcond=1e-3), dict(rtol=1e-3))[case % 3]
    q = np.linalg.qr(random((9, 9), dtype))[0]
    values = np.array([3, -2, 1, 0.5, -0.25, 2, 1, 0, -1e-2 if options else 1]).astype(q.real.dtype)
    a = (q * values) @ q.conj().T
    if not options:
        options = dict(rcond=1e-4 if np.dtype(dtype).char in "fF" else 1e-12)
    limit = next(iter(options.values()))
    wanted = (q * np.divide(1, values, where=abs(values) > 3 * limit, out=np.zeros_like(values))) @ q.conj().T
    given = distributed(comm, a, name)
    check(db.linalg.pinv(given, hermitian=True, **options), wanted, 100 * tolerance(dtype))
    check(db.linalg.pinv(given, **options), wanted, 100 * tolerance(dtype))
    if "rcond" in options:
        check(np.linalg.pinv(given, limit, True), wanted, 100 * tolerance(dtype))


def test_pinv_reads_a_triangle(comm):
    a = positive(6)
    spoilt = a + np.triu(np.full(a.shape, 9.0), 1)
    check(db.linalg.pinv(distributed(comm, spoilt, "cyclic"), hermitian=True), np.linalg.inv(a), 1e-9)


def test_pinv_is_refused(comm):
    a = distributed(comm, random((4, 3)))
    for options, words in ((dict(hermitian=True), "4 x 3, not square"), (dict(rcond=1, rtol=1), "only one of them")):
        with pytest.raises(db.ArgumentError, match=words) as error:
            db.linalg.pinv(a, **options)
        assert len(set(comm.allgather(str(error.value)))) == 1
    if comm.size > 1:
        last = comm.rank == comm.size - 1
        for options in (dict(rcond=1e-3 if last else 1e-4), dict(hermitian=last)):
            with pytest.raises(db.ArgumentError, match="differs"):
                db.linalg.pinv(a[:3], **options)


#: Matrices by name: rank, options of matrix_rank, and the matrix of a type.
RANKS = {
    "full, square": (13, {}, lambda t: regular(13, t)),
    "full, wide": (3, {}, lambda t: random((3, 8), t)),
    "full, many rows": (3, {}, lambda t: random((50, 3), t)),
    "low": (2, {}, lambda t: (random((12, 2), t) @ random((2, 9), t, seed=2))),
    "low, many rows": (2, {}, lambda t: (random((60, 2), t) @ random((2, 4), t, seed=2))),
    "zero": (0, {}, lambda t: np.zeros((5, 4), t)),
    "no rows": (0, {}, lambda t: np.zeros((0, 4), t)),
    "no columns": (0, {}, lambda t: np.zeros((4, 0), t)),
    "one element": (1, {}, lambda t: np.full((1, 1), 1e-30, t)),
    "tol": (2, {"tol": 0.5}, lambda t: np.diag([1, 0.75, 0.25]).astype(t)),
    "tol is no bound of itself": (1, {"tol": 0.5}, lambda t: np.diag([1, 0.5, 0.25]).astype(t)),
    "rtol": (2, {"rtol": 0.5}, lambda t: np.diag([8, 6, 2]).astype(t)),
    "rtol above 1": (0, {"rtol": 2}, lambda t: np.eye(3, dtype=t)),
    "Hermitian": (3, {"hermitian": True}, lambda t: np.diag([-4, 2, 1, 0]).astype(t)),
    "vector": (1, {}, lambda t: random((7,), t)),
    "zero vector": (0, {}, lambda t: np.zeros(7, t)),
}


@pytest.mark.parametrize("dist, dtype", (("row slabs", np.float32), ("cyclic", np.complex128)))
@pytest.mark.parametrize("case", RANKS)
def test_matrix_rank(comm, case, dist, dtype):
    rank, options, make = RANKS[case]
    a = make(dtype)
    found = db.linalg.matrix_rank(distributed(comm, a, dist) if a.ndim == 2 else db.from_global(a, comm), **options)
    assert type(found) is int and comm.allgather(found) == [rank] * comm.size
    if a.size and "rtol" not in options:  # numpy 1 has no rtol
        assert rank == np.linalg.matrix_rank(a, **options)


def test_matrix_rank_is_refused(comm):
    a = distributed(comm, np.eye(4))
    with pytest.raises(db.ArgumentError, match="only one of them"):
        db.linalg.matrix_rank(a, tol=1.0, rtol=1.0)
    a.local[...] = np.nan
    with pytest.raises(np.linalg.LinAlgError):
        db.linalg.matrix_rank(a)
