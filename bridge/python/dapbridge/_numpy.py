"""numpy's functions for distributed arrays. Call numpy's functions, not those of this module.

``np.sin(a)``, ``a + b``, ``np.sum(a)``, ``np.where(a > 0, a, 0)`` and others call this module's functions through
numpy's protocols.
"""

from __future__ import annotations

from . import _elementwise, _functions, _reductions, _vectors

__all__: list[str] = []
