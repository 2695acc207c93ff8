"""ScaLAPACK's own routines, called by ctypes on views."""

import ctypes
from ctypes import byref, c_char, c_double, c_int

import numpy as np
import pytest

from matrices import LAYOUTS, check, distributed, positive, random, regular
from test_scalapack import scalapack_library

N = 12


@pytest.fixture(scope="module")
def library():
    from dapbridge import _scalapack

    if _scalapack.INTEGER_SIZE != ctypes.sizeof(c_int):
        pytest.skip("ScaLAPACK with integers of 64 bits")
    return scalapack_library()


@pytest.mark.parametrize("name", LAYOUTS)
def test_potrf(comm, library, name):
    a = positive(N)
    given = distributed(comm, a, name)
    info = c_int(1)
    with given.scalapack("pdpotrf") as m:
        if m.desc[1] >= 0:
            lower = b"L" if m.op == "N" else b"U"  # of the array
            library.pdpotrf_(
                byref(c_char(lower)),
                byref(c_int(m.n)),
                m.data_pointer,
                byref(c_int(m.ia)),
                byref(c_int(m.ja)),
                m.desc_pointer,
                byref(info),
            )
    assert info.value == 0
    rest = np.triu(a, 1)
    check(given, np.linalg.cholesky(a) + rest)


@pytest.mark.parametrize("name", ("row slabs", "row slabs in F order", "blocks", "square blocks", "unstructured"))
def test_gesv(comm, library, name):
    a, b = regular(N), random((N, 3), seed=2)
    left, right = distributed(comm, a, name), distributed(comm, b, name)
    info = c_int(1)
    with left.scalapack("pdgetrf") as m, right.scalapack("pdgetrs", aligned_with=m, op="N") as x:
        one = byref(c_int(1))
        size = byref(c_int(N))
        pivots = (c_int * (m.local_shape[0] + m.desc[4]))()
        library.pdgetrf_(size, size, m.data_pointer, one, one, m.desc_pointer, pivots, byref(info))
        assert info.value == 0
        library.pdgetrs_(
            byref(c_char(m.op.encode())),
            size,
            byref(c_int(3)),
            m.data_pointer,
            one,
            one,
            m.desc_pointer,
            pivots,
            x.data_pointer,
            one,
            one,
            x.desc_pointer,
            byref(info),
        )
        assert info.value == 0
    check(right, np.linalg.solve(a, b))


@pytest.mark.parametrize("order", ("row slabs", "row slabs in F order"))
def test_gemm_by_op(comm, library, order):
    a, b = random((N, N)), random((N, N), seed=2)
    left, right = distributed(comm, a, order), distributed(comm, b, "column slabs")
    product = distributed(comm, np.zeros((N, N)), "row slabs in F order")
    with left.scalapack(access="r") as x:
        with right.scalapack("pdgemm", access="r", aligned_with=x) as y:
            with product.scalapack("pdgemm", aligned_with=x, op="N") as z:
                one, size = byref(c_int(1)), byref(c_int(N))
                library.pdgemm_(
                    byref(c_char(x.op.encode())),
                    byref(c_char(y.op.encode())),
                    size,
                    size,
                    size,
                    byref(c_double(1)),
                    x.data_pointer,
                    one,
                    one,
                    x.desc_pointer,
                    y.data_pointer,
                    one,
                    one,
                    y.desc_pointer,
                    byref(c_double(0)),
                    z.data_pointer,
                    one,
                    one,
                    z.desc_pointer,
                )
    check(product, a @ b)
