"""The checklist of a bot before it plays: what is wrong, and what to change."""

from arena.checks.checklist import ITEMS, run_checks
from arena.checks.conditions import Conditions
from arena.checks.result import Checklist, CheckResult

__all__ = ["ITEMS", "CheckResult", "Checklist", "Conditions", "run_checks"]
