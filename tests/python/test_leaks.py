"""Checks for leaks: runs each operation many times, with right arguments, and with a wrong one in each place.

It counts references to the arguments, Python's blocks of memory, and allocations of C."""

import ctypes
import gc
import os
import random
import sys

import numpy as np
import pytest
from mpi4py import MPI
from things import FUNCTIONS, HANDLE, METHODS, Things, attempt, axis, function, no_files_are_left

from dapbridge import _core

CYCLES = int(os.environ.get("DAP_CYCLES", "500"))
pytestmark = [
    pytest.mark.usefixtures(no_files_are_left.__name__),
    pytest.mark.skipif(MPI.COMM_WORLD.size > 1, reason="of each process alone: the same on one"),
]


class Huge:
    def __index__(self):
        return 1 << 70


HUGE = Huge()
random.seed(1)
THINGS = Things()
LIST, LAYOUT = np.array([2, 0, 1]), THINGS.layouts[3]
SIDE, OTHER = ((THINGS.one, local, None, None, None) for local in (THINGS.mine, THINGS.other))
DIM = ("u", 3, 1, 0, None, None, None, None, None)


class Info(ctypes.Structure):
    """The result of mallinfo2(3)."""

    _fields_ = [(f"member{k}", ctypes.c_size_t) for k in range(10)]


LIBC = ctypes.CDLL(None)
if not hasattr(LIBC, "mallinfo2"):
    pytest.skip("this C library does not count", allow_module_level=True)
LIBC.mallinfo2.restype = Info


def allocated():
    """Returns the bytes that C has allocated, in blocks and in mappings."""
    info = LIBC.mallinfo2()
    return info.member7 + info.member4


def each_argument(call, right):
    """Calls with right arguments, and then with a wrong one at each place."""
    for args in (right, *((*right[:k], HUGE, *right[k + 1 :]) for k in range(len(right)))):
        attempt(call, *args)


def begun_and_destroyed():
    made = _core.Plan.create(HANDLE, SIDE, OTHER, 0, {"alpha": 2.0})
    made.begin(np.zeros(6), THINGS.other)
    made.destroy()


class Kept(np.ndarray):
    """An object that can have attributes."""


def cycle_with_its_buffer():
    buffer = np.zeros(6).view(Kept)
    buffer.local = _core.Local.wrap(THINGS.one, 0, buffer)


def cycle_with_a_list():
    listed = LIST.copy().view(Kept)
    listed.local = _core.Local.of_dims("0.10.0", ((*DIM, listed, True),), np.zeros(3))


#: Faults within an argument, and objects that refer to themselves.
OTHERS = {
    "a list among the lists": lambda: _core.Layout([axis("unstructured", 6, 2, indices=[LIST, THINGS.square])]),
    "ranks": lambda: _core.Layout([axis(procs=2)], [0, HUGE]),
    "lengths": lambda: _core.Layout([axis("lengths", 6, 2, lengths=[1, None])]),
    "places outside": lambda: LAYOUT.locate(np.full((2, LAYOUT.ndim), 100)),
    "a start": lambda: LAYOUT.part((None, [0, HUGE], [2, 6])),
    "a key": lambda: _core.Local.of_dims("0.10.0", ((*DIM, LIST, 3),), np.zeros(3)),
    "flags": lambda: _core.assemble(HANDLE, None, _core.Local.of_dims("0.10.0", ((*DIM, LIST, True),), np.zeros(3)), [LIST]),
    "an option": lambda: _core.Plan.create(HANDLE, SIDE, SIDE, 0, {"combine": "sum", "arrays": HUGE}),
    "a side": lambda: _core.Plan.create(HANDLE, (*SIDE[:3], [0], None), SIDE, 0, {}),
    "sides that do not fit": lambda: _core.Plan.create(HANDLE, SIDE, (THINGS.square, THINGS.matrix, None, None, None), 0, {}),
    "a file's option": lambda: _core.file_save(HANDLE, *SIDE[:2], b"a.npy", {"shape": [1], "part": ([0], [HUGE], None)}),
    "a file that is not there": lambda: _core.file_load(HANDLE, *SIDE[:2], b"/none/a.npy", {}),
    "a text": lambda: _core.agree(HANDLE, "f()", 1, "text \0 \ud800"),
    "begun and destroyed": begun_and_destroyed,
    "a cycle with its buffer": cycle_with_its_buffer,
    "a cycle with a list": cycle_with_a_list,
}  # fmt: skip


def left_behind(operation, shared, cycles):
    """Returns the references, blocks and bytes that remain. Python itself keeps constants."""
    gc.collect()
    shared = [thing for thing in shared if not isinstance(thing, (type(None), int, float, str, bytes))]
    references = [sys.getrefcount(thing) for thing in shared]
    blocks, bytes_ = sys.getallocatedblocks(), allocated()
    for _ in range(cycles):
        operation()
    gc.collect()
    sys._clear_type_cache()  # the cache keeps the last names that were looked up, even missing ones
    more = sum(map(abs, (sys.getrefcount(thing) - n for thing, n in zip(shared, references))))
    return more, sys.getallocatedblocks() - blocks, allocated() - bytes_


def check(operation, shared=(), cycles=CYCLES):
    left_behind(operation, shared, cycles // 5)
    for _ in range(3):  # the process may grow once for other reasons
        found = left_behind(operation, shared, cycles)
        if max(found[:2]) < max(20, cycles // 5) and found[2] < max(1000, 8 * cycles):
            return
    pytest.fail("{} cycles left {} references, {} blocks, {} bytes".format(cycles, *found))


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions(name):
    right = FUNCTIONS[name](THINGS)
    cycles = CYCLES // 10 if name.startswith(("file_", "Local.alloc", "export")) else CYCLES
    check(lambda: each_argument(function(name), right), [HUGE, *right], cycles)


@pytest.mark.parametrize("kind, name", [(kind, name) for kind in METHODS for name in METHODS[kind]])
def test_methods(kind, name):
    thing = {"Layout": THINGS.one, "Local": THINGS.mine, "Plan": _core.Plan.create(HANDLE, SIDE, OTHER, 0, {})}[kind.__name__]
    right = METHODS[kind][name](THINGS, thing)
    if name != "destroy":
        check(lambda: each_argument(getattr(thing, name), right), [HUGE, thing, *right])


@pytest.mark.parametrize("name", OTHERS)
def test_others(name):
    check(lambda: attempt(OTHERS[name]), [HUGE, LIST, LAYOUT, THINGS.one, THINGS.mine])
