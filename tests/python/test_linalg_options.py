"""Tests options of dapbridge.linalg, and results that numpy lacks or defines otherwise."""

import numpy as np
import pytest
import scipy.linalg
from layouts import distributed
from maps import check
from matrices import hermitian, positive, random, regular
from mpi4py import MPI

import dapbridge as db

la = db.linalg
N = 13


@pytest.mark.parametrize("driver", (None, "ev", "evd", "evr", "elpa", "elpa2"))
def test_some_eigenvalues(comm, driver):
    if driver in ("elpa", "elpa2"):
        pytest.importorskip("dapbridge._elpa")
    lo, hi = 4, 9
    a = hermitian(N, complex)
    given, expected = distributed(comm, a), np.linalg.eigvalsh(a)
    bounds = [(expected[k - 1] + expected[k]) / 2 for k in (lo, hi + 1)]
    for subset in (dict(subset_by_index=(lo, hi)), dict(subset_by_value=bounds)):
        w, v = la.eigh(given, driver=driver, **subset)
        np.testing.assert_allclose(w, expected[lo : hi + 1], atol=1e-9)
        v = v.gather()
        np.testing.assert_allclose(a @ v, v * w, atol=1e-8)
        np.testing.assert_allclose(la.eigvalsh(given, driver=driver, **subset), w, atol=1e-9)
    w, v = la.eigh(given, driver=driver, subset_by_value=(1e3, np.inf))
    assert w.shape == (0,) and v.shape == (N, 0)
    b = positive(N, complex, 2)
    if driver != "evr":
        w = la.eigh(given, b=b, driver={"evd": "gvd", "ev": "gv"}.get(driver, driver), eigvals_only=True, subset_by_index=(2, 4))
        np.testing.assert_allclose(w, scipy.linalg.eigh(a, b, eigvals_only=True)[2:5], atol=1e-9)


def test_elpa_of_single_precision(comm):
    """Uses ELPA, or checks the reason why it cannot."""
    pytest.importorskip("dapbridge._elpa")
    try:
        w = la.eigvalsh(distributed(MPI.COMM_SELF, hermitian(5, "f4")), driver="elpa")
    except NotImplementedError as why:
        assert "single precision" in str(why)
    else:
        np.testing.assert_allclose(w, np.linalg.eigvalsh(hermitian(5, "f4")), atol=1e-4)


@pytest.mark.parametrize("driver", ("gesdd", "gesvd"))
def test_svd_drivers(comm, driver):
    a = random((40, 30))
    u, s, vh = la.svd(distributed(comm, a), lapack_driver=driver)
    np.testing.assert_allclose((u.gather() * s) @ vh.gather(), a, atol=1e-12)


def test_rank_by_qr(comm):
    """The diagonal of R falls from 1 to 1e-3 in steps of 10, and then to rounding errors."""
    a = np.linalg.qr(random((9, 6)))[0] * np.array([1, 1e-1, 1e-2, 1e-3, 0, 0])
    given = distributed(comm, a, "square blocks in turn")
    for rcond, wanted in ((0.5, 1), (0.05, 2), (5e-4, 4), (-1, 4), (2, 0)):
        q, r, p, rank = la.qr(given, pivoting=True, rcond=rcond)
        assert rank == wanted and isinstance(rank, int)
        np.testing.assert_allclose(q.gather() @ r.gather(), a[:, p], atol=1e-9)
        assert la.qr(given, "r", pivoting=True, rcond=rcond)[2] == wanted


def test_conditions_are_estimated(comm):
    a = regular(N)
    given = distributed(comm, a)
    for p in (1, np.inf):
        exact = np.linalg.cond(a, p)
        for found in (la.cond(given, p), la.lu_factor(given).cond(p)):
            assert exact / 4 <= found <= exact * (1 + 1e-9)


def test_refined(comm):
    """Checks error bounds for a matrix whose rows differ in size."""
    a, b = regular(N) * 2.0 ** np.arange(-N, N, 2)[:, None], random((N, 3), seed=2)
    report = []
    result = la.solve_refined(distributed(comm, a), distributed(comm, b), report=report)
    exact = np.linalg.solve(a, b)
    off = np.abs(result.x.gather() - exact).max(axis=0) / np.abs(exact).max(axis=0)
    assert (off <= result.forward_error + 1e-14).all() and (result.forward_error < 1e-11).all()
    assert (result.backward_error < 1e-15).all() and result.forward_error.shape == (3,)
    assert 1e-3 < result.rcond <= 1 and [use.name for use in report] == ["A", "B", "X"]
    x, forward, backward, _ = la.solve_refined(distributed(comm, a), b[:, 0], "T")
    np.testing.assert_allclose(x, np.linalg.solve(a.T, b[:, 0]))
    assert isinstance(x, np.ndarray) and forward.shape == backward.shape == (1,)


#: Rows: rank, options and the matrix.
RANKS = {
    "full, wide": (3, {}, random((3, 8))),
    "low, many rows": (2, {}, random((60, 2)) @ random((2, 4), seed=2)),
    "zero": (0, {}, np.zeros((5, 4))),
    "no rows": (0, {}, np.zeros((0, 4))),
    "one element": (1, {}, np.full((1, 1), 1e-30)),
    "tol is no bound of itself": (1, {"tol": 0.5}, np.diag([1, 0.5, 0.25])),
    "rtol": (2, {"rtol": 0.5}, np.diag([8.0, 6, 2])),
    "rtol above 1": (0, {"rtol": 2}, np.eye(3)),
    "Hermitian": (3, {"hermitian": True}, np.diag([-4.0, 2, 1, 0])),
    "vector": (1, {}, random((7,))),
    "zero vector": (0, {}, np.zeros(7)),
}


