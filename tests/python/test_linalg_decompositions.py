"""Cholesky and LU factors as arrays, and the exponential function, against numpy and scipy."""

import numpy as np
import pytest
import scipy.linalg

import dapbridge as db
from matrices import SAMPLE, TYPES, check, distributed, fill, hermitian, positive, random, tolerance, whole

N = 13
#: Sizes that leave processes without elements, or ScaLAPACK without a whole block.
SIZES = (0, 1, 2, 5, 70)


@pytest.mark.parametrize("lower", (True, False))
@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_cholesky(comm, name, dtype, lower):
    a, t = positive(N, dtype), tolerance(dtype)
    L = np.linalg.cholesky(a)
    one = np.tril(a) + 7 * np.triu(a, 1) if lower else np.triu(a) + 7 * np.tril(a, -1)
    given = distributed(comm, one, name)
    factor = db.linalg.cholesky(given, lower=lower)
    check(factor, L if lower else L.conj().T.copy(), t)
    assert factor.layout == given.layout and factor.shape == (N, N)
    found = whole(factor)
    assert (found == (np.tril(found) if lower else np.triu(found))).all()  # exactly
    check(given, one, 0)


@pytest.mark.parametrize("n", SIZES)
@pytest.mark.parametrize("dist", (["block"], [db.cyclic(1), db.cyclic(3)]), ids=str)
def test_sizes(comm, n, dist):
    a = db.zeros((n, n), comm, dist)
    fill(a, positive(n))
    L = whole(db.linalg.cholesky(a))
    np.testing.assert_allclose(L @ L.T, positive(n), atol=1e-10)
    P, lower, upper = db.linalg.lu(a)
    np.testing.assert_allclose((whole(lower) @ whole(upper))[P], positive(n), atol=1e-10)
    expected = scipy.linalg.expm(positive(n) / max(n, 1)) if n else np.zeros((0, 0))
    a.local[...] /= max(n, 1)
    check(db.linalg.expm(a), expected, 1e-11)


#: overwrite_a, storage order: the factors are in a copy, in the array's memory as the matrix, or as its transpose
KEPT = [(False, "C"), (False, "F"), (True, "C"), (True, "F")]


#: All pairs of a type, a triangle, and where the factors are.
KEPT_CASES = [
    (TYPES[k], j == 0, *kept) for i, kept in enumerate(KEPT) for j in range(2) for k in range(4) if (i + j + k) % 2 == 0
]


@pytest.mark.parametrize("dtype, lower, overwrite, order", KEPT_CASES)
def test_factors_that_are_kept(comm, dtype, lower, overwrite, order):
    n = 40
    a, t = positive(n, dtype), tolerance(dtype)
    given = db.zeros((n, n), comm, [db.cyclic(4), db.cyclic(4)], dtype, order=order)
    fill(given, a)
    report = []
    factors = db.linalg.cho_factor(given, lower, overwrite_a=overwrite, report=report)
    assert [use.name for use in report] == ["A"]
    L = np.linalg.cholesky(a)
    b = random((n, 2), dtype, 2)
    for _ in range(2):  # a solution leaves the factor as it is, and the other way round
        check(factors.L, L, t)
        check(factors.U, L.conj().T.copy(), t)
        check(factors.solve(distributed(comm, b)), np.linalg.solve(a, b), t)
    if not overwrite:
        check(given, a, 0)
        assert not report[0].shared
    factors.destroy()
    with pytest.raises(db.ArgumentError, match="destroyed"):
        factors.L


@pytest.mark.parametrize("dtype", (np.float32, np.float64))
def test_factors_of_tiny_matrices(comm, dtype):
    """The library scales these; the factors are those of the matrix that was given."""
    tiny = np.finfo(dtype).tiny * 2.0**11
    a = (positive(N) * tiny).astype(dtype)
    wide = a.astype(np.longdouble)
    given = distributed(comm, a, "cyclic")
    L = whole(db.linalg.cho_factor(given, True).L).astype(np.longdouble)
    assert (abs(L @ L.T - wide) <= 20 * np.finfo(dtype).eps * abs(wide).max()).all()
    P, lower, upper = db.linalg.lu(given)
    product = (whole(lower).astype(np.longdouble) @ whole(upper).astype(np.longdouble))[P]
    assert (abs(product - wide) <= 20 * np.finfo(dtype).eps * abs(wide).max() + np.finfo(dtype).tiny).all()


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_lu(comm, name, dtype):
    a, t = random((N, N), dtype), tolerance(dtype)
    given = distributed(comm, a, name)
    P, lower, upper = db.linalg.lu(given)
    permutation, L, U = scipy.linalg.lu(a)
    check(lower, L.astype(dtype), 10 * t)
    check(upper, U.astype(dtype), 10 * t)
    np.testing.assert_array_equal(permutation[np.arange(N), P], 1)
    assert lower.layout == upper.layout == given.layout and P.dtype == np.int64
    assert len({p.tobytes() for p in comm.allgather(P)}) == 1
    for found, part in ((whole(lower), np.tril), (whole(upper), np.triu)):
        assert (found == part(found)).all()
    assert (np.diag(whole(lower)) == 1).all()
    check(given, a, 0)


