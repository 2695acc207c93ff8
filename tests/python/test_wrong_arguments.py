"""The compiled module with arguments of any type in any place: exceptions, and never a crash.

What is tried is random, but the same in each run; DAP_SEED and DAP_TRIES make it another, or longer. Collective
functions are called on MPI.COMM_SELF, so that each process may do as it likes."""

import ctypes
import os
import random

import numpy as np
import pytest
from mpi4py import MPI

import dapbridge
from dapbridge import _core

SEED = int(os.environ.get("DAP_SEED", "1"))
TRIES = int(os.environ.get("DAP_TRIES", "3000"))
HANDLE = MPI.COMM_SELF.py2f()
#: Others may be handles of other communicators.
HANDLES = [HANDLE] * 20 + [MPI.COMM_NULL.py2f(), 10**6, -1, 2**40, None, "x", 1.5]

#: What wrong arguments may raise. SystemError is not among them: it is how Python says that a C function is wrong.
FINE = (TypeError, ValueError, LookupError, BufferError, MemoryError, ArithmeticError, Warning, dapbridge.Error)


def axis(kind="even", size=6, procs=1, **other):
    d = dict(lengths=None, block=1, first=0, halo=0, boundary=(0, 0), periodic=False, wraps=False)
    d.update(indices=None, one_to_one=False, owned=None)
    d.update(other)
    return (kind, size, procs, *d.values())


class Index:
    """An integer of which it is told when it is asked for, and does something."""

    def __init__(self, value, act=None):
        self.value, self.act = value, act

    def __index__(self):
        if self.act:
            self.act()
        return self.value

    __complex__ = __index__


class Sequence:
    """That is another one each time it is looked at."""

    def __len__(self):
        return random.randint(0, 3)

    def __getitem__(self, i):
        if i > 5:
            raise IndexError
        return random.choice([1, "x", None, 2**40])


class Angry:
    def __index__(self):
        raise ZeroDivisionError

    __len__ = __iter__ = __bool__ = __complex__ = __fspath__ = __index__

    def __repr__(self):
        raise ZeroDivisionError


def structured():
    class Pair(ctypes.Structure):
        _fields_ = [("a", ctypes.c_int), ("b", ctypes.c_double)]

    return (Pair * 3)()


def buffers():
    whole = np.arange(48.0)
    odd = np.frombuffer(bytearray(65), np.uint8)[1:].view(np.int64)
    return [
        whole[:6], whole.reshape(6, 8), whole[::-1], whole[::2], whole.astype(">f8"), whole.astype("f2"), odd,
        np.broadcast_to(np.float64(1), (6, 6)), np.array(1.0), np.empty((0, 3)), np.empty((3, 0, 2)),
        np.zeros(3, "V0"), np.zeros(3, "S0"), np.zeros(3, "S5"), np.zeros(3, "U2"), np.zeros(3, object),
        np.zeros(3, "i4,f8"), np.zeros(3, "?"), np.zeros((1,) * 32, "c16"),
        np.arange(6), np.arange(6, dtype="i4"), np.array([5, -1, 1 << 40]), np.array([[0, 1], [2, 3]]),
        b"", b"\x02" * 6, b"\x01" * 6, bytearray(48), memoryview(bytearray(48)).cast("d"), structured(),
        (ctypes.c_double * 6)(), (ctypes.c_double * 3 * 2)(), (ctypes.c_int64 * 6)(), ctypes.c_int(3),
    ]  # fmt: skip


def layouts():
    lists = [np.array([0, 2, 4]), np.array([1, 3, 5])]
    Layout = _core.Layout
    return [
        Layout([]),
        Layout([axis()]),
        Layout([axis(size=0)]),
        Layout([axis(procs=3), axis("cyclic", 7, 2, block=2)]),
        Layout([axis("unstructured", 6, 2, indices=lists)]),
        Layout([axis("unstructured", 6, 1, indices=[np.arange(6)])]),
        Layout([axis(halo=1, boundary=(1, 1), periodic=True), axis("replicated", 4, 2)]),
        Layout([axis("partial", 5, 2)]),
        Layout([axis(size=2**62), axis(size=0), axis(size=2**62)]),
        Layout([axis("cyclic", 2**55, 3)]),
        Layout([axis()] * 6),
    ]


