"""Tests plans: their moves, refusals, and ends."""

import gc
import warnings

import numpy as np
import pytest
from maps import check, fill, ramp, random_array, same_error

import dapbridge


def pair(comm, shape=(9, 8), dtype=float):
    whole = ramp(shape, dtype)
    return (
        whole,
        dapbridge.from_global(whole, comm),
        dapbridge.zeros(shape, comm, ["local", dapbridge.cyclic(2)], dtype),
    )


@pytest.mark.parametrize("seed", range(8))
def test_random(comm, seed):
    random = np.random.default_rng(seed)
    shape = tuple(random.integers(6, 12, 2))
    whole = ramp(shape, "c16")
    a = fill(random_array(random, comm, shape, "c16"), whole)
    b = fill(random_array(random, comm, shape, "c16"), 3 * whole)
    with dapbridge.Plan(a, b, alpha=2 + 1j, beta=-1, conjugate=True) as plan:
        for _ in range(2):
            before = b.gather()
            plan(a, b)
            check(b, (2 + 1j) * whole.conj() - before, copies=False)


def test_again_and_on_other_arrays(comm):
    whole, a, b = pair(comm)
    plan = dapbridge.Plan(a, b)
    c = dapbridge.like(b)
    for k in range(5):
        a.local[...] += 1
        plan(a, c)
        check(c, whole + k + 1)
    plan()
    check(b, whole + 5)
    plan(a.local, c.local)
    check(c, whole + 5)
    plan.destroy()
    plan.destroy()
    with pytest.raises(dapbridge.ArgumentError):
        plan(a, b)


@pytest.mark.parametrize("side", ["source", "target"])
def test_other_byte_order(comm, side):
    whole, a, b = pair(comm)
    with dapbridge.Plan(a, b) as plan:
        given = dict(source=a.local, target=b.local)
        given[side] = given[side].astype(given[side].dtype.newbyteorder())
        same_error(comm, dapbridge.ArrayBufferError, lambda: plan(*given.values()), f"{side}: elements|swapped")
        plan(a, b)
    check(b, whole)


def test_begin_and_end(comm):
    whole, a, b = pair(comm)
    with dapbridge.Plan(a, b) as plan:
        plan.begin(a, b)
        assert plan.is_begun
        with pytest.raises(dapbridge.ArgumentError):
            plan.begin(a, b)
        plan.end()
        assert not plan.is_begun
        with pytest.raises(dapbridge.ArgumentError):
            plan.end()
    check(b, whole)


def test_left_by_an_exception_while_begun(comm):
    whole, a, b = pair(comm)
    with pytest.raises(ZeroDivisionError):
        with dapbridge.Plan(a, b) as plan:
            plan.begin()
            if comm.rank == comm.size - 1:
                1 / 0
            plan.end()
            raise ZeroDivisionError
    check(b, whole)


def test_several_arrays(comm):
    whole, a, b = pair(comm)
    sources = [dapbridge.from_global(whole * k, comm) for k in range(5)]
    targets = [dapbridge.like(b) for _ in range(5)]
    with dapbridge.Plan(a, b, arrays=5) as plan:
        plan.run_many(sources, targets)
        for k, target in enumerate(targets):
            check(target, whole * k)
        with pytest.raises(dapbridge.Error):
            plan(a, b)
        with pytest.raises(TypeError):
            plan.run_many(sources, [*targets[:4], 7 if comm.rank == 0 else "x"])


def test_halo_of_several(comm):
    if comm.size == 1:
        pytest.skip("no padding")
    whole = ramp((4 * comm.size, 3))
    fields = [fill(dapbridge.zeros(whole.shape, comm, dapbridge.padded(1)), whole + k) for k in range(3)]
    with dapbridge.Plan.halo(fields[0], arrays=3) as plan:
        plan.run_many(fields)
    for k, field in enumerate(fields):
        check(field, whole + k, copies=True)
    with dapbridge.Plan.halo(fields[0]) as plan:
        fill(fields[1], whole)
        plan(fields[1])
        check(fields[1], whole, copies=True)
        fill(fields[1], whole)
        plan.begin(fields[1])
        plan.end()
        check(fields[1], whole, copies=True)
    with dapbridge.Plan.halo_reverse(fields[0], "sum", "clear") as plan:
        plan(fields[1])


def test_options(comm):
    whole, a, b = pair(comm, (64, 64))
    for options in (
        {"memory_bytes": 1 << 16},
        {"message_bytes": 4096},
        {"transports": "messages"},
        {"transports": ["staged", "messages"]},
    ):
        b.local[...] = 0
        with dapbridge.Plan(a, b, **options) as plan:
            plan()
        check(b, whole)


