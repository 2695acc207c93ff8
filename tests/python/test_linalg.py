"""Tests the binding of each function of dapbridge.linalg: which operands are passed, as which triangle or transpose,
and the type and layout of the results. Tests in C check ScaLAPACK's results for all sizes and layouts."""

import numpy as np
import pytest
import scipy.linalg
from layouts import distributed
from maps import check
from matrices import TYPES, hermitian, lower, positive, random, regular, tolerance, upper

import dapbridge as db

la = db.linalg
N = 13
#: Layouts: moved, in place as a transpose, and in place; with lists, padding and copies.
LAYOUTS = ["rows", "columns that are padded in F order", "square blocks in turn", "lists of rows", "copies of rows"]


def cases(table):
    """Returns each row in a real and in a complex type. The layouts take turns."""
    return [
        pytest.param(name, TYPES[i % 2 + 2 * k], LAYOUTS[(i + k) % len(LAYOUTS)], id=f"{name}-{'real complex'.split()[k]}")
        for i, name in enumerate(table)
        for k in range(2)
    ]


def compare(comm, found, wanted, t):
    """Compares results. Numbers and numpy arrays must be the same on all processes."""
    if isinstance(wanted, tuple):
        assert len(found) == len(wanted)
        for mine, other in zip(found, wanted):
            compare(comm, mine, other, t)
    elif isinstance(found, db.Array):
        check(found, wanted, tolerance=t)
    else:
        np.testing.assert_allclose(found, wanted, rtol=t, atol=t)
        assert len(set(comm.allgather(np.asarray(found).tobytes()))) == 1


# ---- functions that numpy and scipy also have -----------------------------------------------------------------


def pair(t, columns=(3,)):
    return regular(N, t), random((N, *columns), t, 2)


def of(make, part=lambda a: a):
    """Returns a function that makes a matrix and right-hand sides."""
    return lambda t: (part(make(N, t)), random((N, 3), t, 2))


def symmetric(n, t):
    a = random((n, n), t)
    return a + a.T + 5 * np.diag((-1.0) ** np.arange(n)).astype(t)


def by_lower(a):
    return np.tril(a) + np.tril(a, -1).conj().T


def by_upper(a):
    return np.triu(a) + np.triu(a, 1).conj().T


def matrix(make, shape=None):
    return lambda t: (make(N, t) if shape is None else make(shape, t),)


def band(low, high, t):
    """Returns diagonals, of which the main one is the largest, with NaN at places without an element."""
    ab = random((low + high + 1, N), t)
    ab[high] = abs(ab[high]) + 4
    i = np.arange(low + high + 1)[:, None] - high + np.arange(N)
    ab[(i < 0) | (i >= N)] = np.nan
    return ab


def banded(low, high):
    return lambda t: (band(low, high, t), random((N, 2), t, 2))


def clean(function):
    """Returns scipy's function for bands without NaN, which it would read."""
    return lambda ab, b: function(np.nan_to_num(ab), b)


def low_rank(t):
    return random((N, 3), t) @ random((3, 8), t, 5), random((N, 2), t, 2)


def spectrum(t):
    """Returns values with a negative one, which counts by its size, and a 0, which does not count."""
    q = np.linalg.qr(random((9, 9), t))[0]
    return ((q * np.array([3, -2, 1, 0.5, -0.25, 2, 1, 0, -0.1]).astype(q.real.dtype)) @ q.conj().T,)


def triangle(a, is_lower, unit):
    a = np.tril(a) if is_lower else np.triu(a)
    return a - np.diag(np.diag(a)) + np.eye(len(a), dtype=a.dtype) if unit else a


