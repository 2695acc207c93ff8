"""Makes values of all kinds for arguments of the compiled module, including right ones, and lists the allowed
exceptions."""

import ctypes
import os
import random
import tempfile

import numpy as np
import pytest
from mpi4py import MPI

import dapbridge
from dapbridge import _core

HANDLE = MPI.COMM_SELF.py2f()

#: Exceptions that wrong arguments may raise. SystemError is not allowed, because it shows a fault in a C function.
FINE = (TypeError, ValueError, LookupError, BufferError, MemoryError, ArithmeticError, Warning, dapbridge.Error)


def axis(kind="even", size=6, procs=1, **other):
    d = dict(lengths=None, block=1, first=0, halo=0, boundary=(0, 0), periodic=False, wraps=False)
    d.update(indices=None, one_to_one=False, owned=None)
    d.update(other)
    return (kind, size, procs, *d.values())


class Index:
    """An integer that acts when it is read."""

    def __init__(self, value, act=None):
        self.value, self.act = value, act

    def __index__(self):
        if self.act:
            self.act()
        return self.value

    __complex__ = __index__


class Sequence:
    """An object that changes each time it is read."""

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
    """Returns whether arrays with this layout can be made."""
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
    """Values of all kinds, including right ones."""

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
            {"alpha": 2, "beta": 1j}, {"combine": "sum"}, {"padding": "clear"}, {"padding": "x"},
            {1: 2},
            {"arrays": -1}, {"message_bytes": -1}, {"fill_halos": True, "lossy": True, "conjugate": True},
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


# ---- right arguments of functions and methods -----------------------------------------------------------------


def rank(layout):
    return random.randrange(layout.nprocs)


def layout_of(things, local):
    """Returns a layout with the same number of dimensions, which may fit."""
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
    """An open file that accepts all writes."""

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


@pytest.fixture(scope="module")
def no_files_are_left():
    yield
    for name in (OWN, OWN + b".dap"):
        if os.path.exists(name):
            os.remove(name)


#: Right arguments of the module's functions, and of functions that make objects.
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


def attempt(function, *args):
    try:
        return function(*args)
    except FINE:
        return None


def function(name):
    kind, _, method = name.partition(".")
    return getattr(getattr(_core, kind), method) if method else getattr(_core, kind)
