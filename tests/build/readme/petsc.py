"""What the field of bridge/docs/petsc.md has in the end, the solution of 2 x = 6."""
import numpy as np


def check(page):
    assert np.allclose(page["a"].owned, 3)
