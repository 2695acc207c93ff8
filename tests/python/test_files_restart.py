"""Checkpoints: programs on some number of processes save, others on another number go on."""

import numpy as np
import pytest
from programs import succeed

SAVE = """
    import numpy as np
    from mpi4py import MPI
    import dapbridge as db
    comm = MPI.COMM_WORLD
    a = db.from_function(lambda i, j: 100 * i + j, (23, 17), comm, [db.cyclic(2), db.padded(1)], np.int64)
    a.save({path!r})
"""
LOAD = """
    import numpy as np
    from mpi4py import MPI
    import dapbridge as db
    comm = MPI.COMM_WORLD
    info = db.file_info({path!r})
    a = db.load({path!r})
    whole = 100 * np.arange(23)[:, None] + np.arange(17)
    assert a.shape == info.shape == (23, 17) and a.dtype == np.int64
    np.testing.assert_array_equal(a.gather(), whole)
    np.testing.assert_array_equal(db.load({path!r}, part=np.s_[5:9, 3]).gather(), whole[5:9, 3])
    if comm.rank == 0:
        print(info.has_layout, a.layout.format(), info.note, sep="; ")
    (a + 1).save({path!r})
"""


@pytest.mark.parametrize("before, after", [(4, 3), (4, 4), (1, 6), (3, 1)])
def test_restart(tmp_path, before, after):
    path = str(tmp_path / "u.npy")
    succeed(SAVE.format(path=path), before)
    whole = 100 * np.arange(23)[:, None] + np.arange(17)
    np.testing.assert_array_equal(np.load(path), whole)
    said = succeed(LOAD.format(path=path), after)
    np.testing.assert_array_equal(np.load(path), whole + 1)
    if before == after:
        assert said.startswith("True; 23x17 on 2x2: c(2), b(halo 1);")
    else:
        assert said.startswith("False; 23x17")
        assert f"{before} process" in said and f"communicator {after}" in said.strip()
