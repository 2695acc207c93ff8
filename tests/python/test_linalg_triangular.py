"""Triangular matrices, and products of a matrix with itself, against numpy and scipy."""

import numpy as np
import pytest
import scipy.linalg

import dapbridge as db
from matrices import SAMPLE, TYPES, check, distributed, hermitian, random, regular, tolerance, whole

N, K = 13, 7


def transposed(a, trans):
    return {"N": a, "T": a.T, "C": a.conj().T}[trans]


def triangle(a, lower, unit=False):
    """What of a is read, with zeros elsewhere."""
    result = np.tril(a) if lower else np.triu(a)
    if unit:
        np.fill_diagonal(result, 1)
    return result


# ---- systems ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lower, trans", ((True, "N"), (False, "N"), (True, "T"), (False, "C")))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_systems(comm, name, dtype, lower, trans):
    a, b, t = regular(N, dtype), random((N, 3), dtype, 2), tolerance(dtype)
    left, right = distributed(comm, a, name), distributed(comm, b, name)
    for unit in (False, True):
        if unit:
            a = a / 8
            left = distributed(comm, a, name)
        kwargs = {"trans": trans, "lower": lower, "unit_diagonal": unit}
        expected = scipy.linalg.solve_triangular(a, b, **kwargs)
        check(db.linalg.solve_triangular(left, right, **kwargs), expected, t)
    check(left, a)
    check(right, b)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("trans", (0, 1, 2))
def test_triangles_of_lazy_views(comm, dtype, trans):
    a, b, t = regular(N, dtype), random((N,), dtype, 2), tolerance(dtype)
    left = distributed(comm, a, "cyclic")
    views = ((left.T, a.T), (left.T.conj(), a.T.conj()), (left.conj(), a.conj()))
    for view, same in views:
        for lower in (True, False):
            expected = scipy.linalg.solve_triangular(same, b, trans=trans, lower=lower)
            x = db.linalg.solve_triangular(view, b, trans, lower)
            np.testing.assert_allclose(x, expected, rtol=t, atol=t)
            product = db.linalg.multiply_triangular(view, b, trans, lower)
            expected = transposed(triangle(same, lower), "NTC"[trans]) @ b
            np.testing.assert_allclose(product, expected, rtol=t, atol=t)


def test_refused_triangles(comm):
    a = regular(N)
    a[3, 3] = 0
    left = distributed(comm, a)
    with pytest.raises(np.linalg.LinAlgError, match=r"A\(4, 4\) is zero"):
        db.linalg.solve_triangular(left, np.ones(N))
    for function in (db.linalg.solve_triangular, db.linalg.multiply_triangular):
        with pytest.raises(db.ArgumentError, match="trans"):
            function(left, np.ones(N), 3)
        with pytest.raises(db.ArgumentError, match="B must be"):
            function(left, np.ones(N - 1))
    x = db.linalg.solve_triangular(left, np.ones(N), unit_diagonal=True)
    assert np.isfinite(x).all()


# ---- products -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("lower, trans", ((True, "N"), (False, "N"), (True, "T"), (False, "C")))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_products(comm, name, dtype, lower, trans):
    a, t = regular(N, dtype), tolerance(dtype)
    left = distributed(comm, a, name)
    for side, shape in (("L", (N, 3)), ("R", (K, N))):
        b = random(shape, dtype, 2)
        right = distributed(comm, b, name)
        for unit in (False, True):
            op = transposed(triangle(a, lower, unit), trans)
            expected = 0.5 * (op @ b if side == "L" else b @ op)
            kwargs = {"lower": lower, "unit_diagonal": unit, "side": side, "alpha": 0.5}
            check(db.linalg.multiply_triangular(left, right, trans, **kwargs), expected.astype(dtype), t)
        check(right, b)
    check(left, a)


def test_a_product_in_place(comm):
    a, b = regular(N, complex), random((N, 2), complex, 2)
    right, report = distributed(comm, b), []
    x = db.linalg.multiply_triangular(
        distributed(comm, a), right, lower=True, alpha=2 - 1j, overwrite_b=True, report=report
    )
    assert x is right and [use.name for use in report] == ["A", "B"]
    check(x, (2 - 1j) * np.tril(a) @ b)
    y = random((N,), complex, 3)
    product = db.linalg.multiply_triangular(distributed(comm, a), y)
    assert isinstance(product, np.ndarray)
    np.testing.assert_allclose(product, np.triu(a) @ y)


