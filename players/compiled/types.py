"""Names for what kernels take. They are for the reader: numba looks at the values alone."""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
from llvmlite import ir

Array: TypeAlias = npt.NDArray[Any]
Flag: TypeAlias = npt.NDArray[np.int64]
"""One entry: not 0 once the kernel is to stop."""

Int: TypeAlias = int | np.int64
Real: TypeAlias = float | np.float64
Word: TypeAlias = np.uint64
"""64 bits: a set of squares, edges or cells, or an unsigned number."""
Rng: TypeAlias = np.uint64
"""The state of the random numbers."""
Move: TypeAlias = Int
Seat: TypeAlias = Int

Builder: TypeAlias = ir.IRBuilder
"""A function that writes LLVM code."""
Value: TypeAlias = ir.Value
"""A value of LLVM code."""
