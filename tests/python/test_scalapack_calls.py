"""ScaLAPACK's own routines, called by ctypes on views."""

import ctypes

import numpy as np
import pytest

from matrices import LAYOUTS, check, distributed, positive, random, regular
from test_scalapack import scalapack_library

N = 12


@pytest.fixture(scope="module")
def routine():
    """Calls a routine with pointers to numbers and letters."""
    from dapbridge import _scalapack

    if _scalapack.INTEGER_SIZE != ctypes.sizeof(ctypes.c_int):
        pytest.skip("ScaLAPACK with integers of 64 bits")
    library = scalapack_library()
    kinds = {int: ctypes.c_int, float: ctypes.c_double, bytes: ctypes.c_char}

    def call(name, *arguments):
        references = [ctypes.byref(kinds[type(x)](x)) if type(x) in kinds else x for x in arguments]
        getattr(library, name)(*references)

    return call


def part(m):
    """The four arguments of a matrix."""
    return m.data_pointer, m.ia, m.ja, m.desc_pointer


@pytest.mark.parametrize("name", LAYOUTS)
def test_potrf(comm, routine, name):
    a = positive(N)
    given = distributed(comm, a, name)
    info = ctypes.c_int(0)
    with given.scalapack("pdpotrf") as m:
        if m.desc[1] >= 0:
            lower = b"L" if m.op == "N" else b"U"  # of the array
            routine("pdpotrf_", lower, m.n, *part(m), ctypes.byref(info))
    assert info.value == 0
    check(given, np.linalg.cholesky(a) + np.triu(a, 1))


@pytest.mark.parametrize("name", ("row slabs", "row slabs in F order", "blocks", "square blocks", "unstructured"))
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
    check(right, np.linalg.solve(a, b))


@pytest.mark.parametrize("order", ("row slabs", "row slabs in F order"))
def test_gemm_by_op(comm, routine, order):
    a, b = random((N, N)), random((N, N), seed=2)
    left, right = distributed(comm, a, order), distributed(comm, b, "column slabs")
    product = distributed(comm, np.zeros((N, N)), "row slabs in F order")
    with left.scalapack(access="r") as x:
        with right.scalapack("pdgemm", access="r", aligned_with=x) as y:
            with product.scalapack("pdgemm", aligned_with=x, op="N") as z:
                ops = x.op.encode(), y.op.encode()
                routine("pdgemm_", *ops, N, N, N, 1.0, *part(x), *part(y), 0.0, *part(z))
    check(product, a @ b)