#: Matrices whose exponentials need no, one, and several squarings; and ones with known exponentials.
EXPONENTS = {
    "zero": lambda t: np.zeros((N, N), t),
    "small": lambda t: random((N, N), t) / 50,
    "moderate": lambda t: random((N, N), t),
    "many squarings": lambda t: random((N, N), t) * 4 - 20 * np.eye(N, dtype=t),
    "nilpotent": lambda t: np.triu(random((N, N), t), 1),
    "Hermitian": lambda t: hermitian(N, t) / 3,
}


EXPM_LAYOUTS = ("row slabs", "blocks in F order", "cyclic", "unstructured", "padded", "replicated")
#: All pairs of a layout, a matrix and a type.
EXPM_CASES = [
    (name, case, TYPES[(i + j) % 4]) for i, name in enumerate(EXPM_LAYOUTS) for j, case in enumerate(EXPONENTS)
]


@pytest.mark.parametrize("name, case, dtype", EXPM_CASES)
def test_expm(comm, name, case, dtype):
    a = EXPONENTS[case](dtype)
    wide = np.complex128 if np.dtype(dtype).kind == "c" else np.float64
    expected = scipy.linalg.expm(a.astype(wide))
    given = distributed(comm, a, name)
    result = db.linalg.expm(given)
    size = max(abs(expected).max(), 1)
    check(result, expected.astype(dtype), size * (2e-4 if np.finfo(dtype).eps > 1e-10 else 1e-11))
    assert result.layout == given.layout
    check(given, a, 0)


def test_expm_of_a_norm_between_powers(comm):
    """A norm of nearly twice what the approximant is exact to has to be halved."""
    a = np.array([[0, -10.7], [10.7, 0]])
    check(db.linalg.expm(distributed(comm, a)), scipy.linalg.expm(a), 1e-11)


def test_by_numpys_name(comm):
    check(np.linalg.cholesky(distributed(comm, positive(N))), np.linalg.cholesky(positive(N)))


def test_results_fill_padding(comm):
    a = db.zeros((N, N), comm, [db.padded(1)] if comm.size < 7 else None)
    a.local[...] = positive(N)[np.ix_(*a.indices())]
    L = db.linalg.cholesky(a)
    np.testing.assert_allclose(L.local, np.linalg.cholesky(positive(N))[np.ix_(*L.indices())], atol=1e-12)


REFUSED = {
    "cholesky of a wide matrix": (lambda a: db.linalg.cholesky(a[:3]), db.ArgumentError, "3 x 13, not square"),
    "lu of a wide matrix": (lambda a: db.linalg.lu(a[:3]), db.ArgumentError, "3 x 13, not square"),
    "expm of a wide matrix": (lambda a: db.linalg.expm(a[:3]), db.ArgumentError, "3 x 13, not square"),
    "cholesky of a matrix that is not positive": (db.linalg.cholesky, np.linalg.LinAlgError, "not positive definite"),
    "lu of a singular matrix": (lambda a: db.linalg.lu(db.like(a)), np.linalg.LinAlgError, "singular"),
    "expm of infinity": (lambda a: db.linalg.expm(spoilt(a)), np.linalg.LinAlgError, "infinity"),
    "L of LU factors": (lambda a: db.linalg.lu_factor(a).L, AttributeError, r"linalg.lu\(a\) gives P, L and U"),
}


def spoilt(a):
    b = a.copy()
    b.local[...] = np.inf
    return b


@pytest.mark.parametrize("case", REFUSED)
def test_refused(comm, case):
    call, kind, words = REFUSED[case]
    a = db.from_global(random((N, N)), comm, ["local", "block"])
    with pytest.raises(kind, match=words) as error:
        call(a)
    assert len(set(comm.allgather(str(error.value)))) == 1
