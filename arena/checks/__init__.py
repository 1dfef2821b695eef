"""The checklist of a bot before it plays: what is wrong, and what to change."""

from arena.checks.checklist import ITEMS, run_checks
from arena.checks.result import Checklist, Result

__all__ = ["ITEMS", "Checklist", "Result", "run_checks"]
