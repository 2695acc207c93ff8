"""Tests views as matrices of ScaLAPACK: when they are shared, and their elements."""

import ctypes
import warnings

import numpy as np
import pytest
from layouts import MATRICES, distributed, numbered
from maps import check
from matrices import TYPES, random, regular

import dapbridge as db

_scalapack = pytest.importorskip("dapbridge._scalapack")
SHAPE = (12, 6)
#: Layouts whose memory ScaLAPACK can use.
SHARED = ("rows", "rows in F order", "blocks of a plane", "square blocks in turn")


def _global_indices(m):
    """Returns the global indices of the rows and columns of the local part, from the descriptor only."""
    _, context, rows, columns, mb, nb, rsrc, csrc, _ = m.desc
    found = []
    grid = _grid(m)
    for size, block, source, (procs, at) in zip((rows, columns), (mb, nb), (rsrc, csrc), grid):
        mine = [i for i in range(size) if (source + i // block) % procs == at] if at >= 0 else []
        found.append(np.array(mine, int))
    assert _scalapack.context_comm(context) is not None
    return found


def _grid(m):
    blacs = ctypes.CDLL(None) if hasattr(ctypes.CDLL(None), "Cblacs_gridinfo") else scalapack_library()
    values = [ctypes.c_int(-1) for _ in range(4)]
    blacs.Cblacs_gridinfo(m.desc[1], *[ctypes.byref(v) for v in values])
    rows, columns, row, column = [v.value for v in values]
    return (rows, row), (columns, column)


def scalapack_library():
    """Returns the library that dapbridge._scalapack has loaded."""
    with open("/proc/self/maps") as maps:
        path = next(line.split()[-1] for line in maps if "libscalapack" in line and "dap" not in line)
    return ctypes.CDLL(path)


def check_matrix(m, values):
    """Checks that the matrix has the array's elements, `values`."""
    rows, columns = _global_indices(m)
    expected = values if m.op == "N" else values.T
    assert m.data.shape == (len(rows), len(columns)) == m.local_shape
    assert m.data.flags.f_contiguous or m.data.strides[0] == m.data.itemsize
    np.testing.assert_array_equal(m.data, expected[np.ix_(rows, columns)])


@pytest.mark.parametrize("name", MATRICES)
def test_layouts(comm, name):
    """Views each layout, in one type."""
    a, values = numbered(comm, name, (*TYPES, np.int32)[MATRICES.index(name) % 5])
    with a.scalapack() as m:
        assert (m.m, m.n) == (values.shape if m.op == "N" else values.shape[::-1])
        assert (m.ia, m.ja) == (1, 1) and m.reason
        assert (m.moved_bytes == 0) or not m.shared
        check_matrix(m, values)
        m.data[...] *= 2
    check(a, values * 2)


@pytest.mark.parametrize("name", (*SHARED, "padded rows"))
def test_shared_is_the_same_memory(comm, name):
    a = distributed(comm, random(SHAPE), name)
    with a.scalapack(share="required") as m:
        assert m.shared and m.moved_bytes == 0
        if m.data.size:
            assert np.shares_memory(m.data, a.local)
            assert m.data_pointer.value == m.data.__array_interface__["data"][0]
    assert m.moved_bytes == 0


@pytest.mark.parametrize("op", ("N", "T"))
@pytest.mark.parametrize("order", ("C", "F"))
def test_op(comm, op, order):
    values = random(SHAPE)
    a = distributed(comm, values, "rows" if order == "C" else "rows in F order")
    with a.scalapack(op=op) as m:
        assert m.op == op
        assert m.shared == ((op == "T") == (order == "C"))
        check_matrix(m, values)


def test_routine(comm):
    a = distributed(comm, random((13, 13)), "blocks of other sizes in turn from the last processes on")
    with a.scalapack("pdsyevd") as m:
        assert m.desc[4] == m.desc[5] and ("order is" if m.shared else "square blocks") in m.reason
        assert not m.shared or comm.size < 4
    with pytest.raises(ValueError):
        distributed(comm, random(SHAPE)).scalapack("pdsyevd")
    with pytest.raises(db.ArgumentError, match="share is 'yes'; it must be 'if-possible', 'required' or 'never'"):
        a.scalapack(share="yes")
    if comm.size == 4:
        with pytest.raises(db.ShareError):
            a.scalapack("pdsyevd", share="required")
    with pytest.raises(ValueError):
        a.scalapack("pdnothing")


def test_aligned_with(comm):
    a, b = distributed(comm, random((12, 12)), "square blocks in turn"), distributed(comm, random((12, 3)))
    with a.scalapack("pdgesv") as m, b.scalapack("pdgesv", aligned_with=m) as x:
        assert m.desc[1] == x.desc[1]
        assert m.desc[4] == x.desc[4]
        assert m.op == x.op
    with pytest.raises(ValueError):
        b.scalapack("pdgesv", aligned_with=m)


def test_parts(comm):
    values = random(SHAPE)
    a = distributed(comm, values, "rows")
    with a.scalapack(part=np.s_[2:8, 1:5]) as m:
        assert sorted((m.m, m.n)) == [4, 6]
        if m.shared:
            assert sorted((m.ia, m.ja)) == [2, 3]
    cube = db.zeros((4, 6, 5), comm, ["local", "block"])
    i, j, k = np.ix_(*cube.indices())
    cube.local[...] = 100 * i + 10 * j + k
    with cube.scalapack(part=np.s_[2]) as m:
        check_matrix(m, (200 + 10 * np.arange(6)[:, None] + np.arange(5)).astype(float))
        m.data[...] = -1
    np.testing.assert_array_equal(cube.local[2], -1)
    assert (cube.local[1] >= 0).all()


def test_of_a_vector(comm):
    with distributed(comm, random((13,))).scalapack() as m:
        assert sorted((m.m, m.n)) == [1, 13] and "matrix" in repr(m)
    assert "ended" in repr(m)


def test_given_grid(comm):
    a = distributed(comm, random(SHAPE), "lists of rows")
    with a.scalapack(grid=(1, comm.size), block_size=2, op="N") as m:
        assert _grid(m)[0][0] == 1 and m.desc[4:6] == (2, 2)


def test_own_context(comm):
    a = distributed(comm, random(SHAPE))
    with a.scalapack() as m, a.scalapack(context=m.desc[1], share="never") as other:
        assert other.desc[1] == m.desc[1]


def test_round_trip(comm):
    values = random(SHAPE)
    for name in ("rows", "square blocks in turn", "rows in F order"):
        a = distributed(comm, values, name)
        with a.scalapack(share="required") as m:
            b = db.from_scalapack(m.desc, m.data, comm, m.op)
            check(b, values)
            assert not b.local.size or np.shares_memory(b.local, a.local)
            b.local[...] = 5
        check(a, np.full(SHAPE, 5.0))


def test_import_refuses(comm):
    a = distributed(comm, random(SHAPE))
    with a.scalapack() as m:
        with pytest.raises(ValueError, match="9"):
            _scalapack.import_matrix(comm.py2f(), m.desc[:8], m.data, m.op)
        with pytest.raises(ValueError):
            _scalapack.import_matrix(comm.py2f(), m.desc, m.data, "X")
        with pytest.raises(ValueError):
            _scalapack.import_matrix(comm.py2f(), m.desc, np.zeros(1), m.op)
        for short in (m.data[:-1], m.data[:, :-1], m.data.copy()[:, ::-1], np.ascontiguousarray(m.data)):
            with pytest.raises(ValueError):
                _scalapack.import_matrix(comm.py2f(), m.desc, short, m.op)
        for i, named in ((2, r"desc\[2\] \(M\) is"), (8, r"desc\[8\] \(LLD\) is")):
            words = list(m.desc)
            words[i] = 2**62
            with pytest.raises(ValueError, match=named):
                _scalapack.import_matrix(comm.py2f(), words, m.data, m.op)
        with pytest.raises(ValueError, match="order"):
            _scalapack.import_matrix(comm.py2f(), m.desc, m.data.astype(">f8"), m.op)


def test_types_refused(comm):
    for dtype in (np.int16, np.bool_, np.float16, np.longdouble):
        with pytest.raises(db.ArrayBufferError):
            db.zeros(SHAPE, comm, dtype=dtype).scalapack()


def test_options_of_needs(comm):
    a = distributed(comm, random(SHAPE), "square blocks in turn")
    with a.scalapack(square_blocks=True) as m:
        assert m.desc[4] == m.desc[5]
    with pytest.raises(ValueError):
        a.scalapack(square=True)
    with pytest.raises(db.ArrayBufferError):
        a.scalapack(dtypes=["float32"])


def test_buffer(comm):
    a = distributed(comm, random(SHAPE))
    with a.scalapack() as m, warnings.catch_warnings():
        warnings.simplefilter("error")
        view = memoryview(m._handle)
        assert view.ndim == 2 and view.format == "d" and view.strides[0] == 8
        view.release()


# ---- ScaLAPACK's own routines, called by ctypes on views ----

N = 12


@pytest.fixture(scope="module")
def routine():
    """Returns a function that calls a routine with pointers to numbers and letters."""
    if _scalapack.INTEGER_SIZE != ctypes.sizeof(ctypes.c_int):
        pytest.skip("ScaLAPACK with integers of 64 bits")
    library = scalapack_library()
    kinds = {int: ctypes.c_int, float: ctypes.c_double, bytes: ctypes.c_char}

    def call(name, *arguments):
        references = [ctypes.byref(kinds[type(x)](x)) if type(x) in kinds else x for x in arguments]
        getattr(library, name)(*references)

    return call


def part(m):
    """Returns the four arguments for a matrix."""
    return m.data_pointer, m.ia, m.ja, m.desc_pointer


@pytest.mark.parametrize("name", (*SHARED, "lists of rows"))
def test_gesv(comm, routine, name):
    a, b = regular(N), random((N, 3), seed=2)
    left, right = distributed(comm, a, name), distributed(comm, b, name)
    info = ctypes.c_int(1)
    with left.scalapack("pdgetrf") as m, right.scalapack("pdgetrs", aligned_with=m, op="N") as x:
        pivots = (ctypes.c_int * (m.local_shape[0] + m.desc[4]))()
        routine("pdgetrf_", N, N, *part(m), pivots, ctypes.byref(info))
        assert info.value == 0
        routine("pdgetrs_", m.op.encode(), N, 3, *part(m), pivots, *part(x), ctypes.byref(info))
        assert info.value == 0
    check(right, np.linalg.solve(a, b), tolerance=1e-9)


@pytest.mark.parametrize("order", ("rows", "rows in F order"))
def test_gemm_by_op(comm, routine, order):
    a, b = random((N, N)), random((N, N), seed=2)
    left, right = distributed(comm, a, order), distributed(comm, b, "columns")
    product = distributed(comm, np.zeros((N, N)), "rows in F order")
    with left.scalapack(access="r") as x:
        with right.scalapack("pdgemm", access="r", aligned_with=x) as y:
            with product.scalapack("pdgemm", aligned_with=x, op="N") as z:
                ops = x.op.encode(), y.op.encode()
                routine("pdgemm_", *ops, N, N, N, 1.0, *part(x), *part(y), 0.0, *part(z))
    check(product, a @ b, tolerance=1e-9)
