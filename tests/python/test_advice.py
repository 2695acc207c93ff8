"""What is refused says what to do instead."""
import copy
import pickle

import numpy as np
import pytest

import dapbridge


def array(comm):
    return dapbridge.zeros((2 * comm.size, 4), comm)


class Burning:
    def __distarray__(self):
        raise OSError("disk on fire")


def destroyed_plan(comm):
    a = array(comm)
    with dapbridge.Plan(a, dapbridge.like(a)) as plan:
        plan()
    return plan


def ended_plan_runs(comm):
    destroyed_plan(comm)()


def ended_plan_describes(comm):
    destroyed_plan(comm).describe()


def view_is_copied(comm):
    with array(comm).scalapack() as m:
        copy.copy(m)


def view_is_pickled(comm):
    with array(comm).scalapack() as m:
        pickle.dumps(m)


MASKED = np.ma.masked_array([1.0, 2.0], [False, True])

REFUSED = [
    # what a user of numpy tries, the exception, words of its text
    (lambda comm: bool(array(comm) == array(comm)), TypeError, r"\(a == b\)\.all\(\)"),
    (lambda comm: array(comm) in [array(comm)], TypeError, r"\(a == b\)\.all\(\)"),
    (lambda comm: array(comm).T.local, AttributeError, "copy\\(\\) or redistribute\\(\\) makes an array"),
    (lambda comm: array(comm).T[0], TypeError, "slice the array"),
    (lambda comm: list(array(comm).T), TypeError, "not iterable: copy"),
    (lambda comm: list(array(comm)), TypeError, r"not iterable: use \.local or \.owned"),
    (lambda comm: np.sort(array(comm)), TypeError, r"numpy.sort is not .* gather\(\)"),
    (lambda comm: np.add.accumulate(array(comm)), TypeError, "numpy.add.accumulate is not"),
    (lambda comm: float(array(comm)[0, 0]), TypeError, r"float\(a\[0, 0\].gather\(\)\)"),
    (lambda comm: array(comm).redistribute("cyclic", "block"), dapbridge.ArgumentError, "out, the second .* one list"),
    (lambda comm: array(comm).redistribute(), dapbridge.ArgumentError, "neither"),
    (lambda comm: dapbridge.from_global(None, comm), dapbridge.ArgumentError, r"process 0 \(root\) has None"),
    (lambda comm: dapbridge.zeros(3, comm, dtype="U3"), dapbridge.ArrayBufferError, "float16 to float64, longdouble"),
    (lambda comm: dapbridge.zeros((3, 3), comm, grid=(comm.size, 2)), dapbridge.ArgumentError, "axis 0 alone"),
    (lambda comm: dapbridge.zeros(3, comm, "padded"), dapbridge.ArgumentError, r"dapbridge\.padded\(1\)"),
    (lambda comm: dapbridge.zeros(3, comm, ["unstructured"]), dapbridge.ArgumentError, r"unstructured\(indices\)"),
    (lambda comm: dapbridge.array(MASKED, comm), dapbridge.ArgumentError, r"mask .*\.filled\(x\)"),
    (lambda comm: dapbridge.from_global(MASKED, comm), dapbridge.ArgumentError, "masked array"),
    (lambda comm: dapbridge.from_function(lambda i: np.ma.masked_less(i, 1), 3, comm), dapbridge.ArgumentError, "masked"),
    (lambda comm: dapbridge.from_dap(np.zeros(3), comm), dapbridge.Error, r"dapbridge\.array\(\) takes numpy"),
    (lambda comm: dapbridge.from_dap(Burning(), comm), dapbridge.LibraryError,
     r"__distarray__\(\) of Burning raised OSError: disk on fire"),
    (ended_plan_runs, dapbridge.ArgumentError, "make a new one"),
    (ended_plan_describes, dapbridge.ArgumentError, "make a new one"),
    (view_is_copied, TypeError, "copy or gather the array instead"),
    (view_is_pickled, TypeError, "copy or gather the array instead"),
]  # fmt: skip


@pytest.mark.parametrize("call, exception, words", REFUSED)
def test_refused(comm, call, exception, words):
    with pytest.raises(exception, match=words):
        call(comm)


def test_an_ended_plan_ends_again(comm):
    plan = destroyed_plan(comm)
    plan.destroy()
    plan.destroy()


def test_arrays_are_keys(comm):
    a, b = array(comm), array(comm)
    assert {a: 1, b: 2}[a] == 1
    assert a in [a]
    assert hash(a) != hash(b) or a is b


def test_classes_of_views_are_found():
    for name in ("ScalapackMatrix", "PetscField", "PetscVector", "PetscMatrix", "linalg"):
        assert name in dir(dapbridge)
    assert dapbridge.ScalapackMatrix.__doc__