def is_small(layout):
    """Whether arrays of it can be made."""
    return max(layout.shape, default=0) < 1000 and not any(layout.axis(k)["partial"] for k in range(layout.ndim))


def locals_of(all_layouts):
    found = []
    for layout in all_layouts:
        for rank, dtype, order in ((0, "float64", "C"), (layout.nprocs - 1, "int8", "F"), (0, "complex128", "C")):
            if not is_small(layout):
                continue
            found.append(_core.Local.make(layout, rank, dtype, order))
    one = _core.Layout([axis()])
    found.append(_core.Local.wrap(one, 0, np.arange(6.0)[::-1]))
    found.append(_core.Local.wrap(one, 0, np.arange(6.0).astype(">f8"), ">f8"))
    found.append(_core.Local.wrap(one, 0, b"\0" * 6, "|i1"))
    found.append(_core.Local.of_dims("0.10.0", (("u", 3, 1, 0, *[None] * 7),), np.zeros(3)))
    found.append(_core.Local.of_dims("0.9.0", (("", *[None] * 10),), np.zeros(3)))
    found.append(_core.Local.of_dims("0.9.0", (), np.zeros((2, 3, 4))))
    found.append(_core.Local.alloc(HANDLE, one, "float32", "C", True)[0])
    return found


class Things:
    """Values of all kinds, right ones among them."""

    def __init__(self):
        self.layouts = layouts()
        self.locals = locals_of(self.layouts)
        self.one = self.layouts[1]
        self.mine, self.other = (_core.Local.make(self.one, 0, "float64", "C") for _ in range(2))
        self.square = _core.Layout([axis(), axis()])
        self.matrix = _core.Local.make(self.square, 0, "float64", "F")
        self.dict = {"alpha": 1}
        self.list = [1, 2, 3]
        self.plain = [
            None, True, False, 0, 1, 2, -1, 3, 6, 31, 32, 63, 2**31 - 1, 2**31, 2**32, 2**62, 2**63, -(2**63), 2**200,
            1.5, float("nan"), 1j, "", "C", "F", "float64", "int8", "even", "b", "c", "u", "n", "0.10.0", "0.9.0",
            "0.0.1", "3.0", "x" * 5000, "\ud800", "a\0b", b"C", (), [], (0,), (1, 2), [0, 1], [-1], (None, None, None),
            ([0], [1], [2]), (None, [0], [3]), (None, [0, 0], [1, 1]), ([-1, 0], None, None), (None, [2**62], [2**62]),
            {}, {"arrays": 2}, {"arrays": 2**31, "memory_bytes": 1}, {"transports": 15}, {"transports": -1},
            {"alpha": 2, "beta": 1j}, {"combine": "sum"}, {"padding": "clear"}, {"effort": "x"}, {"phases": "x"},
            {"wait_seconds": "x"}, {"wait_seconds": -1.0}, {1: 2},
            {"fan_out": -1}, {"message_bytes": -1}, {"fill_halos": True, "lossy": True, "conjugate": True}, {"wisdom": 3},
            object(), int, len, Angry(), Sequence(), Index(0), Index(2**70), Index(1, self.dict.clear),
            Index(1, self.list.clear), self.dict, self.list, range(3), set([1]), Ellipsis, np.int64(1), np.bool_(True),
            np.float64(1), "pdsyevd", "<f8", ">f8", "|O", "<M8[s]",
            [axis()], [axis("unstructured", 6, 2, indices=[np.arange(3)])], [axis(procs=0)], [axis(size=-1)],
            [axis("lengths", 6, 2, lengths=[3, 2**62])], [axis("cyclic", block=0)], [axis(halo=2**40)], [axis()] * 40,
            (axis(),), [("b", 6, 1, 0, 0, 6, *[None] * 5)], (("b", 6, 1, 0, 0, 6, *[None] * 5),), (("", *[None] * 10),),
            (("u", 6, 1, 0, *[None] * 5, np.arange(6), None),), (("c", 6, 1, 0, 0, None, None, None, 2, None, None),),
            (("n", 6, None, None, None, None, (1, 1), True, None, None, None),),
        ]  # fmt: skip

    def any(self):
        kind = random.random()
        if kind < 0.25:
            return random.choice(self.layouts)
        if kind < 0.45:
            return random.choice(self.locals)
        if kind < 0.55:
            return random.choice(buffers())
        if kind < 0.65:
            return self.side()
        self.dict.update(alpha=1, beta=Index(1, self.dict.clear))
        self.list[:] = [1, 2, 3]
        return random.choice(self.plain)

    def own_side(self):
        if random.random() < 0.1:
            return self.side()
        return self.one, random.choice([self.mine, self.other]), None, None, None

    def side(self):
        layout = random.choice([None, *self.layouts])
        local = random.choice([None, *self.locals])
        items = [layout, local, None, None, random.choice([None, "float64", "int8"])]
        if random.random() < 0.5:
            items[random.randrange(5)] = random.choice([*self.plain, *self.layouts])
        return tuple(items)


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

