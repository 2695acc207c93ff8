"""Nothing is left behind: each operation thousands of times, with right arguments and with wrong ones.

Counted are references to the arguments, Python's blocks of memory, and the memory of the process, which C's
allocations are in, too."""

import gc
import os
import sys
import tempfile

import numpy as np
import pytest
from memory import resident
from mpi4py import MPI
from things import FINE, HANDLE, axis

from dapbridge import _core

CYCLES = int(os.environ.get("DAP_CYCLES", "10000"))
#: Of the process, in bytes: about 50 for each cycle, less than any object has.
GROWTH = 500_000

LAYOUT = _core.Layout([axis(size=4), axis("cyclic", 6, block=2)])
LISTED = _core.Layout([axis("unstructured", 3, indices=[np.array([2, 0, 1])])])
MADE = _core.Local.make(LAYOUT, 0, "float64", "C")
OTHER = _core.Local.make(LAYOUT, 0, "float64", "F")
NUMBERS = np.arange(24.0).reshape(4, 6)
LIST = np.array([2, 0, 1])
PLACES = np.array([[0, 0], [3, 5]])
DIMS = (("u", 3, 1, 0, None, None, None, None, None, LIST, True),)
FOREIGN = _core.Local.of_dims("0.10.0", DIMS, np.arange(3.0))
FLAGS = np.ones(3, bool)
FROM, TO = (LAYOUT, MADE, None, None, None), (LAYOUT, OTHER, None, None, None)
OPTIONS = {"alpha": 2.0, "beta": 1, "transports": 7}
PLAN = _core.Plan.create(HANDLE, FROM, TO, 0, {})
MANY = _core.Plan.create(HANDLE, FROM, TO, 0, {"arrays": 2})
SHARED = [LAYOUT, LISTED, MADE, OTHER, NUMBERS, LIST, PLACES, DIMS, FOREIGN, FLAGS, FROM, TO, OPTIONS, PLAN, MANY]


FOLDER = tempfile.TemporaryDirectory()
PATH = os.path.join(FOLDER.name, "a.npy").encode()


@pytest.fixture(autouse=True, scope="module")
def no_folder_is_left():
    yield
    FOLDER.cleanup()


class Huge:
    def __index__(self):
        return 1 << 70


HUGE = Huge()


def run_twice():
    PLAN.begin(MADE, OTHER)
    PLAN.end()
    PLAN.run(NUMBERS, OTHER)


def begun_and_destroyed():
    plan = _core.Plan.create(HANDLE, FROM, TO, 0, OPTIONS)
    plan.begin(NUMBERS, OTHER)
    plan.destroy()


def cycle_with_its_buffer():
    class Kept(np.ndarray):
        pass

    buffer = np.zeros((4, 6)).view(Kept)
    buffer.local = _core.Local.wrap(LAYOUT, 0, buffer)


def cycle_with_a_list():
    class Kept(np.ndarray):
        pass

    listed = np.array([2, 0, 1]).view(Kept)
    listed.local = _core.Local.of_dims("0.10.0", ((*DIMS[0][:9], listed, True),), np.zeros(3))


def cycle_with_a_file():
    if not os.path.exists(PATH):
        _core.file_save(HANDLE, LAYOUT, MADE, PATH, {})
    _core.file_query(HANDLE, PATH, {"part": (None, [1, 0], [2, 6])})
    _core.file_load(HANDLE, LAYOUT, OTHER, PATH, {"lossy": True})


