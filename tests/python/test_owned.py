"""Tests `owned`: a view that can be written to. Replicated elements are read from their owner."""

import numpy as np
import pytest
from maps import check, ramp, random_array, same_error

import dapbridge

SEED = 20261129


@pytest.mark.parametrize("name", ["local", "owned"])
def test_one_element_is_a_view(comm, name):
    """Takes parts of no axes, of one element, and of no elements. Assigning to the view must change the whole array."""
    whole = ramp((4, 4))
    for key in ((2, 2), (2, slice(1, 2)), (slice(0, 0), 1), (0,), (..., None, 3, 3)):
        a = dapbridge.from_global(whole, comm)
        part = a[key]
        view = getattr(part, name)
        assert isinstance(view, np.ndarray)
        assert view.size == 0 or np.shares_memory(view, a.local)
        view[...] = -7
        expected = whole.copy()
        expected[key] = -7
        np.testing.assert_array_equal(a.gather(), expected)


# ---- copies that differ ------------------------------------------------------------------------------


@pytest.mark.parametrize("case", range(12))
def test_every_process_gets_the_owners_elements(comm, case):
    """Tests gather, redistribute, copy and moved slices of arrays whose other copies are wrong."""
    random = np.random.default_rng([SEED, case])
    shape = tuple(int(n) for n in random.integers(3, 9, random.integers(1, 4)))
    dist = ["block"] * len(shape)
    for axis in random.permutation(len(shape))[: int(random.integers(1, len(shape) + 1))]:
        dist[axis] = "replicated"
    whole = ramp(shape)
    a = dapbridge.zeros(shape, comm, dist)
    a.local[...] = -1 - comm.rank
    owned = np.ix_(*[i[p] for i, p in zip(a.indices(), a.owned_positions())])
    a.owned[...] = whole[owned]
    np.testing.assert_array_equal(a.gather(), whole, err_msg=f"seed {SEED}, {case}")
    found = a.gather(comm.size - 1)
    assert (found is None) == (comm.rank != comm.size - 1)
    if found is not None:
        np.testing.assert_array_equal(found, whole)
    check(a.copy(), whole, copies=True)
    check(a.redistribute("cyclic"), whole)
    check(a.redistribute(out=random_array(random, comm, shape)), whole)
    check(a.T.copy(), whole.T)
    np.testing.assert_array_equal(a[1].gather(), whole[1])


def test_copies_that_differ_are_found(comm):
    a = dapbridge.zeros(6, comm, "replicated")
    a.owned[...] = 7
    if comm.size == 1:
        a.check_copies()
        return
    error = same_error(comm, dapbridge.ArrayBufferError, a.check_copies)
    assert error.rank == 1 and "element (0)" in str(error)
    a.halo_update()
    a.check_copies()
    assert (a.local == 7).all()


def test_a_plan_reads_the_nearest_copy_unless_told(comm):
    a = dapbridge.zeros(6, comm, "replicated")
    b = dapbridge.zeros(6, comm, "replicated")
    a.local[...] = comm.rank
    for owners in (False, True):
        with dapbridge.Plan(a, b, from_owners=owners) as plan:
            plan()
        assert (b.local == (0 if owners else comm.rank)).all()


COPIES_WITH_PADDING = {  # how a copy is made, and its type
    "copy": (lambda a: a.copy(), "f8"),
    "numpy": (lambda a: np.copy(a), "f8"),
    "other type": (lambda a: a.copy("f4"), "f4"),
    "astype": (lambda a: a.astype("i8").copy(), "i8"),
}


@pytest.mark.parametrize("made_by", COPIES_WITH_PADDING)
@pytest.mark.parametrize("dtype", ("f8", "c16"))
def test_copies_have_padding_and_ghosts(comm, made_by, dtype):
    """Explicit stencils copy a field, and read the old ghosts while they write the new interior."""
    make, result = COPIES_WITH_PADDING[made_by]
    a = dapbridge.zeros((4 * comm.size, 5), comm, [dapbridge.padded(1, boundary=(1, 1))], dtype=dtype)
    a.local[...] = 100 * comm.rank + np.arange(a.local.size).reshape(a.local.shape)
    b = make(a)
    assert b.dtype == (dtype if result == "f8" else result)
    np.testing.assert_array_equal(b.local, a.local)
    np.testing.assert_array_equal(a.conj().copy().local, np.conj(a.local))


def test_boundary_padding_is_owned(comm):
    """Boundary padding counts in the shape, in `owned` and in reductions. Communication padding does not."""
    n = 4 * comm.size
    a = dapbridge.zeros(n, comm, dapbridge.padded(1, boundary=(1, 2)))
    a.local[...] = 1
    assert comm.allreduce(a.owned.size) == n and a.sum() == n
    first, last = (comm.rank == 0, comm.rank == comm.size - 1)
    assert a.owned.size == 4 and a.local.size == 4 + (not first) + (not last)
    a.owned[...] = a.indices()[0][1 - first :][:4]
    np.testing.assert_array_equal(a.gather(), np.arange(n))


def test_lists_that_overlap(comm):
    """Rule 18: the first process that lists an index owns it, and the others have copies. `one_to_one` refuses this."""
    n, p = 4 * comm.size, comm.rank
    mine = np.arange(max(4 * p - 1, 0), min(4 * p + 5, n))[::-1]
    a = dapbridge.array(np.full(len(mine), p + 1.0), comm, dapbridge.unstructured(mine))
    owners = np.minimum(np.maximum(np.arange(n) - 1, 0) // 4, comm.size - 1) + 1.0
    np.testing.assert_array_equal(a.gather(), owners)
    assert a.sum() == owners.sum() and comm.allreduce(a.owned.size) == n
    a.halo_update(allow_empty=True)
    np.testing.assert_array_equal(a.local, owners[mine])
    b = dapbridge.from_global(np.arange(n), comm, dapbridge.unstructured(mine))
    np.testing.assert_array_equal(b.local, mine)
    if comm.size > 1:
        error = same_error(
            comm, dapbridge.LayoutError, lambda: dapbridge.zeros(n, comm, dapbridge.unstructured(mine, one_to_one=True))
        )
        assert "one_to_one" in str(error) and "rule 18" in str(error)
