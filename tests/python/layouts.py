"""Makes the named layouts of tests/support/layouts.c. test_layouts.py tests all of them in moves, slices, files and
linear algebra; other tests take some by their names."""

import rows
from maps import MADE, fill, ramp
from mpi4py import MPI

import dapbridge as db

_ROWS = [rows.Row(number, MPI.COMM_WORLD.size) for number in range(rows.COUNT)]
_NAMES = [row.name for row in _ROWS]
#: Any name can have this at the end.
_IN_F = " in F order"
#: Rows that Python cannot make, each with the reason.
NOT_MADE: dict[str, str] = {}
#: All other rows by their names. Every second one is in F order.
LAYOUTS = {row.name + _IN_F * (i % 2): row for i, row in enumerate(_ROWS) if row.name not in NOT_MADE}
assert len(set(_NAMES)) == rows.COUNT and NOT_MADE.keys() <= set(_NAMES)
MATRICES = [name for name, row in LAYOUTS.items() if len(row.shape) == 2]


def make(comm, name, shape=None, dtype=float):
    """Makes zeros in the layout, with its own shape or another one. Tests compare it with the model."""
    name, in_f, _ = name.partition(_IN_F)
    row = rows.Row(_NAMES.index(name), comm.size, shape)
    order = "F" if in_f else "C"
    a = db.zeros(row.shape, comm, row.dists(comm.rank), dtype, row.grid, order)
    if row.ranks != sorted(row.ranks):
        a = db.like(a.redistribute(a.layout.reorder(row.ranks)), order=order)
    if row.is_assembled:
        a = db.from_dap(a, comm)
    MADE[a.layout] = row
    return a


def distributed(comm, values, name="rows"):
    """Makes an array of these elements in the layout."""
    return fill(make(comm, name, values.shape, values.dtype), values)


def numbered(comm, name, dtype=float):
    """Makes an array with the layout's own shape. Returns it with its elements."""
    a = make(comm, name, None, dtype)
    values = ramp(a.shape, dtype)
    return fill(a, values), values