#: Right arguments of the module's functions, and of those that make something.
FUNCTIONS = {
    "agree": lambda t: (HANDLE, "f()", random.choice([0, 0, 1]), "text"),
    "assemble": lambda t: (HANDLE, random.choice([None, "0.9.0"]), random.choice(t.locals), None),
    "relabel": lambda t: (small_layout(t),) * 2,
    "replicas_check": lambda t: (HANDLE, t.one, t.mine),
    "export": lambda t: (HANDLE, None, t.one, t.mine, NOWHERE),
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


def collective(comm):
    """Right arguments of the functions that are collective."""
    layout = _core.Layout([axis(size=12, procs=comm.size)])
    mine, other = (_core.Local.make(layout, comm.rank, "float64", "C") for _ in range(2))
    side, target = (layout, mine, None, None, None), (layout, other, None, None, None)
    listed = _core.Local.of_dims(
        "0.10.0", (("u", comm.size, comm.size, comm.rank, *[None] * 5, np.array([comm.rank]), None),), np.zeros(1)
    )
    return {
        "agree": ("f()", 0, ""),
        "assemble": (None, listed, [np.ones(1, bool)]),
        "lookup": (layout, np.zeros((2, 1), np.int64)),
        "replicas_check": (layout, mine),
        "export": (None, layout, mine, NOWHERE),
        "Local.alloc": (layout, "float64", "C", True),
        "Plan.create": (side, target, 0, {}),
        "Plan.halo": (side, 0, {"allow_empty": True}),
        "Plan.halo_reverse": (side, 0, {"combine": "sum", "allow_empty": True}),
    }


COLLECTIVE = ("agree", "assemble", "lookup", "replicas_check", "export", "Local.alloc", "Plan.create", "Plan.halo", "Plan.halo_reverse")


@pytest.mark.parametrize("name", COLLECTIVE)
def test_one_process_has_wrong_arguments(comm, name):
    """It gets its exception, and all others get one, too, instead of waiting for it."""
    call, right, handle = function(name), collective(comm)[name], comm.py2f()
    call(handle, *right)
    for where in range(len(right) + 1):
        args = list(right)
        if comm.rank == comm.size - 1:
            if where == len(right):
                args.append(None)
            elif (name, where) == ("Local.alloc", 3):
                args[3] = Angry()
            else:
                args[where] = 5.5
        with pytest.raises(FINE):
            call(handle, *args)
    call(handle, *right)


def test_one_process_has_wrong_buffers(comm):
    name, right = "Plan.create", collective(comm)["Plan.create"]
    (_, mine, *_), (_, other, *_) = right[:2]
    plan = function(name)(comm.py2f(), *right)
    many = function(name)(comm.py2f(), *right[:3], {"arrays": 2})
    last = comm.rank == comm.size - 1
    for wrong in (None, 5.5, b"x", np.zeros(99), np.zeros((1, 2)), np.zeros(12, "c8")):
        for run in (plan.run, plan.begin):
            with pytest.raises(FINE):
                run(wrong if last else mine, other)
                plan.end()
            with pytest.raises(FINE):
                run(mine, wrong if last else other)
                plan.end()
        for pair in ([mine], [mine, wrong], [mine] * 3, wrong):
            with pytest.raises(FINE):
                many.run_many(pair if last else [mine, mine], [other, np.zeros(12 // comm.size)])
    plan.run(mine, other)
