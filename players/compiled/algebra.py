"""Linear algebra, of which kernels have none.

numba imports scipy's before it compiles or loads anything, to see whether it is there: a fifth of
what a player takes to start. It is there, and what is compiled with it still imports it.
"""

from numba.np import linalg

_ensure_blas = linalg.ensure_blas
linalg.ensure_blas = lambda: None
import numba.np.arraymath  # noqa: E402, F401  # it asks as it is imported, so here and for that alone

linalg.ensure_blas = _ensure_blas
