"""Tests communicators with a Cartesian topology, whose dimensions and periods become the grid of arrays."""

import numpy as np
import pytest
from maps import ramp, random_grid, same_error
from mpi4py import MPI

import dapbridge
from dapbridge import block, cyclic, padded

SEED = 20261129


def cut(whole, cart, halo=0):
    """Returns this process's block of a numpy array by its coordinates in the topology, with padding around the
    rings."""
    dims, periods, coords = cart.Get_topo()
    for axis, (procs, ring, coord) in enumerate(zip(dims, periods, coords)):
        size = whole.shape[axis]
        first, last = coord * size // procs, (coord + 1) * size // procs
        low, high = (halo * (ring or coord > 0), halo * (ring or coord < procs - 1))
        whole = whole.take(np.arange(first - low, last + high) % size, axis)
    return whole


@pytest.mark.parametrize("case", range(12))
@pytest.mark.parametrize("halo", [0, 1, 2])
def test_parts_are_placed_by_the_topology(comm, case, halo):
    random = np.random.default_rng([SEED, case])
    dims = random_grid(random, comm.size, int(random.integers(1, 4)))
    periods = [bool(random.integers(2)) for _ in dims]
    cart = comm.Create_cart(dims, periods, reorder=True)
    more = tuple(random.integers(1, 4, random.integers(0, 2)))  # axes that are not distributed
    whole = ramp((*(random.integers(2, 5, len(dims)) * dims), *map(int, more)))
    dist = [padded(halo) if halo else "block"] * len(dims)
    a = dapbridge.array(cut(whole, cart, halo), cart, dist if halo or random.integers(2) else None)
    assert a.layout.grid == (*dims, *(1 for _ in more)), f"seed {SEED}, {case}"
    np.testing.assert_array_equal(a.gather(), whole)
    assert [a.layout.axis(k)["periodic"] for k in range(len(dims))] == periods
    b = dapbridge.zeros(whole.shape, cart, dist)
    a.redistribute(out=b)
    b.halo_update(allow_empty=True)
    np.testing.assert_array_equal(b.local, cut(whole, cart, halo))
    cart.Free()


@pytest.mark.parametrize("make", [
    lambda cart: dapbridge.zeros((12, 12), cart),
    lambda cart: dapbridge.full((12, 12), 1.0, cart, ["cyclic", cyclic(2)]),
    lambda cart: dapbridge.from_function(lambda i, j: i + j, (12, 12), cart),
    lambda cart: dapbridge.from_global(np.zeros((12, 12)), cart, ["block", "replicated"]),
    lambda cart: dapbridge.zeros((12, 3, 12), cart, ["block", "local", "block"])[:, 0],
    lambda cart: dapbridge.zeros((12, 12), cart, "replicated", grid=(cart.size, 1)).redistribute(["block", "block"]),
])  # fmt: skip
def test_every_maker_has_the_grid(comm, make):
    for dims in ((comm.size, 1), (1, comm.size), MPI.Compute_dims(comm.size, 2)):
        cart = comm.Create_cart(dims)
        assert make(cart).layout.grid == tuple(dims)
        cart.Free()


ROWS = {
    "another grid": (lambda c, p: dapbridge.zeros((12, 12), c, ["block"] * 2, grid=(1, p)),
                     r"topology of {p} x 1 .*grid is 1 x {p}"),
    "an axis that is not distributed": (lambda c, p: dapbridge.zeros((12, 12), c, ["local", "block"]),
                                        r"topology of {p} x 1 .*axis 0, but dist is for 1"),
    "lengths for other processes": (lambda c, p: dapbridge.zeros((12, 12), c, [block([12]), "block"]),
                                    r"topology of {p} x 1 .*{p} of them along axis 0, but dist is for 1"),
    "more axes than dimensions": (lambda c, p: dapbridge.zeros((4, 4, 4), c, ["block"] * 3),
                                  r"topology of {p} x 1 .*dist distributes 3 of 3 axes"),
    "a ring that is none": (lambda c, p: dapbridge.zeros((12, 12), c, [padded(1, wraps=True), "block"]),
                            r"not periodic along axis 0, but dist says periodic"),
    "a grid of other axes": (lambda c, p: dapbridge.zeros((12, 12), c, grid=(p,)), r"grid has 1 extents for 2 axes"),
}  # fmt: skip


@pytest.mark.parametrize("why", ROWS)
def test_contradictions_are_refused_with_both(comm, why):
    make, words = ROWS[why]
    cart = comm.Create_cart((comm.size, 1))
    if comm.size == 1 and "ring" not in why and "other axes" not in why:
        cart.Free()
        pytest.skip("one process is any grid")
    with pytest.raises(dapbridge.ArgumentError, match=words.format(p=comm.size)):
        make(cart, comm.size)
    plain = cart.Split()
    if "ring" in why:
        assert make(plain, comm.size).layout.axis(0)["periodic"]
    elif "lengths" not in why and "other axes" not in why:
        assert make(plain, comm.size).layout.nprocs == comm.size
    for used in (plain, cart):
        used.Free()


def test_a_ring_that_dist_says_is_none(comm):
    cart = comm.Create_cart((comm.size,), (True,))
    error = same_error(comm, dapbridge.ArgumentError, lambda: dapbridge.zeros(12, cart, padded(1, periodic=False)))
    assert "periodic along axis 0, but dist says not periodic" in str(error)
    ring = dapbridge.zeros(12, cart, padded(1, wraps=False))  # a ring without copies at its ends
    assert ring.layout.axis(0)["periodic"] and ring.local.size == 12 // comm.size + (cart.rank > 0) + (
        cart.rank < comm.size - 1
    )
    cart.Free()


def test_boundary_padding_of_a_ring(comm):
    """Padding must not wrap around at an edge with boundary padding."""
    cart = comm.Create_cart((comm.size,), (True,))
    ring = dapbridge.zeros(4 * comm.size, cart, padded(1, (1, 2)))
    assert ring.layout.axis(0)["periodic"] and ring.layout.axis(0)["boundary"] == (1, 2)
    assert ring.local.size == ring.owned.size + (cart.rank > 0) + (cart.rank < comm.size - 1)
    cart.Free()


def test_other_topologies_are_no_grid(comm):
    """A graph does not determine a grid. Arrays that every process has whole do not have one, either."""
    ring = [(comm.rank + 1) % comm.size]
    graph = comm.Create_dist_graph_adjacent(ring, ring)
    assert dapbridge.zeros((12, 12), graph, grid=(1, comm.size), dist=["block", "block"]).layout.grid == (1, comm.size)
    cart = comm.Create_cart((comm.size, 1))
    for kind in ("replicated", "partial"):
        assert dapbridge.zeros(6, cart, kind).layout.grid == (comm.size,)
    wide = dapbridge.zeros((12, 12), cart).redistribute(["local", "block"])  # a move may need another grid
    assert wide.layout.grid == (1, comm.size)
    assert dapbridge.zeros((4, 4, 4), cart, ["block"] * 3, grid=(1, comm.size, 1)).layout.grid == (1, comm.size, 1)
    graph.Free()
    cart.Free()
