"""The compiled module with arguments of any type in any place: exceptions, and never a crash.

What is tried is random, but the same in each run; DAP_SEED and DAP_TRIES make it another, or longer. Collective
functions are called on MPI.COMM_SELF, so that each process may do as it likes."""

import os
import random
import tempfile

import numpy as np
import pytest
from mpi4py import MPI
from things import FINE, HANDLE, Angry, Things, axis, is_small

from dapbridge import ArgumentError, DimError, _core

SEED = int(os.environ.get("DAP_SEED", "1"))
TRIES = int(os.environ.get("DAP_TRIES", "3000"))
#: Others may be handles of other communicators.
HANDLES = [HANDLE] * 20 + [MPI.COMM_NULL.py2f(), 10**6, -1, 2**40, None, "x", 1.5]


def rank(layout):
    return random.randrange(layout.nprocs)


def layout_of(things, local):
    """A layout of as many dimensions, which may fit."""
    return random.choice([x for x in things.layouts if x.ndim == local.ndim])


def buffer_for(layout, of_rank):
    return np.zeros([layout.extent(k, c) for k, c in enumerate(layout.coords(of_rank))])


def small_layout(things):
    return random.choice([x for x in things.layouts if is_small(x)])


def places(layout):
    return np.zeros((2, layout.ndim), np.int64)


def wrap_arguments(things):
    layout = small_layout(things)
    return layout, rank(layout), buffer_for(layout, rank(layout)), None


def dims_arguments(things):
    layout = small_layout(things)
    of_rank = rank(layout)
    dims = [layout.dim("0.10.0", k, c) for k, c in enumerate(layout.coords(of_rank))]
    return "0.10.0", tuple(dims), buffer_for(layout, of_rank), None


def part_of(layout):
    return None, [0] * layout.ndim, [max(n - 1, 0) for n in layout.shape]


class Nowhere:
    """An open file that takes all."""

    number = os.open(os.devnull, os.O_WRONLY)

    def fileno(self):
        return self.number


NOWHERE = Nowhere()
#: A file of this process.
OWN = os.path.join(tempfile.gettempdir(), f"dapbridge-{os.getpid()}.npy").encode()
FILE_OPTIONS = [
    {}, {"mode": "r+"}, {"mode": "a"}, {"format": "raw"}, {"format": "raw", "offset": 7, "dtype": "int8", "lossy": True},
    {"part": (None, [0], [6])}, {"part": ([0], [1, 2], None)}, {"shape": [6]}, {"order": "F"}, {"writers": 2**31}, {"align": -1},
    {"swapped": Angry()}, {"dtype": 5}, {"format": 5}, {"mode": "x"}, {5: 5}, {"memory_bytes": 1}, {"drop_layout": True},
]  # fmt: skip


def file_arguments(things):
    return HANDLE, things.one, things.mine, OWN, random.choice(FILE_OPTIONS)


@pytest.fixture(autouse=True, scope="module")
def no_files_are_left():
    yield
    for name in (OWN, OWN + b".dap"):
        if os.path.exists(name):
            os.remove(name)