@pytest.mark.parametrize("case", RANKS)
def test_matrix_rank(comm, case):
    rank, options, a = RANKS[case]
    found = la.matrix_rank(distributed(comm, a), **options)
    assert type(found) is int and comm.allgather(found) == [rank] * comm.size


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_factors_of_tiny_matrices(comm, dtype):
    """The library scales these matrices, but must return the factors of the given matrix."""
    tiny = np.finfo(dtype).tiny
    a = (positive(N) * tiny * 2.0**11).astype(dtype)
    bound = 20 * np.finfo(dtype).eps * abs(a).max().astype(np.longdouble) + tiny
    given = distributed(comm, a, "square blocks in turn")
    factor = la.cho_factor(given, True).L.gather().astype(np.longdouble)
    assert (abs(factor @ factor.T - a) <= bound).all()
    p, low, high = la.lu(given)
    product = (low.gather().astype(np.longdouble) @ high.gather().astype(np.longdouble))[p]
    assert (abs(product - a) <= bound).all()


#: Matrices whose exponentials need no squaring, or many.
EXPONENTS = {
    "zero": np.zeros((N, N)),
    "small": random((N, N)) / 50,
    "many squarings": random((N, N)) * 4 - 20 * np.eye(N),
    "nilpotent": np.triu(random((N, N)), 1),
    "a norm between two powers, which has to be halved": np.array([[0, -10.7], [10.7, 0]]),
    "nothing": np.zeros((0, 0)),
}


@pytest.mark.parametrize("case", EXPONENTS)
def test_expm(comm, case):
    a = EXPONENTS[case]
    check(la.expm(distributed(comm, a)), scipy.linalg.expm(a) if a.size else a, tolerance=1e-11)


@pytest.mark.parametrize("dtype", ("?", "i1", "i8", "u4"))
def test_powers_of_integers(comm, dtype):
    """All bits must be right, even after an overflow."""
    a = (np.arange(25).reshape(5, 5) * 7 % 11 - (0 if dtype in ("?", "u4") else 5)).astype(dtype)
    for n in (0, 1, 3, 25):
        found = la.matrix_power(distributed(comm, a), n)
        check(found, np.linalg.matrix_power(a, n))
        assert found.dtype == dtype
    b = np.array([[2, 1], [1, 1]])
    check(la.matrix_power(distributed(comm, b), -2), np.linalg.matrix_power(b, -2), tolerance=1e-12)


@pytest.mark.parametrize("n", (0, 1, 2, 5))
def test_sizes_that_leave_processes_without_elements(comm, n):
    a = distributed(comm, positive(n), "square blocks in turn")
    factor = la.cholesky(a).gather()
    np.testing.assert_allclose(factor @ factor.T, positive(n), atol=1e-10)
    check(la.solve(a, a), np.eye(n), tolerance=1e-10)
    assert np.isclose(la.det(a), np.linalg.det(positive(n)))


def test_singular_matrices(comm):
    zero = distributed(comm, np.zeros((N, N)))
    assert (*la.slogdet(zero), la.det(zero)) == (0, -np.inf, 0)
    assert [la.cond(zero, p) for p in (1, np.inf, "fro")] == [np.inf] * 3


def test_norms_of_vectors(comm):
    """Computes norms by ScaLAPACK or by sums, and along an axis."""
    x, a = random((N,), np.complex64), random((6, 5, 4))
    given, box = distributed(comm, x, "copies of rows"), db.from_global(a, comm, ["block", "cyclic"])
    for kind in (None, 2, 1, np.inf, 0, -1, 3, 0.5, -2, -np.inf):
        value, expected = la.norm(given, kind), np.linalg.norm(x, kind)
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        assert value.dtype == expected.dtype
    np.testing.assert_allclose(la.norm(box), np.linalg.norm(a))
    for axis in (0, 1, -1):
        for kind in (None, 1, 3, -np.inf, 0):
            check(la.norm(box, kind, axis), np.linalg.norm(a, kind, axis), tolerance=1e-9)
            found = np.linalg.norm(box, kind, axis, keepdims=True)
            check(found, np.linalg.norm(a, kind, axis, keepdims=True), tolerance=1e-9)
    numbers = np.arange(12).reshape(3, 4)
    check(la.norm(db.from_global(numbers, comm), axis=1), np.linalg.norm(numbers, axis=1), tolerance=1e-12)


@pytest.mark.parametrize("layout", ["rows", "square blocks in turn", "padded rows", "copies of rows"])
def test_eye(comm, layout):
    for (rows, columns), k, dtype in (((7, 7), 0, float), ((6, 9), 2, "i4"), ((9, 6), -3, "c8"), ((5, 5), 99, "?")):
        like = distributed(comm, np.zeros((rows, columns)), layout)
        a = db.eye(rows, comm, columns, k, dtype=dtype).redistribute(like.layout)
        check(a, np.eye(rows, columns, k, dtype))
        assert a.dtype == dtype
    np.testing.assert_array_equal(db.identity(8, comm, "cyclic", "f4").gather(), np.identity(8, "f4"))
