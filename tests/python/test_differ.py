"""Tests calls that are right on each process, but differ. All processes must raise at that call, and none may wait."""

import numpy as np
import pytest
from maps import check, ramp, same_error

import dapbridge as db

SHAPE = (8, 6)
#: By the difference: the call of an array, with whether this process is the one that differs.
IN_NUMPY = {
    "the function": lambda a, d: a * 1 if d else a + 1,
    "a number's type": lambda a, d: a + (1.0 if d else 1),
    "a lazy operand": lambda a, d: (a.conj() if d else a) + 1,
    "a sum of the part": lambda a, d: a / (1.0 + d),
    "an integer": lambda a, d: a * int(d),
    "numpy's number": lambda a, d: a + np.float32(d),
    "a numpy array": lambda a, d: a + np.full(6, d),
    "a list of numbers": lambda a, d: a + [int(d), 0, 0, 0, 0, 0],
    "a mask": lambda a, d: np.sin(a, where=np.full(6, not d)),
    "a limit": lambda a, d: np.clip(a, 0, int(d)),
    "a number for where": lambda a, d: np.where(a > 0, a, int(d)),
    "a value to fill in": lambda a, d: np.full_like(a, int(d)),
    "out on one process": lambda a, d: np.sin(a, **({"out": a + 0} if d else {})),
    "axis": lambda a, d: a.sum(int(d)),
    "one axis or all": lambda a, d: a.max(int(d) or None),
    "keepdims": lambda a, d: a.sum(0, keepdims=d),
    "dtype": lambda a, d: a.mean(dtype="f4" if d else "f8"),
    "ddof": lambda a, d: a.std(ddof=int(d)),
    "offset of trace": lambda a, d: a.trace(int(d)),
    "offset of diagonal": lambda a, d: a.diagonal(int(d)),
    "offset of numpy's": lambda a, d: np.diag(a, int(d)),
    "norm's axis": lambda a, d: np.linalg.norm(a, axis=int(d)),
    "place": lambda a, d: a.argmin(int(d)),
    "another shape": lambda a, d: np.array_equal(a, np.ones(3 if d else SHAPE)),
    "a list": lambda a, d: np.array_equal(a, [1, 2] if d else [3, 4]),
    "another shape to broadcast": lambda a, d: np.array_equiv(a, np.ones(6 if d else (1, 6))),
    "lazy there": lambda a, d: np.vdot(a, a.conj() if d else a),
    "axes": lambda a, d: np.transpose(a, (0, 1) if d else (1, 0)),
    "compute_uv": lambda a, d: np.linalg.svd(a, False, d),
    "a type": lambda a, d: np.ones_like(a, "f4" if d else "f8"),
}
OTHERS = {  # with parts of the text
    "shape": (lambda a, d: db.zeros((8, 9) if d else (8, 8), a.comm), "shape|(8, 8)|rank 0|(8, 9)|rank {last}"),
    "number of axes": (lambda a, d: db.zeros(8 if d else (8, 8), a.comm), "shape|(8, 8)|rank 0|(8,)|rank {last}"),
    "shape of full": (lambda a, d: db.full(9 if d else 8, 1.0, a.comm), "(8,)|rank 0|(9,)|rank {last}"),
    "shape of a function's": (lambda a, d: db.from_function(lambda i: i, 9 if d else 8, a.comm), "(8,)|rank 0|(9,)|rank {last}"),
    "dist": (lambda a, d: db.array(np.ones(3), a.comm, "cyclic" if d else "block"), ""),
    "a factor of a plan": (lambda a, d: db.Plan(a, db.like(a), alpha=2 if d else 1), ""),
    "a slice": (lambda a, d: a[int(d) : 6], "differ"),
    "a list of rows": (lambda a, d: a[[2, 1] if d else [1, 2]], "differ"),
    "steps": (lambda a, d: a[::-2] if d else a[::2], "differ"),
    "a list and a slice": (lambda a, d: a[1:3] if d else a[[1, 2]], "differ"),
    "how many rows": (lambda a, d: a[[1, 1] if d else [1]], "differ"),
}  # fmt: skip


@pytest.fixture
def array(comm):
    return db.from_global(ramp(SHAPE), comm, db.padded(1))


@pytest.mark.parametrize("what", IN_NUMPY)
@pytest.mark.filterwarnings("ignore:divide by zero")
def test_calls_of_numpy(comm, array, last, what):
    """The error must name the call of each process."""
    IN_NUMPY[what](array, False), IN_NUMPY[what](array, True)
    if comm.size > 1:
        words = f"rank {comm.size - 1}: this process is in numpy.|rank 0 in numpy."
        same_error(comm, db.ArgumentError, lambda: IN_NUMPY[what](array, last), words)
    check(array, ramp(SHAPE))


@pytest.mark.parametrize("what", OTHERS)
def test_calls(comm, several, array, last, what):
    call, words = OTHERS[what]
    for everywhere in (False, True):
        if what != "dist":
            call(array, everywhere)
    same_error(comm, (db.ArgumentError, db.LayoutError), lambda: call(array, last), words.format(last=comm.size - 1))
    check(array, ramp(SHAPE))


def test_the_functions_are_named(comm, several, array, last):
    kind = "(8 x 6 float64, int)"
    words = f"numpy.multiply{kind}|numpy.add{kind}"
    same_error(comm, db.ArgumentError, lambda: array * 1 if last else array + 1, words)


def test_unchecked_operands_may_differ(comm, array):
    db.check_operands = False
    try:
        check(array + np.where(np.arange(6) < 6, 1.0, comm.rank), ramp(SHAPE) + 1)
        array + np.full(6, comm.rank)
    finally:
        db.check_operands = True


def test_types_of_parts(comm, several, last):
    kind = np.float32 if last else np.float64
    words = f"type|float64|rank 0|float32|rank {comm.size - 1}"
    same_error(comm, db.LayoutError, lambda: db.array(np.zeros((2, 3), kind), comm), words)
    swapped = np.dtype(float).newbyteorder() if comm.rank else np.dtype(float)
    db.array(np.zeros((2, 3), swapped), comm)  # byte orders may differ


def test_versions_of_exports(comm, several):
    given = db.zeros(9, comm).__distarray__("0.9.0" if comm.rank == 0 else "0.10.0")
    same_error(comm, db.Error, lambda: db.from_dap(given, comm))


def test_communicators_of_one_call(comm, several):
    half = comm.Split(comm.rank % 2)
    if half.size < comm.size:
        given = db.zeros(9, comm).__distarray__()
        same_error(half, db.LayoutError, lambda: db.from_dap(given, half))
    half.Free()
