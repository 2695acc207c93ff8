"""Checks the arrays of bridge/docs/petsc.md: both vectors of the field share the array, and the solution of 2 x = 6 is
scaled by 2 as a vector."""
import numpy as np


def check(page):
    field = page["f"]
    assert field.shared_global, field.reason_global
    assert field.shared_local, field.reason_local
    assert np.allclose(page["a"].owned, 6)
