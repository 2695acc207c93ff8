"""Calls the compiled module with arguments of any type in any place: it may raise exceptions, but must never crash.

Trials are random, but the same in each run; DAP_SEED and DAP_TRIES change the seed and the number. Collective functions
use MPI.COMM_SELF, so that each process is independent."""

import os
import random

import numpy as np
import pytest
from mpi4py import MPI
from things import FUNCTIONS, HANDLE, METHODS, Things, attempt, function, no_files_are_left

from dapbridge import ArgumentError, DimError, _core

pytestmark = pytest.mark.usefixtures(no_files_are_left.__name__)

SEED = int(os.environ.get("DAP_SEED", "1"))
TRIES = int(os.environ.get("DAP_TRIES", "3000"))
#: Other integers could be handles of other communicators.
HANDLES = [HANDLE] * 20 + [MPI.COMM_NULL.py2f(), 10**6, -1, 2**40, None, "x", 1.5]


def attributes(thing):
    return [n for n in dir(type(thing)) if not n.startswith("_") and not callable(getattr(type(thing), n))]


def is_vast(thing, name):
    """Returns whether the call would be valid, but take all memory or time, because axes have 2**55 elements."""
    return name in ("runs", "is_owned") and max(thing.shape, default=0) > 10**6


def arguments(things, right):
    """Returns right arguments, some of them replaced by others, or one too few or too many."""
    found = list(right)
    kind = random.random()
    for _ in range(0 if kind < 0.2 else 1 if kind < 0.8 else 2):
        if found:
            found[random.randrange(len(found))] = things.any()
    if random.random() < 0.02:
        found = found[:-1] if random.random() < 0.5 else [*found, None]
    return found


def inspect(thing):
    for name in attributes(thing):
        attempt(getattr, thing, name)
    if isinstance(thing, _core.Local):
        view = attempt(np.asarray, thing)
        if isinstance(view, np.ndarray) and view.dtype != object and not thing.readonly:
            view[...] = view.copy()


@pytest.fixture
def seeded(comm):
    random.seed(SEED + 1000 * comm.rank)
    return Things()


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(seeded, name):
    for _ in range(TRIES // 5):
        right = FUNCTIONS[name](seeded)
        args = arguments(seeded, right)
        if right[:1] == (HANDLE,) and args and args[0] is not HANDLE:
            args[0] = random.choice(HANDLES)
        result = attempt(function(name), *args)
        if isinstance(result, tuple) and result:
            result = result[0]
        if isinstance(result, (_core.Layout, _core.Local, _core.Plan)):
            inspect(result)


@pytest.mark.parametrize("kind", ["layouts", "locals"])
def test_methods(seeded, kind):
    for _ in range(TRIES):
        thing = random.choice(getattr(seeded, kind))
        name, right = random.choice(list(METHODS[type(thing)].items()))
        if kind == "layouts" and is_vast(thing, name):
            continue
        result = attempt(getattr(thing, name), *arguments(seeded, right(seeded, thing)))
        if isinstance(result, _core.Local):
            inspect(result)


def test_plans(seeded):
    plans = []
    for _ in range(TRIES):
        name = random.choice(["Plan.create", "Plan.halo", "Plan.halo_reverse"])
        made = attempt(function(name), HANDLE, *FUNCTIONS[name](seeded)[1:-1], random.choice(OPTIONS))
        if made is not None and len(plans) < 20:
            plans.append(made)
            inspect(made)
        plan = random.choice(plans or [None])
        if plan is None:
            continue
        name, right = random.choice(list(METHODS[_core.Plan].items()))
        attempt(getattr(plan, name), *arguments(seeded, right(seeded, plan)))
        if name == "destroy" or not plan.is_begun and random.random() < 0.05:
            plans.remove(plan)
    for plan in plans:
        plan.destroy()
        plan.destroy()
        assert plan.is_broken
        attempt(plan.run, None, None)


OPTIONS = [{}, {"arrays": 2}, {"lossy": True}, {"allow_empty": True}, {"alpha": 2}, {"transports": 4}]


# ---- smallest faults ----


@pytest.mark.parametrize("name", ["axis", "blocks", "owned"])
def test_axis_behind_the_last(name):
    layout = _core.Layout.parse("6 on 2: b")
    with pytest.raises(ArgumentError, match="axis 1 of 1"):
        getattr(layout, name)(1, *([0] if name == "owned" else []))


@pytest.mark.parametrize("name", ["knows", "owned", "extent", "halo", "runs", "is_owned"])
def test_coordinate_behind_the_last(name):
    layout = _core.Layout.parse("6 on 2: b")
    with pytest.raises(ArgumentError, match="coordinate 2 along axis 0, which is over 2 processes"):
        getattr(layout, name)(0, 2)


@pytest.mark.parametrize("dtype, is_right", [("=i8", True), (np.dtype("i8").newbyteorder(), False)], ids=["own", "other"])
def test_byte_order_of_lists(dtype, is_right):
    dim = ("u", 3, 1, 0, None, None, None, None, None, np.arange(3).astype(dtype), None)
    if is_right:
        _core.Local.of_dims("0.10.0", (dim,), np.zeros(3), None)
    else:
        with pytest.raises(DimError, match="a list of integers"):
            _core.Local.of_dims("0.10.0", (dim,), np.zeros(3), None)


@pytest.mark.parametrize("name, place", [("file_save", 3), ("file_load", 3), ("file_query", 1)])
def test_path_that_ends_without_a_null_byte(seeded, name, place):
    args = list(FUNCTIONS[name](seeded))
    args[place] = np.frombuffer(b"x", dtype="u1").copy()
    args[-1] = {}
    with pytest.raises(ArgumentError, match="expected bytes, numpy.ndarray found"):
        function(name)(*args)