def test_refused_products(comm):
    a, b = distributed(comm, regular(N)), np.ones(N)
    with pytest.raises(db.ArgumentError, match="side is 'left'"):
        db.linalg.multiply_triangular(a, b, side="left")
    with pytest.raises(db.ArgumentError, match="alpha.* real matrices"):
        db.linalg.multiply_triangular(a, b, alpha=1j)
    with pytest.raises(db.ArgumentError):
        db.linalg.multiply_triangular(distributed(comm, random((N, K))), b)


# ---- of a matrix with itself ----------------------------------------------------------------------------------


@pytest.mark.parametrize("is_turned", (False, True))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_rank_k(comm, name, dtype, is_turned):
    a, t = random((N, K), dtype), tolerance(dtype)
    given = distributed(comm, a, name)
    n = K if is_turned else N
    c = hermitian(n, dtype, 2)
    for is_hermitian in (True, False):
        other = a.conj().T if is_hermitian else a.T
        product = other @ a if is_turned else a @ other
        kwargs = {"transposed": is_turned, "hermitian": is_hermitian}
        result = db.linalg.rank_k(given, **kwargs)
        check(result, product, t)
        assert result.layout.grid == given.layout.grid
        for lower in (True, False):
            check(db.linalg.rank_k(given, lower=lower, alpha=-2, **kwargs), triangle(-2 * product, lower), t)
            old = distributed(comm, c, name)
            sum_ = db.linalg.rank_k(given, c=old, beta=0.5, lower=lower, **kwargs)
            check(sum_, np.where(triangle(np.ones((n, n)), lower), product + 0.5 * c, c).astype(dtype), t)
            check(old, c)
    check(given, a)


@pytest.mark.parametrize("dtype", TYPES)
def test_rank_k_of_both_triangles(comm, dtype):
    """Of c the lower triangle is read, and both are written."""
    a, c = random((N, K), dtype), hermitian(N, dtype, 2)
    rubbish = np.triu(random((N, N), dtype, 3), 1)
    old, report = distributed(comm, np.tril(c) + rubbish, "square blocks"), []
    result = db.linalg.rank_k(distributed(comm, a), c=old, beta=3, overwrite_c=True, report=report)
    assert result is old and [use.name for use in report] == ["A", "C"]
    check(result, a @ a.conj().T + 3 * c, tolerance(dtype))


@pytest.mark.parametrize("dtype", (np.float64, np.complex128))
@pytest.mark.parametrize("is_hermitian", (True, False))
@pytest.mark.parametrize("is_turned", (False, True))
def test_rank_k_of_lazy_views(comm, dtype, is_hermitian, is_turned):
    a = random((N, K), dtype)
    given = distributed(comm, a, "cyclic")
    views = ((given.T, a.T), (given.T.conj(), a.T.conj()), (given.conj(), a.conj()))
    for view, same in views:
        other = same.conj().T if is_hermitian else same.T
        product = other @ same if is_turned else same @ other
        check(db.linalg.rank_k(view, transposed=is_turned, hermitian=is_hermitian), product)
    report = []
    x = distributed(comm, a, "square blocks")
    db.linalg.rank_k(x.T.conj() if is_hermitian else x.T, hermitian=is_hermitian, report=report)
    assert report[0].shared and report[0].moved_bytes == 0


def test_rank_k_of_numpy(comm):
    a, c = random((N, K)), hermitian(N)
    result = db.linalg.rank_k(a, c=distributed(comm, c), beta=1)
    check(result, a @ a.T + c)
    kept = c.copy()
    result = db.linalg.rank_k(distributed(comm, a), c=c, beta=1)
    assert isinstance(result, np.ndarray)
    np.testing.assert_allclose(result, a @ a.T + kept)
    np.testing.assert_array_equal(c, kept)
    ones = db.linalg.rank_k(distributed(comm, np.ones((3, 4), int)))
    assert ones.dtype == np.float64 and (whole(ones) == 4).all()


def test_refused_rank_k(comm):
    a = distributed(comm, random((N, K), complex))
    for factor in ("alpha", "beta"):
        with pytest.raises(db.ArgumentError, match=factor):
            db.linalg.rank_k(a, **{factor: 1j})
    check(db.linalg.rank_k(a, alpha=1j, hermitian=False), 1j * whole(a) @ whole(a).T)
    with pytest.raises(db.ArgumentError, match="A must be"):
        db.linalg.rank_k(a, c=distributed(comm, np.eye(N + 1)))
    with pytest.raises(db.ArgumentError, match="axes"):
        db.linalg.rank_k(distributed(comm, np.ones(N)))
