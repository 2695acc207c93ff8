"""Numpy arguments of linalg have to be the same on every process, which is checked by a hash."""

import numpy as np
import pytest
from maps import same_error

import dapbridge
from dapbridge import linalg


def matrix(comm):
    return dapbridge.from_global(np.eye(6) * 5 + np.arange(36.0).reshape(6, 6) / 36, comm, ["block", "block"])


CALLS = {
    "matmul": lambda a, v: a @ v,
    "matmul from the left": lambda a, v: v @ a,
    "solve": lambda a, v: linalg.solve(a, v),
    "solve with factors": lambda a, v: linalg.lu_factor(a).solve(v),
    "lstsq": lambda a, v: linalg.lstsq(a, v),
    "solve_triangular": lambda a, v: linalg.solve_triangular(a, v),
    "solve_refined": lambda a, v: linalg.solve_refined(a, v),
}


def wrong_values(comm, v):
    v[3] += 1e-13 * (comm.rank == comm.size - 1)
    return v


def wrong_order(comm, v):
    return v[::-1] if comm.rank == comm.size - 1 else v


def wrong_type(comm, v):
    return v.astype(np.float32) if comm.rank == comm.size - 1 else v


def wrong_length(comm, v):
    return v[:5] if comm.rank == comm.size - 1 else v


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("spoil", [wrong_values, wrong_order, wrong_type, wrong_length])
def test_arguments_that_differ_are_refused(comm, name, spoil):
    a, v = matrix(comm), np.arange(6.0) + 1
    whole = CALLS[name](a, v.copy())
    if comm.size == 1:
        return
    error = same_error(comm, dapbridge.ArgumentError, lambda: CALLS[name](a, spoil(comm, v)))
    assert error.rank == comm.size - 1 and "every process" in str(error)
    assert type(CALLS[name](a, np.arange(6.0) + 1)) is type(whole)  # the communicator is of use still


@pytest.mark.parametrize("form", [np.ascontiguousarray, lambda v: np.repeat(v, 2)[::2], lambda v: v.astype("f4"), np.asfortranarray])
def test_equal_arguments_of_any_form_pass(comm, form):
    a, v = matrix(comm), np.arange(1.0, 7)
    given = form(v) if comm.rank == 0 and form(v).dtype == v.dtype else form(v).copy()
    np.testing.assert_allclose((a @ given).gather(), a.gather() @ v, rtol=1e-6)


def test_the_comparison_can_be_left_out(comm, monkeypatch):
    monkeypatch.setattr(dapbridge, "check_operands", False)
    v = np.arange(6.0)
    v[3] += comm.rank
    (matrix(comm) @ v).gather()