#: Right arguments of the module's functions, and of those that make something.
FUNCTIONS = {
    "agree": lambda t: (HANDLE, "f()", random.choice([0, 0, 1]), "text"),
    "assemble": lambda t: (HANDLE, random.choice([None, "0.9.0"]), random.choice(t.locals), None),
    "relabel": lambda t: (small_layout(t),) * 2,
    "replicas_check": lambda t: (HANDLE, t.one, t.mine),
    "wait_limit": lambda t: (HANDLE, random.choice([0, 600.0])),
    "export": lambda t: (HANDLE, None, t.one, t.mine, NOWHERE),
    "file_save": file_arguments,
    "file_load": file_arguments,
    "file_query": lambda t: (HANDLE, OWN, random.choice(FILE_OPTIONS)),
    "lookup": lambda t: (HANDLE, t.one, places(t.one)),
    "matrix_explain": lambda t: (t.square, random.choice([None, t.matrix]), 0, random.choice([None, "pdsyevd"])),
    "fail": lambda t: (1, "text"),
    "dialect": lambda t: ("0.10.0",),
    "dtype_typestr": lambda t: ("float64",),
    "Layout": lambda t: ([axis(), axis(procs=2)], random.choice([None, [1, 0]])),
    "Layout.parse": lambda t: (random.choice(["100x80 on 2x2: b, c(8)", "3: u[0,2][1]", "9 on 3: b(halo 1"]),),
    "Local.make": lambda t: (t.one, 0, "float64", "C"),
    "Local.wrap": wrap_arguments,
    "Local.of_dims": dims_arguments,
    "Local.alloc": lambda t: (HANDLE, t.one, "float64", "C", True),
    "Plan.create": lambda t: (HANDLE, t.own_side(), t.own_side(), 0, {}),
    "Plan.halo": lambda t: (HANDLE, t.own_side(), 0, {"allow_empty": True}),
    "Plan.halo_reverse": lambda t: (HANDLE, t.own_side(), 0, {}),
}


def place(layout):
    k = random.randrange(max(layout.ndim, 1))
    return k, random.randrange(layout.grid[k]) if layout.ndim else 0


#: Right arguments of methods.
METHODS = {
    _core.Layout: {
        **{n: lambda t, x: () for n in ("describe", "summary", "format", "__hash__", "__repr__")},
        **{n: lambda t, x: (x,) for n in ("__eq__", "__lt__")},
        **{n: lambda t, x: place(x) for n in ("knows", "owned", "extent", "halo", "runs", "is_owned")},
        **{n: lambda t, x: place(x)[:1] for n in ("axis", "blocks")},
        "coords": lambda t, x: (rank(x),),
        "rank": lambda t, x: (x.coords(rank(x)),),
        "dim": lambda t, x: (random.choice([None, "0.9.0"]), *place(x)),
        "locate": lambda t, x: (places(x),),
        "globalize": lambda t, x: (rank(x), places(x)),
        "part": lambda t, x: (part_of(x),),
        "reorder": lambda t, x: (list(range(x.nprocs))[::-1],),
    },
    _core.Local: {
        **{n: lambda t, x: () for n in ("check", "json", "__repr__")},
        **{n: lambda t, x: (random.choice(t.locals),) for n in ("overlaps", "copy_to")},
        "match": lambda t, x: (layout_of(t, x), 0),
        "part": lambda t, x: ((y := layout_of(t, x)), 0, part_of(y)),
    },
    _core.Plan: {
        **{n: lambda t, x: () for n in ("end", "end", "describe", "destroy")},
        **{n: lambda t, x: (random.choice([t.mine, np.zeros(6)]), t.other) for n in ("run", "begin")},
        "run_many": lambda t, x: ([t.mine, np.zeros(6)], [t.other, np.zeros(6)]),
    },
}


def attributes(thing):
    return [n for n in dir(type(thing)) if not n.startswith("_") and not callable(getattr(type(thing), n))]


def is_vast(thing, name):
    """Whether that would be right, and take all memory or time: of axes of 2**55 elements."""
    return name in ("runs", "is_owned") and max(thing.shape, default=0) > 10**6


def attempt(function, *args):
    try:
        return function(*args)
    except FINE:
        return None


def arguments(things, right):
    """Right ones, or some of them replaced by others, or one too few or too many."""
    found = list(right)
    kind = random.random()
    for _ in range(0 if kind < 0.2 else 1 if kind < 0.8 else 2):
        if found:
            found[random.randrange(len(found))] = things.any()
    if random.random() < 0.02:
        found = found[:-1] if random.random() < 0.5 else [*found, None]
    return found


def function(name):
    kind, _, method = name.partition(".")
    return getattr(getattr(_core, kind), method) if method else getattr(_core, kind)


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


# ---- the least that is wrong ----


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