def test_combine(comm):
    a = dapbridge.full((5,), comm.rank + 1.0, comm, "partial")
    b = dapbridge.zeros(5, comm)
    for combine, wanted in (("sum", sum(range(comm.size + 1))), ("max", comm.size), ("min", 1)):
        with dapbridge.Plan(a, b, combine=combine) as plan:
            plan()
        check(b, np.full(5, wanted))


def test_of_an_array_of_some_processes(comm):
    """Moves a row, which one process has, to all processes, and back into it."""
    whole, a, _ = pair(comm)
    row, spread = a[0], dapbridge.zeros(8, comm, "cyclic")
    with dapbridge.Plan(row, spread) as plan:
        plan()
    check(spread, whole[0])
    with dapbridge.Plan(spread, row, alpha=-1) as plan:
        plan(spread, row)
    whole[0] *= -1
    check(a, whole)


def test_of_an_array_of_a_smaller_communicator(comm):
    """Processes without an array take part with its layout. Here all have one."""
    whole, a, _ = pair(comm)
    half = comm.Split(comm.rank % 2, comm.rank)
    b = dapbridge.zeros(whole.shape, half, "cyclic")
    if half.size == comm.size:
        with dapbridge.Plan(a, b) as plan:
            plan()
        check(b, whole)
    else:
        ranks = [r for r in range(comm.size) if r % 2 == comm.rank % 2]
        assert dapbridge._ends.End(b, "b").tuple(comm)[3] == ranks
    half.Free()


def test_wrong_arguments_of_a_run_hang_nobody(comm):
    whole, a, b = pair(comm)
    plan = dapbridge.Plan(a, b)
    wrong = [dapbridge.zeros((9, 8), comm, "cyclic"), np.zeros((1, 2)), "text", 5, [1, 2]]
    for other in wrong:
        given = other if comm.rank == comm.size - 1 else a
        with pytest.raises((dapbridge.Error, TypeError)):
            plan(given, b)
    same_error(comm, dapbridge.ArrayBufferError, lambda: plan(np.zeros(5), b), "source|axes|1|2")
    plan(a, b)
    check(b, whole)
    frozen = b.local.copy()
    frozen.flags.writeable = False
    with pytest.raises(dapbridge.Error):
        plan(a, frozen if comm.rank == 0 else b)


def test_in_words(comm):
    whole, a, b = pair(comm)
    with dapbridge.Plan(a, b) as plan:
        assert plan.memory > 0
        stats = plan.stats
        assert stats["bytes_local"] + stats["bytes_sent"] == a.local.nbytes
        assert plan.describe() and "Plan" in repr(plan)


def test_dropped_while_begun_warns(comm):
    whole, a, b = pair(comm)
    plan = dapbridge.Plan(a, b)
    plan.begin()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        del plan
        gc.collect()
    assert [w.category for w in caught] == [ResourceWarning]
    from dapbridge.plan import _begun

    _begun.pop().end()
    check(b, whole)


def test_coupled(comm):
    """Moves between two halves of the processes, over an intercommunicator."""
    if comm.size < 2:
        pytest.skip("for two groups")
    from mpi4py import MPI

    sends = comm.rank < comm.size // 2
    own = comm.Split(0 if sends else 1)
    both = own.Create_intercomm(0, comm, comm.size // 2 if sends else 0)
    whole = ramp((10, 3))
    a = dapbridge.from_global(whole, own, "block") if sends else dapbridge.zeros((10, 3), own, "cyclic")
    plan = dapbridge.Plan(a, None, comm=both) if sends else dapbridge.Plan(None, a, comm=both)
    plan(a, None) if sends else plan(None, a)
    check(a, whole)
    plan.destroy()
    both.Free()


#: A type for each kind of number, and each size, that a plan can convert.
TYPES = ["?", "i1", "u2", "i4", "u4", "i8", "u8", "f4", "f8", "c8", "c16"]


@pytest.mark.parametrize("source", TYPES)
def test_conversions_that_may_lose_values_need_lossy(comm, source):
    """Casts are safe if numpy calls them safe, except from integers of 8 bytes to floats, which round."""
    whole = ramp((6, 4), source)
    a = dapbridge.from_global(whole, comm)
    for target in TYPES:
        b = dapbridge.zeros((6, 4), comm, "cyclic", target)
        is_safe = np.can_cast(source, target) and not (source in ("i8", "u8") and b.dtype.kind in "fc")
        if not is_safe:
            same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.Plan(a, b), "lossy=True")
        with dapbridge.Plan(a, b, lossy=not is_safe) as plan:
            plan()
        check(b, (whole if b.dtype.kind in "bc" else whole.real).astype(target))