OPERATIONS = {
    "Layout": lambda: _core.Layout([axis("lengths", 6, 2, lengths=[2, 4])], [1, 0]),
    "Layout of lists": lambda: _core.Layout([axis("unstructured", 3, indices=[LIST])]),
    "Layout with a wrong list": lambda: _core.Layout([axis("unstructured", 6, 2, indices=[LIST, NUMBERS])]),
    "Layout with wrong ranks": lambda: _core.Layout([axis(procs=2)], [0, HUGE]),
    "Layout with wrong lengths": lambda: _core.Layout([axis("lengths", 6, 2, lengths=[1, None])]),
    "axis, runs, dims": lambda: (LAYOUT.axis(1), LAYOUT.runs(1, 0), LISTED.dim(None, 0, 0), LAYOUT.blocks(1)),
    "locate": lambda: LAYOUT.globalize(0, np.frombuffer(LAYOUT.locate(PLACES)[1], np.int64)),
    "locate outside": lambda: LAYOUT.locate(PLACES + 100),
    "locate what is no list": lambda: LAYOUT.locate(NUMBERS),
    "part, reorder": lambda: LAYOUT.part((None, [0, 0], [2, 6]))[0].reorder([0]),
    "part that is wrong": lambda: LAYOUT.part((None, [0, HUGE], [2, 6])),
    "words": lambda: (repr(LAYOUT), LAYOUT.describe(), LAYOUT.draw(), LAYOUT.draw([None, 0]), hash(LAYOUT), LAYOUT == LISTED),
    "short texts": lambda: _core.Layout.parse(LAYOUT.format()) == LAYOUT,
    "JSON": lambda: (MADE.json(), FOREIGN.json()),
    "make": lambda: _core.Local.make(LISTED, 0, "complex64", "F").dims,
    "make that is wrong": lambda: _core.Local.make(LAYOUT, 0, "object", "C"),
    "wrap": lambda: np.asarray(_core.Local.wrap(LAYOUT, 0, NUMBERS, "<f8")),
    "wrap of another shape": lambda: _core.Local.wrap(LAYOUT, 0, NUMBERS.T),
    "wrap of another type": lambda: _core.Local.wrap(LAYOUT, 0, NUMBERS, "<i2"),
    "of_dims": lambda: np.asarray(_core.Local.of_dims("0.10.0", DIMS, NUMBERS[0, :3]).dims[0][9]),
    "of_dims with a wrong key": lambda: _core.Local.of_dims("0.10.0", (DIMS[0][:10] + (3,),), NUMBERS),
    "of_dims of a wrong buffer": lambda: _core.Local.of_dims("0.10.0", DIMS, SHARED),
    "alloc": lambda: _core.Local.alloc(HANDLE, LAYOUT, "float32", "C", True),
    "alloc that is wrong": lambda: _core.Local.alloc(HANDLE, LAYOUT, "float32", "X", True),
    "window": lambda: np.asarray(MADE.part(LAYOUT, 0, (None, [1, 0], [2, 6]))),
    "copy": lambda: (MADE.copy_to(OTHER), MADE.overlaps(OTHER), MADE.check(), MADE.match(LAYOUT, 0)),
    "copy to another shape": lambda: MADE.copy_to(FOREIGN),
    "view of another order": lambda: memoryview(OTHER).cast("B"),
    "attributes": lambda: [getattr(MADE, n) for n in ("shape", "strides", "typestr", "dims", "owner", "address")],
    "assemble": lambda: _core.assemble(HANDLE, None, FOREIGN, [FLAGS]),
    "assemble with wrong flags": lambda: _core.assemble(HANDLE, None, FOREIGN, [NUMBERS]),
    "lookup": lambda: (_core.lookup(HANDLE, LAYOUT, PLACES), _core.relabel(LAYOUT, LAYOUT)),
    "lookup that is wrong": lambda: _core.lookup(HANDLE, LAYOUT, NUMBERS),
    "replicas_check": lambda: _core.replicas_check(HANDLE, LAYOUT, MADE),
    "agree": lambda: _core.agree(HANDLE, "f()", 0, ""),
    "agree on an error": lambda: _core.agree(HANDLE, "f()", 1, "text \0 \ud800"),
    "matrix_explain": lambda: _core.matrix_explain(LAYOUT, MADE, 0, "pdsyevd"),
    "matrix_explain that is wrong": lambda: _core.matrix_explain(LAYOUT, MADE, 0, "pd"),
    "names": lambda: (_core.dialect("0.0.1"), _core.dialect("x"), _core.dtype_typestr("bool")),
    "Plan": lambda: _core.Plan.create(HANDLE, FROM, TO, 0, OPTIONS).stats,
    "Plan with a wrong option": lambda: _core.Plan.create(HANDLE, FROM, TO, 0, {"combine": "sum", "arrays": HUGE}),
    "Plan with wrong sides": lambda: _core.Plan.create(HANDLE, (LAYOUT, FOREIGN, None, [0], None), TO, 0, {}),
    "Plan that cannot be": lambda: _core.Plan.create(HANDLE, FROM, (LISTED, FOREIGN, None, None, None), 0, {}),
    "Plan of halos": lambda: _core.Plan.halo(HANDLE, FROM, 0, {"allow_empty": True}).describe(),
    "cycle with a file": cycle_with_a_file,
    "file that is synced": lambda: _core.file_save(HANDLE, LAYOUT, MADE, PATH, {"memory_bytes": 1 << 20}),
    "file that is not there": lambda: _core.file_load(HANDLE, LAYOUT, OTHER, PATH + b".npy", {}),
    "file that cannot be made": lambda: _core.file_save(HANDLE, LAYOUT, MADE, b"/none/a.npy", {}),
    "file with wrong options": lambda: _core.file_save(HANDLE, LAYOUT, MADE, PATH, {"shape": [1], "part": ([0], [HUGE], None)}),
    "runs": run_twice,
    "run on wrong buffers": lambda: PLAN.run(NUMBERS.T, NUMBERS),
    "begin on wrong buffers": lambda: PLAN.begin(MADE, b"x"),
    "run of many": lambda: MANY.run_many([MADE, NUMBERS], (OTHER, _core.Local.make(LAYOUT, 0, "float64", "F"))),
    "run of too many": lambda: MANY.run_many([MADE] * 3, [OTHER, None]),
    "begun and destroyed": begun_and_destroyed,
    "cycle with its buffer": cycle_with_its_buffer,
    "cycle with a list": cycle_with_a_list,
}


def repeat(operation, cycles):
    for _ in range(cycles):
        try:
            operation()
        except FINE:
            pass
    gc.collect()
    sys._clear_type_cache()  # which keeps the last names that were looked up, made up ones, too


def left_behind(operation, cycles):
    """References, blocks and bytes."""
    references = [sys.getrefcount(thing) for thing in SHARED]
    blocks, bytes_ = sys.getallocatedblocks(), resident()
    repeat(operation, cycles)
    more = sum(map(abs, (sys.getrefcount(thing) - n for thing, n in zip(SHARED, references))))
    return more, sys.getallocatedblocks() - blocks, resident() - bytes_


@pytest.mark.skipif(MPI.COMM_WORLD.size > 1, reason="of each process alone: the same on one")
@pytest.mark.parametrize("name", OPERATIONS)
def test_operation(name):
    cycles = CYCLES // (10 if "cycle" in name else 50 if "synced" in name else 1)
    repeat(OPERATIONS[name], cycles // 5)
    for _ in range(3):  # as the process may grow once, for reasons of its own
        references, blocks, bytes_ = left_behind(OPERATIONS[name], cycles)
        if references < 20 and blocks < 50 and bytes_ < GROWTH:
            return
    pytest.fail(f"{cycles} cycles left {references} references, {blocks} blocks, {bytes_} bytes")
