"""A process that ends with the one that started it."""

import os

import pytest

from arena.files.parent import die_with_parent


def test_a_system_that_refuses_is_not_passed_over() -> None:
    """A player would outlive the referee. The kernel knows no such signal."""
    with pytest.raises(OSError, match="Invalid argument"):
        die_with_parent(os.getppid(), 10_000)  # type: ignore[arg-type] # 10,000 is no signal