#: Operands of a type, the call, and the same call of numpy.
COMPUTED = {
    "solve": (pair, la.solve, np.linalg.solve),
    "solve, of a vector": (lambda t: pair(t, ()), la.solve, np.linalg.solve),
    "solve, transposed": (pair, lambda a, b: la.solve(a, b, transposed=True), lambda a, b: np.linalg.solve(a.T, b)),
    "solve, of a transpose": (pair, lambda a, b: la.solve(a.T, b), lambda a, b: np.linalg.solve(a.T, b)),
    "solve, of a transpose, transposed": (pair, lambda a, b: la.solve(a.T, b, transposed=True), np.linalg.solve),
    "solve, of an adjoint": (pair, lambda a, b: la.solve(a.T.conj(), b), lambda a, b: np.linalg.solve(a.T.conj(), b)),
    "solve, of a conjugate": (pair, lambda a, b: la.solve(a.conj(), b), lambda a, b: np.linalg.solve(a.conj(), b)),
    "positive definite": (
        of(positive, lower), lambda a, b: la.solve(a, b, assume_a="pos", lower=True),
        lambda a, b: np.linalg.solve(by_lower(a), b),
    ),
    "positive definite, upper": (
        of(positive, upper), lambda a, b: la.solve(a, b, assume_a="pos"), lambda a, b: np.linalg.solve(by_upper(a), b),
    ),
    "positive definite, transposed": (
        of(positive, lower), lambda a, b: la.solve(a, b, assume_a="pos", lower=True, transposed=True),
        lambda a, b: np.linalg.solve(by_lower(a).T, b),
    ),
    "positive definite, of a transpose": (
        of(positive, lower), lambda a, b: la.solve(a.T, b, assume_a="pos"),
        lambda a, b: np.linalg.solve(by_lower(a).T, b),
    ),
    "Hermitian": (
        of(lambda n, t: hermitian(n, t) + 5 * np.diag((-1.0) ** np.arange(n)).astype(t), upper),
        lambda a, b: la.solve(a, b, assume_a="her"), lambda a, b: np.linalg.solve(by_upper(a), b),
    ),
    "symmetric": (
        of(symmetric, lower), lambda a, b: la.solve(a, b, assume_a="sym", lower=True),
        lambda a, b: np.linalg.solve(np.tril(a) + np.tril(a, -1).T, b),
    ),
    "symmetric, of a transpose": (
        of(symmetric, lower), lambda a, b: la.solve(a.T, b, assume_a="sym"),
        lambda a, b: np.linalg.solve(np.tril(a) + np.tril(a, -1).T, b),
    ),
    "inv": (matrix(regular), la.inv, np.linalg.inv),
    "det, slogdet": (
        matrix(regular), lambda a: (la.det(a), *la.slogdet(a)), lambda a: (np.linalg.det(a), *np.linalg.slogdet(a)),
    ),
    "cond": (
        matrix(regular), lambda a: tuple(la.cond(a, p) for p in (None, 2, -2, "fro")),
        lambda a: tuple(np.linalg.cond(a, p) for p in (None, 2, -2, "fro")),
    ),
    "lstsq, tall": (
        lambda t: (random((17, 5), t), random((17, 3), t, 2)), lambda a, b: tuple(la.lstsq(a, b)[:3]),
        lambda a, b: tuple(np.linalg.lstsq(a, b, rcond=None)[:3]),
    ),
    "lstsq, wide": (
        lambda t: (random((5, 17), t), random((5,), t, 2)), lambda a, b: la.lstsq(a, b).x,
        lambda a, b: np.linalg.lstsq(a, b, rcond=None)[0],
    ),
    "lstsq, of any rank": (
        low_rank, lambda a, b: tuple(la.lstsq(a, b, rcond=1e-4)[::2])[:2],
        lambda a, b: tuple(np.linalg.lstsq(a, b, rcond=1e-4)[::2])[:2],
    ),
    "pinv": (matrix(random, (N, 5)), la.pinv, np.linalg.pinv),
    "pinv, many rows of low rank": (
        lambda t: (random((90, 3), t) @ random((3, 4), t, 2),), lambda a: la.pinv(a, rcond=1e-4),
        lambda a: np.linalg.pinv(a, rcond=1e-4),
    ),
    "pinv, Hermitian": (
        spectrum, lambda a: la.pinv(a, rtol=1e-3, hermitian=True), lambda a: np.linalg.pinv(a, 1e-3, True),
    ),
    "cholesky": (
        matrix(lambda n, t: lower(positive(n, t))), lambda a: la.cholesky(a, lower=True),
        lambda a: np.linalg.cholesky(by_lower(a)),
    ),
    "cholesky, upper": (
        matrix(lambda n, t: upper(positive(n, t))), lambda a: la.cholesky(a, lower=False),
        lambda a: np.linalg.cholesky(by_upper(a)).conj().T,
    ),
    "expm": (matrix(random, (N, N)), la.expm, lambda a: scipy.linalg.expm(a).astype(a.dtype)),
    "matrix_power": (
        matrix(lambda n, t: regular(n, t) / 4), lambda a: tuple(la.matrix_power(a, k) for k in (-3, 0, 1, 5)),
        lambda a: tuple(np.linalg.matrix_power(a, k) for k in (-3, 0, 1, 5)),
    ),
    "solve_triangular": (
        pair, lambda a, b: tuple(la.solve_triangular(a, b, trans, is_lower) for trans, is_lower in ((0, True), ("C", False))),
        lambda a, b: tuple(scipy.linalg.solve_triangular(a, b, t, low) for t, low in ((0, True), (2, False))),
    ),
    "solve_triangular, of a lazy view": (
        of(lambda n, t: regular(n, t) / 8), lambda a, b: la.solve_triangular(a.T.conj(), b, "T", True, True),
        lambda a, b: scipy.linalg.solve_triangular(a.T.conj(), b, 1, True, True),
    ),
    "multiply_triangular": (
        pair, lambda a, b: la.multiply_triangular(a, b, "C", lower=True, unit_diagonal=True, alpha=0.5),
        lambda a, b: (0.5 * triangle(a, True, True).T.conj() @ b).astype(a.dtype),
    ),
    "multiply_triangular, from the right": (
        lambda t: (regular(N, t), random((3, N), t, 2)), lambda a, b: la.multiply_triangular(a, b, side="R"),
        lambda a, b: b @ triangle(a, False, False),
    ),
    "rank_k": (matrix(random, (N, 7)), la.rank_k, lambda a: a @ a.conj().T),
    "rank_k, turned": (
        matrix(random, (N, 7)), lambda a: la.rank_k(a, transposed=True, hermitian=False), lambda a: a.T @ a,
    ),
    "rank_k, of a transpose": (matrix(random, (N, 7)), lambda a: la.rank_k(a.T), lambda a: a.T @ a.conj()),
    "rank_k, of an adjoint, turned": (
        matrix(random, (N, 7)), lambda a: la.rank_k(a.T.conj(), transposed=True), lambda a: a @ a.conj().T,
    ),
    "rank_k, added to a triangle": (
        lambda t: (random((N, 7), t), hermitian(N, t, 2)),
        lambda a, c: la.rank_k(a, c=c, alpha=-2, beta=0.5, lower=True),
        lambda a, c: np.where(np.tri(N) > 0, -2 * a @ a.conj().T + 0.5 * c, c).astype(a.dtype),
    ),
    "solve_banded": (
        banded(2, 1), lambda ab, b: la.solve_banded((2, 1), ab, b),
        clean(lambda ab, b: scipy.linalg.solve_banded((2, 1), ab, b)),
    ),
    "solveh_banded": (
        banded(2, 0), lambda ab, b: la.solveh_banded(ab, b, lower=True),
        clean(lambda ab, b: scipy.linalg.solveh_banded(ab, b, lower=True)),
    ),
    "solveh_banded, upper": (banded(0, 1), lambda ab, b: la.solveh_banded(ab, b), clean(scipy.linalg.solveh_banded)),
    "lu_solve": (
        pair, lambda a, b: tuple(la.lu_solve(la.lu_factor(a), b, trans=k) for k in range(3)),
        lambda a, b: tuple(np.linalg.solve(op, b) for op in (a, a.T, a.T.conj())),
    ),
    "factors": (
        matrix(regular), lambda a: (la.lu_factor(a).inv(a), *la.lu_factor(a).slogdet()),
        lambda a: (np.linalg.inv(a), *np.linalg.slogdet(a)),
    ),
    "cho_solve": (
        of(positive, lower), lambda a, b: la.cho_solve(la.cho_factor(a, True), b),
        lambda a, b: np.linalg.solve(by_lower(a), b),
    ),
    "cho_factor, upper": (
        matrix(lambda n, t: upper(positive(n, t))), lambda a: (la.cho_factor(a).L, la.cho_factor(a).U),
        lambda a: (np.linalg.cholesky(by_upper(a)), np.linalg.cholesky(by_upper(a)).conj().T),
    ),
    "solve_refined": (pair, lambda a, b: la.solve_refined(a, b).x, np.linalg.solve),
    "solve_refined, of a lazy view": (
        pair, lambda a, b: la.solve_refined(a.conj(), b, "T").x, lambda a, b: np.linalg.solve(a.conj().T, b),
    ),
    "eigvalsh, svdvals": (
        matrix(hermitian), lambda a: (la.eigvalsh(a), la.eigvalsh(a, "U"), la.svdvals(a)),
        lambda a: (np.linalg.eigvalsh(a),) * 2 + (np.linalg.svd(a, compute_uv=False),),
    ),
    "norm": (
        matrix(random, (N, 7)), lambda a: tuple(la.norm(a, k) for k in (None, "fro", 1, np.inf, 2, -2, "nuc", -1, -np.inf)),
        lambda a: tuple(np.linalg.norm(a, k) for k in (None, "fro", 1, np.inf, 2, -2, "nuc", -1, -np.inf)),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name, dtype, layout", cases(COMPUTED))
def test_computed(comm, name, dtype, layout):
    """The result has the layout of the last operand, or of the matrix. Operands must not change."""
    make, call, wanted = COMPUTED[name]
    operands = make(dtype)
    arrays = [distributed(comm, x, layout) for x in operands]
    found, wanted = call(*arrays), wanted(*operands)
    compare(comm, found, wanted, 20 * tolerance(dtype))
    if isinstance(found, db.Array) and found.shape == arrays[-1].shape:
        assert found.layout == arrays[-1].layout
    for a, x in zip(arrays, operands):
        check(a, x)


# ---- factors, compared by their product -----------------------------------------------------------------------


def unit(q):
    return q.conj().T @ q, np.eye(q.shape[1])


#: Operands of a type, the call, and pairs of expressions in operands and results that must be equal.
FACTORED = {
    "qr, tall": (matrix(random, (17, 9)), la.qr, lambda a, q, r: [(q @ r, a), unit(q), (r, np.triu(r))]),
    "qr, wide": (matrix(random, (9, 17)), la.qr, lambda a, q, r: [(q @ r, a), unit(q), (r, np.triu(r))]),
    "qr, R only": (matrix(random, (17, 9)), lambda a: (la.qr(a, "r"),), lambda a, r: [(r.conj().T @ r, a.conj().T @ a)]),
    "qr, pivots": (
        matrix(random, (17, 9)), lambda a: la.qr(a, pivoting=True),
        lambda a, q, r, p: [(q @ r, a[:, p]), unit(q), (sorted(p), np.arange(9))],
    ),
    "qr, pivots, R only": (
        matrix(random, (9, 17)), lambda a: la.qr(a, "r", pivoting=True),
        lambda a, r, p: [(r.conj().T @ r, a[:, p].conj().T @ a[:, p])],
    ),
    "lu": (
        matrix(random, (N, N)), la.lu,
        lambda a, p, x, y: [((x @ y)[p], a), (x, np.tril(x)), (y, np.triu(y)), (np.diag(x), np.ones(N))],
    ),
    "schur": (
        matrix(random, (N, N)), la.schur,
        lambda a, t, z: [(z @ t @ z.conj().T, a), unit(z), (t, np.triu(t, 0 if t.dtype.kind == "c" else -1))],
    ),
    "schur, complex": (
        matrix(random, (N, N)), lambda a: la.schur(a, "complex"),
        lambda a, t, z: [(z @ t @ z.conj().T, a), unit(z), (t, np.triu(t))],
    ),
    "eig": (
        matrix(random, (N, N)), la.eig, lambda a, w, v: [(a @ v, v * w), (np.linalg.norm(v, axis=0), np.ones(N))],
    ),
    "eigh": (
        matrix(lambda n, t: lower(hermitian(n, t))), la.eigh,
        lambda a, w, v: [(by_lower(a) @ v, v * w), unit(v), (w, np.sort(w))],
    ),
    "eigh, upper": (
        matrix(lambda n, t: upper(hermitian(n, t))), lambda a: la.eigh(a, "U"),
        lambda a, w, v: [(by_upper(a) @ v, v * w), unit(v)],
    ),
    "eigh of a pair": (
        lambda t: (hermitian(N, t), positive(N, t, 2)), lambda a, b: la.eigh(a, b=b),
        lambda a, b, w, v: [(a @ v, (b @ v) * w), (v.conj().T @ b @ v, np.eye(N))],
    ),
    "svd": (
        matrix(random, (17, 9)), la.svd, lambda a, u, s, v: [(u * s @ v, a), unit(u), (s, np.sort(s)[::-1])],
    ),
    "svd, wide": (matrix(random, (9, 17)), la.svd, lambda a, u, s, v: [(u * s @ v, a), unit(v.conj().T)]),
}  # fmt: skip


@pytest.mark.parametrize("name, dtype, layout", cases(FACTORED))
def test_factored(comm, name, dtype, layout):
    make, call, equal = FACTORED[name]
    operands = make(dtype)
    arrays = [distributed(comm, x, layout) for x in operands]
    results = call(*arrays)
    wide = "complex" in name or name == "eig"
    for x in results:
        if isinstance(x, db.Array):
            assert x.dtype == (np.result_type(dtype, np.complex64) if wide else dtype)
            assert x.shape != arrays[0].shape or x.layout == arrays[0].layout
    found = [x.gather() if isinstance(x, db.Array) else x for x in results]
    for mine, other in equal(*operands, *found):
        np.testing.assert_allclose(mine, other, atol=10 * tolerance(dtype))
    for a, x in zip(arrays, operands):
        check(a, x)


# ---- numpy's names -----------------------------------------------------------------------------------------

#: By numpy's names: the call of its module, with a matrix, two columns, and a symmetric matrix.
BY_NUMPY = {
    "solve": lambda l, a, b, s: l.solve(a, b),
    "inv": lambda l, a, b, s: l.inv(a),
    "pinv": lambda l, a, b, s: l.pinv(b),
    "cholesky": lambda l, a, b, s: l.cholesky(s),
    "matrix_power": lambda l, a, b, s: l.matrix_power(a.T, np.int64(3)),
    "det": lambda l, a, b, s: l.det(a),
    "slogdet": lambda l, a, b, s: tuple(l.slogdet(a)),
    "cond": lambda l, a, b, s: l.cond(a),
    "norm": lambda l, a, b, s: l.norm(a, 1),
    "eigvalsh": lambda l, a, b, s: l.eigvalsh(s),
    "eigh": lambda l, a, b, s: l.eigh(s)[0],
    "eigvals": lambda l, a, b, s: np.sort_complex(l.eigvals(a)),
    "eig": lambda l, a, b, s: np.sort_complex(l.eig(a)[0]),
    "svd": lambda l, a, b, s: l.svd(b, compute_uv=False),
    "svd, reduced": lambda l, a, b, s: l.svd(b, full_matrices=False)[1],
    "lstsq": lambda l, a, b, s: l.lstsq(a, b, rcond=None)[0],
    "matrix_rank": lambda l, a, b, s: l.matrix_rank(a),
    "qr": lambda l, a, b, s: abs(l.qr(b)[1]),
    "dot": lambda l, a, b, s: np.dot(a, b),
}


@pytest.mark.parametrize("name", BY_NUMPY)
def test_by_numpys_names(comm, name):
    operands = regular(7), random((7, 2), seed=2), positive(7)
    found = BY_NUMPY[name](np.linalg, *(distributed(comm, x) for x in operands))
    compare(comm, found, BY_NUMPY[name](np.linalg, *operands), 1e-9)
