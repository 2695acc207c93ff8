"""Powers of matrices against numpy's."""

import numpy as np
import pytest
from maps import same_error

import dapbridge as db
from matrices import SAMPLE, LAYOUTS, check, distributed, regular, tolerance


@pytest.mark.parametrize("name, dtype", SAMPLE)
def test_powers(comm, name, dtype):
    a = regular(7, dtype) / 4
    given = distributed(comm, a, name)
    for n in (-3, 0, 1, 2, 5):
        found = db.linalg.matrix_power(given, n)
        check(found, np.linalg.matrix_power(a, n), 100 * tolerance(dtype))
        assert found.layout == given.layout and not np.may_share_memory(found.local, given.local)
    check(given, a)
    check(np.linalg.matrix_power(given, 2), a @ a, 10 * tolerance(dtype))
    check(np.linalg.matrix_power(given.T, np.int64(3)), a.T @ a.T @ a.T, 10 * tolerance(dtype))


@pytest.mark.parametrize("name", ("row slabs", "cyclic", "padded", "unstructured"))
@pytest.mark.parametrize("dtype", ("?", "i1", "i8", "u4"))
def test_powers_of_integers(comm, name, dtype):
    """All bits are right, also of what overflows."""
    a = (np.arange(25).reshape(5, 5) * 7 % 11 - (0 if dtype in ("?", "u4") else 5)).astype(dtype)
    given = distributed(comm, a, name)
    for n in (0, 1, 3, 25):
        check(db.linalg.matrix_power(given, n), np.linalg.matrix_power(a, n), 0)


def test_inverse_of_integers(comm):
    a = np.array([[2, 1], [1, 1]])
    check(db.linalg.matrix_power(distributed(comm, a), -2), np.linalg.matrix_power(a, -2), 1e-12)


def test_powers_are_refused(comm):
    a = distributed(comm, regular(4))
    for n in (1.5, "x", None, [2]):
        error = same_error(comm, db.ArgumentError, lambda: db.linalg.matrix_power(a, n))
        assert "not an integer" in str(error)
    error = same_error(comm, db.ArgumentError, lambda: np.linalg.matrix_power(distributed(comm, regular(4)[:3]), 2))
    assert "not square" in str(error)
    same_error(comm, np.linalg.LinAlgError, lambda: db.linalg.matrix_power(db.zeros((3, 3), comm), -1))
    if comm.size > 1:
        error = same_error(comm, db.ArgumentError, lambda: db.linalg.matrix_power(a, 2 + comm.rank))
        assert "n differs: 2 on rank 0" in str(error)


def test_report(comm):
    report = []
    db.linalg.matrix_power(distributed(comm, regular(4)), 3, report=report)
    assert [use.name for use in report] == ["A", "B", "C"] * 2


@pytest.mark.parametrize("name", LAYOUTS)
def test_eye(comm, name):
    """In the layouts of matrices, with copies and padding."""
    for shape, k in (((7, 7), 0), ((6, 9), 2), ((9, 6), -3), ((5, 5), 99), ((0, 3), 0)):
        if 0 in shape and name == "padded":
            continue
        dist, grid, order = LAYOUTS[name](shape, comm.size)
        if name == "padded" and shape[0] < 2 * comm.size:
            dist = ["block"]
        for dtype in (float, "i4", "c8", "?"):
            a = db.eye(shape[0], comm, shape[1], k, dist, dtype, grid, order)
            whole = np.eye(*shape, k, dtype)
            assert a.dtype == whole.dtype and a.shape == shape
            np.testing.assert_array_equal(a.local, whole[np.ix_(*a.indices())])
    dist, grid, order = LAYOUTS[name]((8, 8), comm.size)
    np.testing.assert_array_equal(db.identity(8, comm, dist, "f4", grid).gather(), np.identity(8, "f4"))


def test_eye_is_refused(comm):
    for call, words in (
        (lambda: db.eye(2.5, comm), "n: 2.5 is not an integer"),
        (lambda: db.eye(3, comm, m="x"), "m: 'x'"),
        (lambda: db.eye(3, comm, k=0.5), "k: 0.5"),
        (lambda: db.identity(4, comm, dtyp=int), "did you mean 'dtype'"),
    ):
        assert words in str(same_error(comm, db.ArgumentError, call))
    with pytest.raises(TypeError, match="comm is int, not a communicator"):
        db.eye(3, 4)
    if comm.size > 1:
        assert "k differs" in str(same_error(comm, db.ArgumentError, lambda: db.eye(4, comm, k=comm.rank)))
