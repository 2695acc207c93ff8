"""Makes the rows of a matrix and of a right-hand side that bridge/docs/coming/numpy.md uses. Only the first and the
last process have rows."""
import numpy as np
from mpi4py import MPI

import dapbridge

comm, n = MPI.COMM_WORLD, 24
counts = [n // 2] + [0] * (comm.size - 1) if comm.size > 1 else [n]
counts[-1] += n - sum(counts)
start = sum(counts[: comm.rank])
i = np.arange(start, start + counts[comm.rank])
rows = np.cos(np.outer(i + 1, np.arange(n)) ** 2) + 5 * (i[:, None] == np.arange(n))
right = np.sin(i)


def check(page):
    assert np.allclose(page["whole"], page["x"]), "before and after differ"
    assert np.array_equal(page["mine"], page["whole"][i])
    assert page["total"] == 276
    columns = page["columns"]
    row, column = (np.asarray(k) for k in np.ix_(*columns.indices()))
    assert np.array_equal(columns.owned, 4.0 * row + column)
    assert page["back"] is None if comm.rank else np.array_equal(page["back"], page["table"])
